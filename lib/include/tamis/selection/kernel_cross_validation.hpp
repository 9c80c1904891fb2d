#pragma once
/// Cross-validation of λ with several kernels: a fold trains on the kernels' values of its own samples alone.

#include "cut_folds.hpp"
#include "kernel_path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Folds of a problem with kernels. f(x) of a fold compares with the fold's training samples alone: it trains on rows
/// and columns K_t[l, i] of these, which are copied once, and is measured by K_t[l, i] of training samples l and
/// held-out samples i.
template <class Scalar>
struct KernelFolds : CutFolds<Scalar> {
  using T = Scalar;
  using Path = tamis::Path<T, KernelProblem<T>>;
  using CutFolds<T>::order, CutFolds<T>::training;

  KernelProblem<T> problem;

  struct Memory {
    T* values;      ///< the kernels' matrices of the samples at hand
    T* score;       ///< samples × outputs, of those held out
    Index* order;   ///< samples
    Label* labels;  ///< of the samples at hand

    static constexpr Memory lay_out(Arena& arena, Shape shape, Index kernels, Index training) {
      using detail::saturating_multiply;
      Memory m{};
      m.values = arena.take<T>(saturating_multiply(saturating_multiply(training, training), kernels));
      m.score = arena.take<T>(saturating_multiply(shape.samples, padded<T>(shape.classes)));
      m.order = arena.take<Index>(shape.samples);
      m.labels = arena.take<Label>(training);
      return m;
    }
  };

  explicit KernelFolds(const KernelProblem<T>& of) : problem(of) {}

  static constexpr Requirement requirement(Shape shape, Index most, Index folds, Index points) {
    const Index kernels = shape.samples > 0 ? shape.features / shape.samples : 0;
    return CrossValidationOf<KernelFolds>::requirement(
        folds, points, count_bytes<Memory>(shape, kernels, most),
        KernelAdmm<T>::requirement({most, most * kernels, shape.classes}));
  }

  Index samples() const { return problem.design.samples(); }
  Index labels() const { return largest(problem.classes, Index(2)); }
  Shape shape() const { return {samples(), problem.design.features(), problem.classes}; }

  Status check(const Index* fold_of, Index folds, Index points, std::size_t bytes) {
    this->refusal = {};
    if (samples() == 0 || problem.kernels == 0 || problem.classes == 0 || problem.labels.size() != samples() ||
        problem.design.features() != detail::saturating_multiply(samples(), problem.kernels))
      return this->refuse(Status::invalid_shape);
    Status status = this->check_folds(fold_of, samples(), folds);
    if (status == Status::running) status = this->check_labels(problem.labels, labels());
    if (status == Status::running) status = this->check_memory(bytes, requirement(shape(), training, folds, points));
    return status;
  }
  void lay_out(Arena& arena) {
    m = Memory::lay_out(arena, shape(), problem.kernels, training);
    order = m.order;
  }

  [[gnu::noinline]] Status leave_out(const Index* fold_of, Index fold) {
    this->take_fold(fold_of, samples(), fold);
    const Status status = this->take_labels(problem.labels, labels(), m.labels);
    if (status != Status::running) return status;
    T* to = m.values;
    for (Index t = 0; t < problem.kernels; ++t)
      for (Index l = 0; l < training; ++l) {
        const T* from = problem.design.column(t * samples() + order[l]).values;
        for (Index i = 0; i < training; ++i) *to++ = from[order[i]];
      }
    return status;
  }
  Path path(const Grid<T>& grid) const {
    KernelProblem<T> without = problem;
    without.design = {m.values, training, training * problem.kernels};
    without.labels = {m.labels, training};
    return Path(without, grid);
  }

  template <class Add>
  void measure(const Path& path, const Index*, Index, Index, Add add) const {
    const KernelCoefficients<T> model = path.model();
    const Index n = samples(), stride = model.stride(), classes = problem.classes;
    for (Index e = training; e < n; ++e) copy(model.intercepts, stride, row_of(m.score, e, stride));
    for (Index t = 0; t < problem.kernels; ++t)
      for (Index l = 0; l < training; ++l) {
        if (!model.uses(l, t)) continue;
        const T* coefficients = row_of(model.coefficients, t * training + l, stride);
        const T* values = problem.design.column(t * n + order[l]).values;
        for (Index e = training; e < n; ++e) {
          T* z = row_of(m.score, e, stride);
          for (Index k = 0; k < classes; ++k) z[k] += coefficients[k] * values[order[e]];
        }
      }
    for (Index e = training; e < n; ++e) {
      const T* z = row_of(m.score, e, stride);
      const Label y = problem.labels[order[e]];
      const bool right = (classes == 1 ? Index(z[0] > T(0)) : largest_score(z, classes)) == y;
      add(T(1), right ? T(0) : T(1), KernelLoss{classes}.value(z, classes, y, T(1)));
    }
  }

  Report<T> report(const Path* path, Status status) const {
    Report<T> out = CutFolds<T>::report(path, status);
    if (path && status == Status::invalid_data)
      out.column = out.column / training * samples() + order[out.column % training];
    return out;
  }

  Memory m{};
};

/// Solves the path for each fold without its samples, measures it on them, and chooses λ: see CrossValidationOf and
/// KernelFolds. All arguments are as for KernelPath. Features, and kernels with parameters from the samples, are
/// prepared beforehand, with all samples.
///
/// Memory: `requirement(…)`: with m training samples of a fold at most (most_training_samples), m²τ numbers for the
/// copies (n = 1000, five folds, three kernels, double: 15.4 MB), that of KernelAdmm for m samples, n rows of scores,
/// and 2·points·folds numbers. Cost: a path per fold, a copy of its matrices, and per point a product with the kept
/// coefficients.
template <class T>
class KernelCrossValidation : public CrossValidationOf<KernelFolds<T>> {
 public:
  KernelCrossValidation(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
                        const MixedNorm<T>& norm, const Options<T>& options, const Index* fold_of, Index folds,
                        const Grid<T>& grid)
      : CrossValidationOf<KernelFolds<T>>(
            KernelFolds<T>(KernelProblem<T>{design, labels, kernels, classes, norm, options}), fold_of,
            design.samples(), folds, grid) {}

  /// `shape` as for KernelAdmm, of all samples: features n·τ, and `training` of them outside of a fold at most.
  static constexpr Requirement requirement(Shape shape, Index training, Index folds, Index points) {
    return KernelFolds<T>::requirement(shape, training, folds, points);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
