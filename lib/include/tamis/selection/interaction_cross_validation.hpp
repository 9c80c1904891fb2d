#pragma once
/// Cross-validation and hold-out validation of λ with interactions.

#include "cut_folds.hpp"
#include "interaction_path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Folds of a problem with interactions, trained on copies of their rows. What is held out of a regression has the
/// squared error (y − z)², and half of that for its loss.
template <class Scalar>
struct InteractionFolds : CutFolds<Scalar> {
  using T = Scalar;
  using Path = tamis::Path<T, InteractionProblem<T>>;
  using CutFolds<T>::order, CutFolds<T>::training;

  InteractionProblem<T> problem;

  struct Memory {
    T* values;      ///< features of the samples at hand, by columns
    T* targets;     ///< of these
    T* sample;      ///< features of one that is held out
    T* score;       ///< of it
    Index* order;   ///< samples
    Label* labels;  ///< of the samples at hand

    static constexpr Memory lay_out(Arena& arena, Shape shape, Index training) {
      Memory m{};
      m.values = arena.take<T>(detail::saturating_multiply(training, shape.features));
      m.targets = arena.take<T>(training);
      m.sample = arena.take<T>(shape.features);
      m.score = arena.take<T>(shape.classes);
      m.order = arena.take<Index>(shape.samples);
      m.labels = arena.take<Label>(training);
      return m;
    }
  };

  explicit InteractionFolds(const InteractionProblem<T>& of) : problem(of) {}

  static constexpr Requirement requirement(Shape shape, Index most, Index folds, Index points) {
    return CrossValidationOf<InteractionFolds>::requirement(
        folds, points, count_bytes<Memory>(shape, most),
        InteractionAdmm<T>::requirement({most, shape.features, shape.classes}));
  }

  bool regression() const { return problem.targets.values != nullptr; }
  Index samples() const { return problem.design.samples(); }
  Shape shape() const { return {samples(), problem.design.features(), problem.targets.classes}; }

  Status check(const Index* fold_of, Index folds, Index points, std::size_t bytes) {
    this->refusal = {};
    if (samples() == 0 || problem.design.features() == 0 || problem.targets.classes == 0 ||
        (!regression() && problem.targets.labels.size() != samples()))
      return this->refuse(Status::invalid_shape);
    Status status = this->check_folds(fold_of, samples(), folds);
    if (status == Status::running) status = this->check_labels(problem.targets.labels, problem.targets.classes);
    if (status == Status::running) status = this->check_memory(bytes, requirement(shape(), training, folds, points));
    return status;
  }
  void lay_out(Arena& arena) {
    m = Memory::lay_out(arena, shape(), training);
    order = m.order;
  }

  [[gnu::noinline]] Status leave_out(const Index* fold_of, Index fold) {
    this->take_fold(fold_of, samples(), fold);
    if (training == 0) return this->refuse(Status::invalid_shape);
    T* to = m.values;
    for (Index j = 0; j < problem.design.features(); ++j)
      for (Index l = 0; l < training; ++l) *to++ = problem.design(order[l], j);
    if (!regression()) return this->take_labels(problem.targets.labels, problem.targets.classes, m.labels);
    for (Index l = 0; l < training; ++l) m.targets[l] = problem.targets.values[order[l]];
    return Status::running;
  }
  Path path(const Grid<T>& grid) const {
    InteractionProblem<T> without = problem;
    without.design = {m.values, training, problem.design.features()};
    if (regression()) without.targets.values = m.targets;
    else without.targets.labels = {m.labels, training};
    return Path(without, grid);
  }

  template <class Add>
  void measure(const Path& path, const Index*, Index, Index, Add add) const {
    const InteractionModel<T> model = path.model();
    for (Index e = training; e < samples(); ++e) {
      for (Index j = 0; j < model.features; ++j) m.sample[j] = problem.design(order[e], j);
      for (Index k = 0; k < model.outputs; ++k) m.score[k] = model.score(m.sample, 1, k);
      if (regression()) {
        const T residual = problem.targets.values[order[e]] - m.score[0];
        add(T(1), residual * residual, residual * residual / T(2));
        continue;
      }
      const Label y = problem.targets.labels[order[e]];
      add(T(1), largest_score(m.score, model.outputs) != y ? T(1) : T(0),
          problem.targets.loss.value(m.score, model.outputs, y, T(1)));
    }
  }

  Memory m{};
};

/// Solves the path for each fold without its samples, measures it on them, and chooses λ: see CrossValidationOf and
/// InteractionFolds. One fold is hold-out validation. Features are scaled beforehand, with all samples.
///
/// Memory: `requirement(…)`: with m training samples of a fold at most (most_training_samples), that of InteractionAdmm
/// for them, a copy of them, and 2·points·folds numbers. Cost: a path per fold, and per point features² products for
/// every sample held out.
template <class T>
class InteractionCrossValidation : public CrossValidationOf<InteractionFolds<T>> {
 public:
  InteractionCrossValidation(const InteractionProblem<T>& problem, const Index* fold_of, Index folds,
                             const Grid<T>& grid)
      : CrossValidationOf<InteractionFolds<T>>(InteractionFolds<T>(problem), fold_of, problem.design.samples(), folds,
                                               grid) {}

  /// `shape` as for InteractionAdmm, of all samples, `training` of them outside of a fold at most.
  static constexpr Requirement requirement(Shape shape, Index training, Index folds, Index points) {
    return InteractionFolds<T>::requirement(shape, training, folds, points);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
