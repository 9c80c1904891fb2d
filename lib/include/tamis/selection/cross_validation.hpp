#pragma once
/// Cross-validation of a λ path: folds are weights over one design, no sample is copied.

#include "../arena.hpp"
#include "../linalg/rows.hpp"
#include "folds.hpp"
#include "path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What the held-out samples say of one λ, means and standard errors over the folds, by weight of the held-out samples.
template <class T>
struct HeldOut {
  T lambda = 0;
  T error = 0;  ///< share of wrong predictions, of samples for which there are right and wrong ones; of a regression
                ///< the mean squared error
  T error_deviation = 0;
  T loss = 0;
  T loss_deviation = 0;
};

/// Which held-out measure chooses λ.
enum class Measure : std::uint8_t { error, loss };

/// The point of least mean among at(0), at(1), … of descending λ; of equal errors, that of the least held-out loss,
/// then that of the largest λ.
template <class At>
Index best(Index points, Measure measure, At at) {
  Index best = 0;
  auto least = at(0);
  for (Index l = 1; l < points; ++l) {
    const auto now = at(l);
    const bool fewer = measure == Measure::error && now.error < least.error;
    const bool as_few = measure == Measure::loss || now.error == least.error;
    if (fewer || (as_few && now.loss < least.loss)) {
      best = l;
      least = now;
    }
  }
  return best;
}

/// The point of the largest λ whose mean is within one standard error of the least.
template <class At>
Index one_standard_error(Index points, Measure measure, At at) {
  const Index least = best(points, measure, at);
  const auto low = at(least);
  const bool error = measure == Measure::error;
  for (Index l = 0; l < least; ++l) {
    const auto now = at(l);
    if (error ? now.error <= low.error + low.error_deviation : now.loss <= low.loss + low.loss_deviation) return l;
  }
  return least;
}

namespace detail {

/// Mean over the folds by their weight `held`, and its standard error √(Σ w (x − mean)² / (Σw (folds − 1))).
template <class T>
void summarise(const T* of_fold, const T* held, Index folds, T& mean, T& deviation) {
  Sum<T> total, sum, squares;
  for (Index f = 0; f < folds; ++f) {
    total.add(held[f]);
    sum.add(held[f] * of_fold[f]);
  }
  mean = sum.value() / total.value();
  for (Index f = 0; f < folds; ++f) squares.add(held[f] * (of_fold[f] - mean) * (of_fold[f] - mean));
  deviation = folds > 1 ? square_root(squares.value() / total.value() / T(folds - 1)) : T(0);
}

}  // namespace detail

/// What the samples that each fold holds out say of each λ.
template <class T>
struct FoldMeasures {
  T* held = nullptr;                    ///< weight of each fold
  T *error = nullptr, *loss = nullptr;  ///< points × folds
  Index folds = 0, points = 0;

  static constexpr FoldMeasures lay_out(Arena& arena, Index folds, Index points) {
    FoldMeasures m{};
    m.held = arena.take<T>(folds);
    for (T** table : {&m.error, &m.loss}) *table = arena.take<T>(detail::saturating_multiply(points, folds));
    m.folds = folds, m.points = points;
    return m;
  }

  /// Takes a fold that was solved elsewhere: folds may be solved side by side, each in an arena of its own.
  void take_fold(const FoldMeasures& other, Index fold) {
    held[fold] = other.held[fold];
    for (Index l = 0; l < points; ++l) {
      error[l * folds + fold] = other.error[l * folds + fold];
      loss[l * folds + fold] = other.loss[l * folds + fold];
    }
  }

  /// Means and standard errors, when all folds are there.
  HeldOut<T> at(Index point, T lambda) const {
    HeldOut<T> out;
    out.lambda = lambda;
    detail::summarise(error + point * folds, held, folds, out.error, out.error_deviation);
    detail::summarise(loss + point * folds, held, folds, out.loss, out.loss_deviation);
    return out;
  }
};

