#pragma once
/// The training runs that the command offers: the default solvers and the published baselines.

#include "tamis/any_multilabel.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"
#include "tamis/solver/as_printed/constrained_primal_dual.hpp"
#include "tamis/solver/as_printed/line_search.hpp"
#include "tamis/solver/as_printed/linear_constraints_primal_dual.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"
#include "tamis/solver/stochastic.hpp"

namespace tamis::cli {

/// Coefficients that the command makes room for in one linear system: 36 MB in double.
inline constexpr Index usual_active_limit = 1500;

template <class T>
using CommandTraining =
    AnyTrainingWith<T, AnyMultilabelLoss<T>, TwoPhase, BlockCoordinateDescent, as_printed::PrimalDual,
                    as_printed::ConstrainedPrimalDual, as_printed::LinearConstraintsPrimalDual,
                    as_printed::FistaConstantStep, as_printed::ForwardBackward, as_printed::BcdLineSearch,
                    as_printed::BcdConstantStep, as_printed::FistaLineSearch, as_printed::Sparsa, as_printed::Fobos,
                    AdaptiveDualAveraging>;

}  // namespace tamis::cli
