#pragma once
/// Classification with several kernels where memory is short: Fista with the groups of a mixed norm listed.

#include "fista.hpp"
#include "kernel_workspace.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The problems of KernelAdmm by Fista: a kernel and a sample are a feature, and the groups of the norm are listed,
/// unless p = q, where they make no difference. Refusals are those of KernelAdmm. With KernelRows as the design no
/// matrix is stored: each product with Aᵀ takes n kernel values for every feature that is active, and one with A for
/// every coefficient that is not zero.
///
/// Memory: `requirement(shape)`: that of Fista, and 2n·τ positions for the groups.
template <class T, class Design = DenseDesign<T>>
class KernelFista : public Fista<T, KernelLoss, GroupSum<NormPower>, Design> {
  using Base = Fista<T, KernelLoss, GroupSum<NormPower>, Design>;
  using Base::design_, Base::options_, Base::penalty_, Base::report_, Base::shape_, Base::stride_, Base::targets_;

 public:
  using Base::running;
  KernelFista(const Design& design, std::span<const Label> labels, Index kernels, Index classes,
              const MixedNorm<T>& norm, const Options<T>& options)
      : Base(design, Targets<T>{labels, classes}, KernelLoss{classes}, {Groups::rows(), norm.of_group()}, options),
        kernels_(kernels),
        norm_(norm) {}

  /// Bytes that `start` needs: `shape.features` is n·τ, `shape.classes` 1 for two classes with one score.
  static constexpr Requirement requirement(Shape shape) { return count_bytes<Memory>(shape); }

  /// Checks the problem and lays out the memory. False: it has ended.
  bool start(std::span<std::byte> memory) {
    const std::size_t bytes = requirement(shape_).bytes;
    report_ = {};
    report_.arena_bytes = bytes;
    report_.status =
        check_kernels(design_, targets_.labels, kernels_, shape_.classes, norm_, options_, memory, report_);
    if (!running()) return false;
    Arena arena(memory);
    const Memory m = Memory::lay_out(arena, shape_);
    if (norm_.p != norm_.q) penalty_.groups = norm_.list_groups(shape_.samples, kernels_, m.order, m.starts);
    Base::start({m.rest, Base::requirement(shape_).bytes});
    report_.arena_bytes = report_.arena_used_bytes = bytes;
    return running();
  }
  /// Goes on with another λ from where a run has ended: see WarmStarted.
  bool warm_start(T lambda) { return Base::warm_start(lambda > T(0) ? lambda : not_a_number<T>); }

  KernelCoefficients<T> model() const {
    if (!has_model(report_.status)) return {};
    const auto model = Base::model();
    return {model.coefficients, row_of(model.coefficients, model.features, stride_), shape_.samples, kernels_,
            shape_.classes};
  }

 private:
  struct Memory {
    Index *order, *starts;  ///< of the groups
    std::byte* rest;        ///< what Fista takes

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.order = arena.take<Index>(shape.features);
      m.starts = arena.take<Index>(detail::saturating_add(shape.features, 1));
      m.rest = arena.take<std::byte>(Base::requirement(shape).bytes);
      return m;
    }
  };

  Index kernels_;
  MixedNorm<T> norm_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
