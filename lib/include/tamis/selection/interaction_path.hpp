#pragma once
/// Regularisation paths of problems with interactions.

#include "../solver/interaction_admm.hpp"
#include "path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A problem of InteractionAdmm, whatever the λ of the options. λ₂ is `lambda2` at every λ; NaN: `ratio`·λ, where a
/// ratio of NaN is that of default_lambda2.
template <class T>
struct InteractionProblem {
  using Solver = InteractionAdmm<T>;

  DenseDesign<T> design = {};
  InteractionTargets<T> targets = {};
  Hierarchy hierarchy = Hierarchy::strong;
  HierarchyNorm norm = HierarchyNorm::l1;
  Options<T> options = {};
  T lambda2 = not_a_number<T>;
  T ratio = not_a_number<T>;

  constexpr T second(T lambda) const {
    return lambda2 == lambda2 ? lambda2 : ratio == ratio ? ratio * lambda : default_lambda2(hierarchy, lambda);
  }
  Solver operator()(T lambda) const {
    Options<T> own = options;
    own.lambda = lambda;
    return {design, targets, hierarchy, norm, second(lambda), own};
  }
  void warm_start(Solver& solver, T lambda) const { solver.warm_start(lambda, second(lambda)); }

  /// A λ from which the model of zeros is the answer, the least but for strong, and where λ₂ is given beside it; of
  /// classes with intercepts about that. Products that λ₂ alone penalises are left aside.
  [[gnu::noinline]] T first_lambda(std::span<std::byte> memory) const {
    InteractionProblem null = *this;
    if (lambda2 == lambda2) {
      null.lambda2 = not_a_number<T>;
      null.ratio = T(0);
      if (hierarchy == Hierarchy::full) null.hierarchy = Hierarchy::main;
    }
    Solver solver = null(T(1e-9));  // gauges of points far from what is allowed are refined
    solver.start(memory);
    return solver.first_lambda();
  }
};

/// Path of a problem with interactions; a point that meets the iteration limit is one. An open grid begins with
/// first_lambda of the problem. Memory: that of InteractionAdmm. Cost of a point: its iterations, and a factor.
template <class T>
class InteractionPath : public Path<T, InteractionProblem<T>> {
 public:
  using Path<T, InteractionProblem<T>>::Path;

  static constexpr Requirement requirement(Shape shape) { return InteractionAdmm<T>::requirement(shape); }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
