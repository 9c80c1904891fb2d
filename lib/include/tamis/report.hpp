#pragma once
/// What a training run says about its answer.

#include <cstddef>

#include "linalg/scalar.hpp"
#include "shape.hpp"
#include "status.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// All figures are those of the model that the run would return now. `gap = objective − dual_objective ≥ F − F*` up to
/// rounding, which may hide GapMonitor<T>::rounding of the objective (2e-6 in float, 4e-15 in double): a gap is zero
/// where rounding has put the dual objective above the objective. Where the penalty has no dual norm, the three are NaN
/// and `kkt_residual` decides. The objective of a run with a model is never NaN.
template <class T>
struct Report {
  Status status = Status::running;
  T objective = 0;  ///< F(W, b) = (1/Σwᵢ) Σᵢ wᵢ ℓᵢ + λ Ω(W); with η it is Ω(W), infinite before a point is feasible
  T dual_objective = 0;  ///< value of a feasible dual point: a lower bound on the optimum
  T gap = 0;             ///< objective − dual_objective, not negative
  T relative_gap = 0;    ///< gap / max(|objective|, |dual_objective|, 1e-12); NaN where the gap is infinite
  T kkt_residual = 0;    ///< relative change of the solver's fixed-point map, a measure without units
  T lambda_max = 0;  ///< all coefficients are zero from here on (of the hinge an upper bound); NaN: not yet known
  T epochs = 0;          ///< products with the whole design, counted as XW and Xᵀu together
  std::uint32_t iterations = 0;
  Index nonzeros = 0;                    ///< coefficients that are not zero
  Index nonzero_rows = 0;                ///< features with such a coefficient
  Index row = 0;                         ///< the first bad sample of a refusal
  Index column = 0;                      ///< the first bad feature (or class) of a refusal
  std::size_t arena_bytes = 0;           ///< what the solver asks for, given the room it has
  std::size_t arena_used_bytes = 0;      ///< the high-water mark
  T constraint_value = not_a_number<T>;  ///< with η: the mean loss of the model; when infeasible, the least one seen
  T constraint_bound = not_a_number<T>;  ///< when infeasible: the mean loss that no model falls below
  T multiplier = not_a_number<T>;        ///< with η: the ν of the dual bound max ν(mean loss − η) + Ω; 1/λ
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
