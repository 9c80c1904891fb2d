#pragma once
/// The solvers compiled once for each scalar, over losses, penalties and designs that are chosen at run time: what the
/// command links, and whatever else of the project trains so. Who includes this links the target tamis_core; users of
/// the headers need neither.

#include "products.hpp"
#include "tamis/any_multilabel.hpp"
#include "tamis/solver/baselines.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace tamis::core {

/// Every solver there is, for every loss there is.
#define TAMIS_CORE_TRAINING(T)                                                                                       \
  tamis::AnyTrainingFor<tamis::AnyProblem<T, tamis::AnyMultilabelLoss<T>>, tamis::PrimalDual, tamis::Fista,          \
                        tamis::ConstrainedPrimalDual, tamis::CrammerSingerDual, tamis::TwoPhase, tamis::PathDescent, \
                        tamis::ProximalNewtonDescent, TAMIS_BASELINES>

template <class T>
using Training = TAMIS_CORE_TRAINING(T);

}  // namespace tamis::core

/// All that is compiled, as `extern template` or as `template`.
#define TAMIS_CORE(DECLARE, T)             \
  DECLARE class TAMIS_CORE_TRAINING(T);    \
  DECLARE class tamis::InteractionAdmm<T>; \
  DECLARE class tamis::KernelAdmm<T>;      \
  DECLARE class tamis::KernelFista<T>;

TAMIS_CORE(extern template, float)
TAMIS_CORE(extern template, double)
