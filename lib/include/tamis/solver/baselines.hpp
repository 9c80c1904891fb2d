#pragma once
/// The published algorithms for linear models, and the stochastic ones: what the solvers are measured against.

#include "as_printed/block_coordinate_descent.hpp"
#include "as_printed/constrained_primal_dual.hpp"
#include "as_printed/line_search.hpp"
#include "as_printed/linear_constraints_primal_dual.hpp"
#include "as_printed/primal_dual.hpp"
#include "as_printed/proximal_gradient.hpp"
#include "stochastic.hpp"

/// All of them, for AnyTraining.
#define TAMIS_BASELINES                                                                                         \
  tamis::as_printed::PrimalDual, tamis::as_printed::ConstrainedPrimalDual,                                      \
      tamis::as_printed::LinearConstraintsPrimalDual, tamis::as_printed::FistaConstantStep,                     \
      tamis::as_printed::ForwardBackward, tamis::as_printed::BcdLineSearch, tamis::as_printed::BcdConstantStep, \
      tamis::as_printed::FistaLineSearch, tamis::as_printed::Sparsa, tamis::as_printed::Fobos,                  \
      tamis::AdaptiveDualAveraging, tamis::as_printed::FistaPrintedStep