/// argmax z_k, the first of equals.
template <class T>
constexpr Index largest_score(const T* z, Index classes) {
  Index best = 0;
  for (Index k = 1; k < classes; ++k)
    if (z[k] > z[best]) best = k;
  return best;
}

/// The first sample whose fold is none of `folds`, nor no_fold; `samples` when there is none.
inline Index unknown_fold(const Index* fold_of, Index samples, Index folds) {
  Index i = 0;
  while (i < samples && (fold_of[i] < folds || fold_of[i] == no_fold)) ++i;
  return i;
}

/// What a fold is, for CrossValidationOf:
///   T, Path                     the scalar, and the path of the samples that are not held out
///   check(fold_of, folds, points, bytes)      running, or a refusal before the memory is touched
///   lay_out(arena)              takes its memory
///   weight(sample)              of a sample held out, in the means
///   leave_out(fold_of, fold)    running, or a refusal: what is trained next is the problem without the samples of it
///   path(grid)                  of that, not started
///   measure(path, fold_of, fold, point, add)  add(weight, error, loss) of every sample held out
///   report(path, status)        of the path, or of a refusal; path is null before there is one
template <class Folds>
class CrossValidationOf {
 public:
  using T = typename Folds::T;

  /// `fold_of` says for each sample in which of `folds` folds it is held out, or no_fold (deal_folds, deal_groups). The
  /// grid must not be open: all folds share it; that of the path on all samples is the usual one. Equal λs mean the
  /// same for all folds and the full fit: the loss is a mean.
  CrossValidationOf(const Folds& of, const Index* fold_of, Index samples, Index folds, const Grid<T>& grid)
      : of_(of), fold_of_(fold_of), samples_(samples), folds_(folds), grid_(grid) {}
  CrossValidationOf(const CrossValidationOf&) = delete;
  CrossValidationOf& operator=(const CrossValidationOf&) = delete;
  ~CrossValidationOf() { clear(); }

  static constexpr Requirement requirement(Index folds, Index points, Requirement of_folds, Requirement path) {
    return count_bytes<FoldMeasures<T>>(folds, points) & of_folds & path;
  }

  /// Begins with the first fold. False: refused, as `invalid_option` where no sample of positive weight is held out.
  /// `missing_class` names a class (report().column) that the samples
  /// outside fold() do not have.
  bool start(std::span<std::byte> memory) { return start_folds(memory, 0, folds_); }
  /// With this fold alone, in the memory of all: measures() of folds that are solved apart, put together by take_fold,
  /// are those of one run, to the bit.
  bool start(std::span<std::byte> memory, Index fold) { return start_folds(memory, fold, fold + 1); }

  /// One step of a solver; false when all folds are done, or the run has ended otherwise.
  bool step() {
    if (!running()) return false;
    path().step();
    return advance_fold();
  }

  void stop() {
    if (running()) status_ = Status::stopped;
  }

  bool running() const { return status_ == Status::running; }
  Status status() const { return status_; }
  /// The fold at hand, or that of a refusal, and the points done in it.
  Index fold() const { return fold_; }
  Index points_done() const { return made_ ? path().points() : 0; }
  bool has_solver() const { return made_ && path().has_solver(); }
  /// The λ at hand, while it runs.
  T lambda() const { return path().lambda(); }
  /// Of the solver of the fold, or of a refusal: rows are then those of all samples.
  Report<T> report() const { return of_.report(has_solver() ? &path() : nullptr, status_); }

  /// Points that all folds have reached, and what they say, means over the held-out samples. Only after a complete run.
  Index points() const { return own_.held ? grid_.points : 0; }
  HeldOut<T> at(Index point) const { return own_.at(point, grid_.at(point)); }
  /// What at() says, fold by fold.
  const FoldMeasures<T>& measures() const { return own_; }

  /// As the functions of the same names. Only after a complete run.
  Index best(Measure measure = Measure::error) const {
    return tamis::best(points(), measure, [this](Index point) { return at(point); });
  }
  Index one_standard_error(Measure measure = Measure::error) const {
    return tamis::one_standard_error(points(), measure, [this](Index point) { return at(point); });
  }

