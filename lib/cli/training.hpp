#pragma once
/// The training runs that the command offers: the default solvers and the published baselines.

#include "tamis/any_multilabel.hpp"
#include "tamis/solver/baselines.hpp"

namespace tamis::cli {

/// Coefficients that the command makes room for in one linear system: 36 MB in double.
inline constexpr Index usual_active_limit = 1500;

/// Every solver there is, for every loss there is.
#define TAMIS_COMMAND_TRAINING(T)                                                                                     \
  tamis::AnyTrainingOf<T, tamis::AnyMultilabelLoss<T>, tamis::PrimalDual, tamis::Fista, tamis::ConstrainedPrimalDual, \
                       tamis::CrammerSingerDual, tamis::TwoPhase, tamis::BlockCoordinateDescent, TAMIS_BASELINES>

template <class T>
using CommandTraining = TAMIS_COMMAND_TRAINING(T);

}  // namespace tamis::cli

// Compiled once each, in training_float.cpp and training_double.cpp.
extern template class TAMIS_COMMAND_TRAINING(float);
extern template class TAMIS_COMMAND_TRAINING(double);
