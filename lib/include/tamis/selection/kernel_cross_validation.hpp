#pragma once
/// Cross-validation of λ with several kernels: a fold trains on the kernels' values of its own samples alone.

#include "cross_validation.hpp"
#include "kernel_path.hpp"

namespace tamis {

/// The most samples that are outside a fold.
inline Index most_training_samples(std::span<const Index> fold_of, Index folds) {
  Index most = 0;
  for (Index f = 0; f < folds; ++f) {
    Index outside = 0;
    for (const Index fold : fold_of) outside += fold != f;
    most = largest(most, outside);
  }
  return most;
}

/// Solves the path for each fold without its samples, measures it on them, and chooses λ. f(x) of a fold compares with
/// the fold's training samples alone: it trains on rows and columns K_t[l, i] of these, which are copied once, and is
/// measured by K_t[l, i] of training samples l and held-out samples i. All other arguments are as for KernelPath; the
/// grid must not be open: all folds share it; that of the path on all samples is the usual one. Features, and kernels
/// with parameters from the samples, are prepared beforehand, with all samples.
///
/// `fold_of` says for each sample in which of `folds` folds it is held out, or no_fold (deal_folds, deal_groups). Equal
/// λs mean the same for all folds and the full fit: the loss is a mean.
///
/// Memory: `requirement(…)`: with m training samples of a fold at most (most_training_samples), m²τ numbers for the
/// copies (n = 1000, five folds, three kernels, double: 15.4 MB), that of KernelAdmm for m samples, n rows of scores,
/// and 2·points·folds numbers. Cost: a path per fold, a copy of its matrices, and per point a product with the kept
/// coefficients.
template <class T>
class KernelCrossValidation {
 public:
  KernelCrossValidation(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
                        const MixedNorm<T>& norm, const Options<T>& options, const Index* fold_of, Index folds,
                        const Grid<T>& grid)
      : design_(design),
        labels_(labels),
        kernels_(kernels),
        classes_(classes),
        norm_(norm),
        options_(options),
        fold_of_(fold_of),
        folds_(folds),
        grid_(grid),
        path_(design, labels, kernels, classes, norm, options, grid) {}

  /// `shape` as for KernelAdmm, of all samples: features n·τ, and `training` of them outside of a fold at most.
  static constexpr Requirement requirement(Shape shape, Index training, Index folds, Index points) {
    const Index kernels = shape.samples > 0 ? shape.features / shape.samples : 0;
    return count_bytes<Memory>(shape, kernels, training, folds, points) &
           KernelPath<T>::requirement({training, training * kernels, shape.classes});
  }

  /// Begins with the first fold. False: refused. `missing_class` names a class (report().column) that the samples
  /// outside fold() do not have.
  bool start(std::span<std::byte> memory) {
    const Shape shape{design_.samples(), design_.features(), classes_};
    fold_ = 0;
    refusal_ = {};
    status_ = Status::running;
    if (!Arena::aligned(memory)) return end(Status::invalid_arena);
    if (grid_.open() || !grid_.valid()) return end(Status::invalid_lambda);
    if (shape.samples == 0 || kernels_ == 0 || classes_ == 0 || labels_.size() != shape.samples ||
        shape.features != detail::saturating_multiply(shape.samples, kernels_))
      return end(Status::invalid_shape);
    if (folds_ == 0) return end(Status::invalid_option);
    for (Index i = 0; i < shape.samples; ++i) {
      refusal_.row = i;
      if (fold_of_[i] >= folds_ && fold_of_[i] != no_fold) return end(Status::invalid_option);
      if (labels_[i] >= labels()) return end(Status::invalid_label);
    }
    refusal_.row = 0;
    const Index training = most_training_samples({fold_of_, shape.samples}, folds_);
    refusal_.arena_bytes = requirement(shape, training, folds_, grid_.points).bytes;
    if (memory.size() < refusal_.arena_bytes) return end(Status::arena_too_small);
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape, kernels_, training, folds_, grid_.points);
    rest_ = memory.subspan(arena.used());
    for (Index f = 0; f < folds_; ++f) {
      own_.held[f] = T(0);
      for (Index i = 0; i < shape.samples; ++i) own_.held[f] += T(fold_of_[i] == f);
    }
    return start_fold();
  }

  /// One step of a solver; false when all folds are done, or the run has ended otherwise.
  bool step() {
    if (!running()) return false;
    path_.step();
    return digest();
  }

  void stop() {
    if (running()) status_ = Status::stopped;
  }

  bool running() const { return status_ == Status::running; }
  Status status() const { return status_; }
  /// The fold at hand, or that of a refusal, and the points done in it.
  Index fold() const { return fold_; }
  Index points_done() const { return path_.points(); }
  /// Of the solver of the fold, or of a refusal: rows are then those of all samples.
  const Report<T>& report() const { return has_model(status_) ? path_.report() : refusal_; }

  /// Points that all folds have reached, and what they say, means over the held-out samples. Only after a complete run.
  Index points() const { return grid_.points; }
  HeldOut<T> at(Index point) const {
    HeldOut<T> out;
    out.lambda = grid_.at(point);
    detail::summarise(own_.wrong + point * folds_, own_.held, folds_, out.error, out.error_deviation);
    detail::summarise(own_.loss + point * folds_, own_.held, folds_, out.loss, out.loss_deviation);
    return out;
  }
  Index best(Measure measure = Measure::error) const {
    return tamis::best(points(), measure, [this](Index point) { return at(point); });
  }
  Index one_standard_error(Measure measure = Measure::error) const {
    return tamis::one_standard_error(points(), measure, [this](Index point) { return at(point); });
  }