 protected:
  Folds of_;

 private:
  using FoldPath = typename Folds::Path;

  FoldPath& path() const { return *std::launder(reinterpret_cast<FoldPath*>(storage_)); }
  void clear() {
    if (made_) path().~FoldPath();
    made_ = false;
  }
  bool end(Status status) {
    status_ = status;
    return false;
  }

  bool start_folds(std::span<std::byte> memory, Index first, Index past) {
    clear();
    fold_ = first;
    past_ = past;
    status_ = Status::running;
    if (!Arena::aligned(memory)) return end(Status::invalid_arena);
    if (grid_.open() || !grid_.valid()) return end(Status::invalid_lambda);
    if (fold_ >= folds_) return end(Status::invalid_option);
    const Status refusal = of_.check(fold_of_, folds_, grid_.points, memory.size());
    if (refusal != Status::running) return end(refusal);
    Arena arena(memory);
    own_ = FoldMeasures<T>::lay_out(arena, folds_, grid_.points);
    of_.lay_out(arena);
    if (arena.exhausted()) return end(Status::arena_too_small);
    rest_ = memory.subspan(arena.used());
    for (Index f = 0; f < folds_; ++f) own_.held[f] = T(0);
    T total = T(0);
    for (Index i = 0; i < samples_; ++i) {
      if (fold_of_[i] == no_fold) continue;
      own_.held[fold_of_[i]] += of_.weight(i);
      total += of_.weight(i);
    }
    if (total == T(0)) return end(Status::invalid_option);  // nothing to measure
    return start_fold();
  }

  bool start_fold() {
    clear();
    const Status refusal = of_.leave_out(fold_of_, fold_);
    if (refusal != Status::running) return end(refusal);
    ::new (static_cast<void*>(storage_)) FoldPath(of_.path(grid_));
    made_ = true;
    path().start(rest_);
    return advance_fold();
  }

  /// Measures a new point, and goes on to the next fold after the last one.
  bool advance_fold() {
    if (path().at_point()) measure(path().points() - 1);
    if (path().running()) return true;
    if (path().status() != Status::converged || fold_ + 1 == past_) return end(path().status());
    ++fold_;
    return start_fold();
  }

  [[gnu::noinline]] void measure(Index point) {
    Sum<T> errors, losses;
    of_.measure(path(), fold_of_, fold_, point, [&](T weight, T error, T loss) {
      if (error != T(0)) errors.add(weight * error);
      losses.add(weight * loss);
    });
    const T held = own_.held[fold_] > T(0) ? own_.held[fold_] : T(1);
    own_.error[point * folds_ + fold_] = errors.value() / held;
    own_.loss[point * folds_ + fold_] = losses.value() / held;
  }

  const Index* fold_of_;
  Index samples_;
  Index folds_;
  Grid<T> grid_;
  FoldMeasures<T> own_{};
  std::span<std::byte> rest_{};
  alignas(FoldPath) mutable std::byte storage_[sizeof(FoldPath)];
  bool made_ = false;
  Index fold_ = 0, past_ = 0;  ///< the fold at hand, and the one after the last
  Status status_ = Status::running;
};

/// Folds that are weights over one design: those of the samples held out are zero, no sample is copied.
template <class Scalar, class Make, class Design, class Loss>
struct WeightFolds {
  using T = Scalar;
  using Path = tamis::Path<T, Make>;

  Make make;
  const Design& design;
  Targets<T> targets;
  Loss loss;
  T* kept_scores = nullptr;

