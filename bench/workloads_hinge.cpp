// Whole solves with the exact hinge: Chierchia et al.'s (2015) problems.
#include "tamis/loss/hinge.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/penalty/ridge.hpp"
#include "work_linear.hpp"

namespace tamis::bench {

const Work hinge_l1 = linear_solve<Training<Real, Hinge, L1>>;
const Work hinge_group_l2 = linear_solve<Training<Real, Hinge, GroupL2>>;
const Work hinge_ridge = linear_solve<Training<Real, Hinge, Ridge>>;
const Work hinge_path = linear_path<Training<Real, Hinge, L1>>;

}  // namespace tamis::bench
