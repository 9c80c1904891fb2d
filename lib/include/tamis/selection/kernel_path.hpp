#pragma once
/// Regularisation paths of problems with several kernels.

#include "../solver/kernel_admm.hpp"
#include "path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A problem of KernelAdmm, whatever the λ of the options.
template <class T>
struct KernelProblem {
  using Solver = KernelAdmm<T>;

  DenseDesign<T> design;
  std::span<const Label> labels;
  Index kernels, classes;
  MixedNorm<T> norm;
  Options<T> options;

  Solver operator()(T lambda) const { return {design, labels, kernels, classes, norm, with(lambda)}; }

  /// λ_max where q = 1; of q = 2 that at which zeros are within 1 % of optimal.
  [[gnu::noinline]] T first_lambda(std::span<std::byte> memory) const {
    KernelWorkspace<T> null(design, labels, kernels, classes, norm, with(T(1)));
    if (!null.validate(memory, Solver::requirement(null.shape))) return not_a_number<T>;
    Arena arena(memory);
    const auto own = KernelWorkspace<T>::Memory::lay_out(arena, null.shape);
    null.bind(own, arena.used());
    null.certify_zero(own.g);
    if (!null.has_products()) return infinity<T>;
    const Rows<const T> gradient = null.rows(static_cast<const T*>(own.g));
    const T loss = T(null.shape.samples) * null.report.objective;
    return norm.q == 1   ? null.penalty.gauge(gradient, kernels)
           : loss > T(0) ? null.penalty.conjugate(gradient, kernels) / (T(0.01) * loss)
                         : T(0);
  }

 private:
  Options<T> with(T lambda) const {
    Options<T> out = options;
    out.lambda = lambda;
    return out;
  }
};

/// Path of a problem with kernels: everything but the grid is as for KernelAdmm.
///
/// An open grid begins with λ_max where q = 1 (of several classes with intercepts, where these are only guessed, with
/// about that). q = 2 keeps all coefficients at every λ: it begins where the model of zeros is within 1 % of optimal,
/// Σ_g ‖h_g‖²_{p'} / (0.02·F(0)), h = Aᵀu/n the gradient of the mean loss at zero.
///
/// Memory: that of KernelAdmm. Cost of a point: its iterations.
template <class T>
class KernelPath : public Path<T, KernelProblem<T>> {
 public:
  KernelPath(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
             const MixedNorm<T>& norm, const Options<T>& options, const Grid<T>& grid)
      : Path<T, KernelProblem<T>>({design, labels, kernels, classes, norm, options}, grid) {}

  static constexpr Requirement requirement(Shape shape) { return KernelAdmm<T>::requirement(shape); }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