  struct Memory {
    T* weight;    ///< of the samples, zero in the fold at hand
    T* score;     ///< samples × stride
    Index* kept;  ///< features

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      m.weight = arena.take<T>(shape.samples);
      m.score = arena.take<T>(detail::saturating_multiply(shape.samples, padded<T>(shape.classes)));
      m.kept = arena.take<Index>(shape.features);
      return m;
    }
  };

  Status check(const Index* fold_of, Index folds, Index, std::size_t) const {
    return unknown_fold(fold_of, targets.samples(), folds) < targets.samples() ? Status::invalid_option
                                                                               : Status::running;
  }
  void lay_out(Arena& arena) { m = Memory::lay_out(arena, {targets.samples(), design.features(), targets.classes}); }
  bool counts(Index i) const { return has_pairs(loss, targets.labels[i], targets.classes); }
  T weight(Index i) const { return counts(i) ? targets.raw_weight(i) : T(0); }

  Status leave_out(const Index* fold_of, Index fold) {
    for (Index i = 0; i < targets.samples(); ++i) m.weight[i] = fold_of[i] == fold ? T(0) : targets.raw_weight(i);
    return Status::running;
  }
  Path path(const Grid<T>& grid) const {
    Targets<T> without = targets;
    without.weights = m.weight;
    return Path(make, design.features(), without, grid);
  }

  template <class Add>
  void measure(const Path& path, const Index* fold_of, Index fold, Index point, Add add) const {
    const auto model = path.model();
    const Index samples = targets.samples(), stride = padded<T>(targets.classes);
    Index count = 0;
    for (Index j = 0; j < model.features; ++j)
      if (model.uses(j)) m.kept[count++] = j;
    design.multiply(m.kept, count, model.coefficients, stride, row_of(model.coefficients, model.features, stride),
                    m.score);
    if (kept_scores)
      for (Index i = 0; i < samples; ++i)
        if (fold_of[i] == fold)
          copy(row_of(m.score, i, stride), stride,
               row_of(kept_scores + std::size_t(point) * samples * stride, i, stride));
    for (Index i = 0; i < samples; ++i) {
      const T weight = targets.raw_weight(i);
      if (fold_of[i] != fold || !(weight > T(0)) || !counts(i)) continue;
      const T* z = row_of(m.score, i, stride);
      add(weight, is_right(loss, largest_score(z, targets.classes), targets.labels[i]) ? T(0) : T(1),
          loss.value(z, targets.classes, targets.labels[i], targets.margin(i)));
    }
  }

  static Report<T> report(const Path* path, Status) { return path ? path->report() : Report<T>{}; }

  Memory m{};
};

/// Solves the path for each fold without its samples (their weights are zero), measures it on them, and chooses λ: see
/// CrossValidationOf. With `make` as for Path; `loss` and `margin` (see Options) as in training. Features are scaled
/// beforehand, with all samples.
///
/// Memory: `requirement(…)`: that of a path, and n(K + 1) + p + 2·points·folds + folds numbers. Cost: a path per
/// fold, and a product with the kept features per point.
template <class T, class Make, class Design, class Loss>
class CrossValidation : public CrossValidationOf<WeightFolds<T, Make, Design, Loss>> {
  using Folds = WeightFolds<T, Make, Design, Loss>;
  using Base = CrossValidationOf<Folds>;

 public:
  CrossValidation(const Make& make, const Design& design, const Targets<T>& targets, const Loss& loss,
                  const Index* fold_of, Index folds, const Grid<T>& grid, T margin = not_a_number<T>)
      : Base(Folds{make, design, targets, loss}, fold_of, targets.samples(), folds, grid) {
    this->of_.targets.common_margin = margin_for_all(Options<T>{.margin = margin}, loss);
  }

  static constexpr Requirement requirement(Shape shape, Index folds, Index points, Requirement solver) {
    return Base::requirement(folds, points, count_bytes<typename Folds::Memory>(shape),
                             Folds::Path::requirement(shape, solver));
  }

  /// Before the start: what the model of point l that has not seen sample i says of it will be in row i of the matrix l
  /// of `scores`, points × samples × padded<T>(classes) numbers of the caller; for calibrate(), say. Rows of samples
  /// that are never held out, and points that no fold reaches, stay as they are.
  void keep_scores(T* scores) { this->of_.kept_scores = scores; }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
