#pragma once
/// The default solver of the constrained form: restarted, reflected primal–dual iterations with working sets.

#include "primal_dual.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Minimises Ω(W) subject to (1/Σw) Σ wᵢ ℓᵢ(Wᵀxᵢ + b) ≤ η.
///
/// PrimalDual with the whole constraint in the dual step: by Moreau's identity
///     u⁺ = û − σ P(û/σ),   P the projection onto {Z : Σ cᵢℓᵢ(zᵢ) ≤ η},
/// where P(v)ᵢ = prox_{tcᵢℓ}(vᵢ) with one t for all samples. With ν = σt this is u⁺ᵢ = prox_{σ(νcᵢℓ)*}(ûᵢ): the dual
/// step of the regularised form with weights νcᵢ, ν the multiplier of the constraint, found at each step by a scalar
/// Newton iteration that starts from the last one. Feasible models, certificates and infeasibility: see
/// ConstrainedWorkbench.
///
/// Memory: `requirement(shape)`: 6(p+1) + 4n rows of padded classes, and 3p entries for the features.
/// Cost per iteration: that of PrimalDual, and two or three passes over the n·K duals.
/// Sources: Chierchia et al. (2015), problem (8); its Algorithm 2 splits the constraint by epigraphs instead.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class ConstrainedPrimalDual : public PrimalDual<T, LevelSet<Loss>, Penalty, Design> {
  static_assert(ConstrainableLoss<Loss, T>, TAMIS_NEEDS_LEVEL_SETS);

 public:
  static constexpr SolverKind kind = SolverKind::constrained_primal_dual;

  ConstrainedPrimalDual(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                        const Options<T>& options)
      : PrimalDual<T, LevelSet<Loss>, Penalty, Design>(design, targets, LevelSet<Loss>(loss), penalty, options) {}
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