 private:
  struct Memory {
    T* values;        ///< the kernels' matrices of the samples at hand
    T* score;         ///< samples × outputs, of those held out
    T* held;          ///< samples of each fold
    T *wrong, *loss;  ///< points × folds
    Index* order;     ///< samples: those at hand, then those held out
    Label* labels;    ///< of the samples at hand

    static constexpr Memory lay_out(Arena& arena, Shape shape, Index kernels, Index training, Index folds,
                                    Index points) {
      using detail::saturating_multiply;
      Memory m{};
      m.values = arena.take<T>(saturating_multiply(saturating_multiply(training, training), kernels));
      m.score = arena.take<T>(saturating_multiply(shape.samples, padded<T>(shape.classes)));
      m.held = arena.take<T>(folds);
      for (T** table : {&m.wrong, &m.loss}) *table = arena.take<T>(saturating_multiply(points, folds));
      m.order = arena.take<Index>(shape.samples);
      m.labels = arena.take<Label>(training);
      return m;
    }
  };

  bool binary() const { return classes_ == 1; }
  Index labels() const { return largest(classes_, Index(2)); }
  bool end(Status status) {
    status_ = refusal_.status = status;
    return false;
  }

  [[gnu::noinline]] bool start_fold() {
    const Index n = design_.samples();
    Index held = 0;
    training_ = 0;
    for (Index i = 0; i < n; ++i) {
      if (fold_of_[i] == fold_) {
        own_.order[n - ++held] = i;
        continue;
      }
      own_.labels[training_] = labels_[i];
      own_.order[training_++] = i;
    }
    for (Index k = 0; k < labels(); ++k) {
      bool there = false;
      for (Index l = 0; l < training_ && !there; ++l) there = own_.labels[l] == k;
      refusal_.column = k;
      if (!there) return end(Status::missing_class);
    }
    refusal_.column = 0;
    T* to = own_.values;
    for (Index t = 0; t < kernels_; ++t)
      for (Index l = 0; l < training_; ++l) {
        const T* from = design_.column(t * n + own_.order[l]).values;
        for (Index i = 0; i < training_; ++i) *to++ = from[own_.order[i]];
      }
    path_ = KernelPath<T>({own_.values, training_, training_ * kernels_}, {own_.labels, training_}, kernels_, classes_,
                          norm_, options_, grid_);
    path_.start(rest_);
    return digest();
  }

  /// Measures a new point, and goes on to the next fold after the last one.
  bool digest() {
    if (path_.at_point()) measure(path_.points() - 1);
    if (path_.running()) return true;
    if (path_.status() != Status::converged) {
      const std::size_t bytes = refusal_.arena_bytes;
      refusal_ = path_.report();
      refusal_.arena_bytes = bytes;
      if (path_.status() == Status::invalid_data) {
        const Index column = refusal_.column;
        refusal_.row = own_.order[refusal_.row];
        refusal_.column = column / training_ * design_.samples() + own_.order[column % training_];
      }
      return end(path_.status());
    }
    if (fold_ + 1 == folds_) {
      status_ = Status::converged;
      return false;
    }
    ++fold_;
    return start_fold();
  }

  [[gnu::noinline]] void measure(Index point) {
    const KernelCoefficients<T> model = path_.model();
    const Index n = design_.samples(), stride = model.stride();
    for (Index e = training_; e < n; ++e) copy(model.intercepts, stride, row_of(own_.score, e, stride));
    for (Index t = 0; t < kernels_; ++t)
      for (Index l = 0; l < training_; ++l) {
        if (!model.uses(l, t)) continue;
        const T* coefficients = row_of(model.coefficients, t * training_ + l, stride);
        const T* values = design_.column(t * n + own_.order[l]).values;
        for (Index e = training_; e < n; ++e) {
          T* z = row_of(own_.score, e, stride);
          for (Index k = 0; k < classes_; ++k) z[k] += coefficients[k] * values[own_.order[e]];
        }
      }
    Index wrong = 0;
    Sum<T> loss;
    for (Index e = training_; e < n; ++e) {
      const T* z = row_of(own_.score, e, stride);
      const Label y = labels_[own_.order[e]];
      if (binary()) {
        const T violation = largest(T(1) - (y == 1 ? z[0] : -z[0]), T(0));
        wrong += (z[0] > T(0)) != (y == 1);
        loss.add(violation * violation);
        continue;
      }
      Index top = 0;
      for (Index k = 1; k < classes_; ++k)
        if (z[k] > z[top]) top = k;
      wrong += top != y;
      loss.add(SquaredHinge{}.value(z, classes_, y, T(1)));
    }
    const T held = largest(own_.held[fold_], T(1));
    own_.wrong[point * folds_ + fold_] = T(wrong) / held;
    own_.loss[point * folds_ + fold_] = loss.value() / held;
  }

  DenseDesign<T> design_;
  std::span<const Label> labels_;
  Index kernels_, classes_;
  MixedNorm<T> norm_;
  Options<T> options_;
  const Index* fold_of_;
  Index folds_;
  Grid<T> grid_;
  KernelPath<T> path_;
  Memory own_{};
  std::span<std::byte> rest_{};
  Report<T> refusal_{};
  Index fold_ = 0;
  Index training_ = 0;
  Status status_ = Status::running;
};

}  // namespace tamis
