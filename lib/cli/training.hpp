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

/// After the scalar: the losses, then the solvers beside those that are always there.
#define TAMIS_COMMAND_TRAINING(T)                                                                              \
  tamis::AnyTrainingWith<T, tamis::AnyMultilabelLoss<T>, tamis::TwoPhase, tamis::BlockCoordinateDescent,       \
                         tamis::as_printed::PrimalDual, tamis::as_printed::ConstrainedPrimalDual,              \
                         tamis::as_printed::LinearConstraintsPrimalDual, tamis::as_printed::FistaConstantStep, \
                         tamis::as_printed::ForwardBackward, tamis::as_printed::BcdLineSearch,                 \
                         tamis::as_printed::BcdConstantStep, tamis::as_printed::FistaLineSearch,               \
                         tamis::as_printed::Sparsa, tamis::as_printed::Fobos, tamis::AdaptiveDualAveraging>

template <class T>
using CommandTraining = TAMIS_COMMAND_TRAINING(T);

}  // namespace tamis::cli

// Compiled once each, in training_float.cpp and training_double.cpp.
extern template class TAMIS_COMMAND_TRAINING(float);
extern template class TAMIS_COMMAND_TRAINING(double);
