#pragma once
/// Training with several kernels on Eigen's matrices.

#include "../selection/kernel_path.hpp"
#include "training.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The report, and the model as a view into the arena: take_kept makes an expansion of it. A refusal as invalid_option
/// names the kernel in `kernel`, one as invalid_data that of two samples, row and column, whose value is not finite.
template <class T>
struct KernelFit : Report<T> {
  KernelCoefficients<T> model;
  Index kernel = 0;
};

/// KernelAdmm on matrices of such a type, dense ones of every layout:
///
///     using Training = tamis::KernelTraining<Eigen::MatrixXf>;
///     const tamis::Kernel<float> kernels[] = {{tamis::KernelKind::linear}, {tamis::KernelKind::gaussian, 1.0f}};
///     auto fit = Training(kernels, {2, 1, 1}, {.lambda = 0.02f}).fit(X, y, memory);
///
/// The memory, of `bytes(shape, kernels)`, holds the labels and the kernels' matrices as well. Two classes have one
/// score, whose sign decides; more have one each.
template <class Matrix, class Function = Kernel<typename Matrix::Scalar>>
class KernelTraining {
  using T = typename Matrix::Scalar;

 public:
  using Scalar = T;
  static constexpr std::size_t alignment = Arena::alignment;

  /// The kernels must stay where they are.
  constexpr KernelTraining(std::span<const Function> kernels, const MixedNorm<T>& norm, const Options<T>& options)
      : kernels_(kernels), norm_(norm), options_(options) {}

  /// The least number of arena bytes for so many kernels.
  static constexpr std::size_t bytes(Shape shape, Index kernels) {
    return (own(shape, kernels) & solver_requirement(shape_of(shape, kernels))).bytes;
  }
  /// What is the solver's of that, by the shape of the kernels' matrices, and what is not.
  static constexpr Requirement solver_requirement(Shape shape) { return KernelAdmm<T>::requirement(shape); }
  static constexpr Requirement own(Shape shape, Index kernels) {
    return detail::targets_requirement<T, false>(shape.samples) & matrices(shape, kernels);
  }
  /// samples × (samples·kernels), and scores.
  static constexpr Shape shape_of(Shape shape, Index kernels) {
    return {shape.samples, shape.samples * kernels, shape.classes == 2 ? Index(1) : shape.classes};
  }

  /// Trains on samples in the rows of X and labels from 0 on, integers of any kind in a vector. `classes`: 0 for one
  /// more than the largest label.
  template <class X, class Y, class Observe = Unobserved>
  KernelFit<T> fit(const X& x, const Y& y, std::span<std::byte> memory, Index classes = 0,
                   Observe&& observe = {}) const {
    Index kernel = 0;
    const auto given = take(x, y, memory, classes, solver_requirement, kernel);
    if (given.status != Status::running) {
      auto fit = given.template refused<KernelFit<T>>();
      fit.kernel = kernel;
      return fit;
    }
    auto solver = problem(given)(options_.lambda);
    solver.start(given.rest);
    advance_to_end(solver, observe);
    return given.add_own(KernelFit<T>{solver.report(), solver.model()});
  }

  /// What fit trains on, for a run that needs rest(shape) bytes beside: the kernels' matrices, and their shape.
  template <class X, class Y, class Rest>
  GivenProblem<T, DenseDesign<T>> take(const X& x, const Y& y, std::span<std::byte> memory, Index classes,
                                       Rest rest) const {
    Index kernel = 0;
    return take(x, y, memory, classes, rest, kernel);
  }
  KernelProblem<T> problem(const GivenProblem<T, DenseDesign<T>>& given) const {
    return {given.design, given.targets.labels, count(), given.shape.classes, norm_, options_};
  }

 private:
  Index count() const { return static_cast<Index>(kernels_.size()); }

  static constexpr Requirement matrices(Shape shape, Index kernels) {
    using detail::saturating_multiply;
    Arena arena;
    (void)arena.take<T>(saturating_multiply(saturating_multiply(shape.samples, shape.samples), kernels));
    return {arena.used()};
  }

  template <class X, class Y, class Rest>
  GivenProblem<T, DenseDesign<T>> take(const X& x, const Y& y, std::span<std::byte> memory, Index classes, Rest rest,
                                       Index& kernel) const {
    constexpr bool is_dense = !detail::is_sparse<X>;
    static_assert(is_dense, "kernels compare dense samples: make a dense matrix");
    if constexpr (!is_dense || !detail::are_trained_on<Matrix, X>()) {
      return {};
    } else {
      bool filled = true;
      KernelPair pair;
      const auto fill = [&](const X& samples, std::span<std::byte> room) {
        const SampleTable<T> table = sample_table(samples);
        const std::size_t square = std::size_t{table.samples} * table.samples;
        T* const values = Arena(room).take<T>(square * kernels_.size());
        for (kernel = 0; kernel < count() && filled; kernel += filled)
          filled = fill_kernel_matrix(kernels_[kernel], table, values + kernel * square, pair);
        return DenseDesign<T>(values, table.samples, table.samples * count());
      };
      if constexpr (requires { kernels_[0].refusal(); })
        for (kernel = 0; kernel < count(); ++kernel)
          if (kernels_[kernel].refusal()) return {.status = Status::invalid_option};
      auto given = detail::take_problem<T, DenseDesign<T>, false>(
          x, y, memory, classes, [&](Shape shape) { return matrices(shape, count()); },
          [&](Shape shape) { return rest(shape_of(shape, count())); }, fill);
      given.shape = shape_of(given.shape, count());
      if (!filled) given.status = Status::invalid_data, given.row = pair.row, given.column = pair.column;
      return given;
    }
  }

  std::span<const Function> kernels_;
  MixedNorm<T> norm_;
  Options<T> options_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
