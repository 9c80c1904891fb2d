// Whole solves with smooth losses: Blondel et al.'s (2013) problems.
#include "tamis/loss/logistic.hpp"
#include "tamis/loss/one_vs_rest_squared_hinge.hpp"
#include "tamis/loss/squared_hinge.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "work_linear.hpp"

namespace tamis::bench {

const Work squared_hinge_group_l2 = linear_solve<Training<Real, SquaredHinge, GroupL2, With<BlockCoordinateDescent>>>;
const Work logistic_group_l2 = linear_solve<Training<Real, Logistic, GroupL2, With<BlockCoordinateDescent>>>;
const Work one_vs_rest_l1 = linear_solve<Training<Real, OneVsRestSquaredHinge, L1, With<BlockCoordinateDescent>>>;
const Work squared_hinge_path = linear_path<Training<Real, SquaredHinge, GroupL2, With<BlockCoordinateDescent>>>;
const Work logistic_path = linear_path<Training<Real, Logistic, L1>>;

}  // namespace tamis::bench
