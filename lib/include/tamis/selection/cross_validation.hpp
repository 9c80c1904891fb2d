#pragma once
/// Cross-validation of a λ path: folds are weights over one design, no sample is copied.

#include "../arena.hpp"
#include "../linalg/rows.hpp"
#include "folds.hpp"
#include "path.hpp"

namespace tamis {

/// What the held-out samples say of one λ, means and standard errors over the folds, by weight of the held-out samples.
template <class T>
struct HeldOut {
  T lambda = 0;
  T error = 0;  ///< share of wrong predictions, of samples for which there are right and wrong ones
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

/// Solves the path for each fold without its samples (their weights are zero), measures it on them, and chooses λ. The
/// grid must not be open: all folds share it; that of the path on all samples is the usual one. With `make` as for
/// Path; `loss` and `margin` (see Options) as in training. Features are scaled beforehand, with all samples.
///
/// Memory: `requirement(…)`: that of a path, and n(K + 1) + p + 2·points·folds + folds numbers. Cost: a path per
/// fold, and a product with the kept features per point.
template <class T, class Make, class Design, class Loss>
class CrossValidation {
 public:
  CrossValidation(const Make& make, const Design& design, const Targets<T>& targets, const Loss& loss,
                  const Index* fold_of, Index folds, const Grid<T>& grid, T margin = not_a_number<T>)
      : make_(make), design_(design), targets_(targets), loss_(loss), fold_of_(fold_of), folds_(folds), grid_(grid) {
    targets_.common_margin = margin_for_all(Options<T>{.margin = margin}, loss);
  }
  CrossValidation(const CrossValidation&) = delete;
  CrossValidation& operator=(const CrossValidation&) = delete;
  ~CrossValidation() { clear(); }

  static constexpr Requirement requirement(Shape shape, Index folds, Index points, Requirement solver) {
    Arena counter;
    (void)Memory::lay_out(counter, shape, folds, points);
    return Requirement{counter.used()} & Folds::requirement(shape, solver);
  }

  /// Before the start: what the model of point l that has not seen sample i says of it will be in row i of the matrix l
  /// of `scores`, points × samples × padded<T>(classes) numbers of the caller; for calibrate(), say. Rows of samples
  /// that are never held out, and points that no fold reaches, stay as they are.
  void keep_scores(T* scores) { kept_scores_ = scores; }

  /// Begins with the first fold. False: refused. `missing_class` names a class (report().column) that the samples
  /// outside fold() do not have.
  bool start(std::span<std::byte> memory) {
    const Shape shape{targets_.samples(), design_.features(), targets_.classes};
    if (!Arena::aligned(memory)) return end(Status::invalid_arena);
    if (grid_.open() || !grid_.valid()) return end(Status::invalid_lambda);
    if (folds_ == 0) return end(Status::invalid_option);
    for (Index i = 0; i < shape.samples; ++i)
      if (fold_of_[i] >= folds_ && fold_of_[i] != no_fold) return end(Status::invalid_option);
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape, folds_, grid_.points);
    if (arena.exhausted()) return end(Status::arena_too_small);
    rest_ = memory.subspan(arena.used());
    stride_ = padded<T>(shape.classes);
    points_ = grid_.points;
    for (Index f = 0; f < folds_; ++f) own_.held[f] = T(0);
    for (Index i = 0; i < shape.samples; ++i)
      if (fold_of_[i] != no_fold && has_pairs(loss_, targets_.labels[i], targets_.classes))
        own_.held[fold_of_[i]] += targets_.raw_weight(i);
    status_ = Status::running;
    fold_ = 0;
    return start_fold();
  }

  /// One step of a solver; false when all folds are done, or the run has ended otherwise.
  bool step() {
    if (!running()) return false;
    path().step();
    return digest();
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
  Report<T> report() const { return has_solver() ? path().report() : Report<T>{}; }

  /// Points that all folds have reached.
  Index points() const { return points_; }
  HeldOut<T> at(Index point) const {
    HeldOut<T> out;
    out.lambda = grid_.at(point);
    detail::summarise(own_.wrong + point * folds_, own_.held, folds_, out.error, out.error_deviation);
    detail::summarise(own_.loss + point * folds_, own_.held, folds_, out.loss, out.loss_deviation);
    return out;
  }

  /// As the functions of the same names. Only after a complete run.
  Index best(Measure measure = Measure::error) const {
    return tamis::best(points_, measure, [this](Index point) { return at(point); });
  }
  Index one_standard_error(Measure measure = Measure::error) const {
    return tamis::one_standard_error(points_, measure, [this](Index point) { return at(point); });
  }

 private:
  using Folds = Path<T, Make>;

  struct Memory {
    T* weight;  ///< of the samples, zero in the fold at hand
    T* held;    ///< weight of each fold
    T* score;   ///< samples × stride
    T* wrong;   ///< points × folds
    T* loss;
    Index* kept;  ///< features

    static constexpr Memory lay_out(Arena& arena, Shape shape, Index folds, Index points) {
      Memory m{};
      const std::size_t table = detail::saturating_multiply(points, folds);
      m.weight = arena.take<T>(shape.samples);
      m.held = arena.take<T>(folds);
      m.score = arena.take<T>(detail::saturating_multiply(shape.samples, padded<T>(shape.classes)));
      m.wrong = arena.take<T>(table);
      m.loss = arena.take<T>(table);
      m.kept = arena.take<Index>(shape.features);
      return m;
    }
  };

  Folds& path() const { return *std::launder(reinterpret_cast<Folds*>(storage_)); }
  void clear() {
    if (made_) path().~Folds();
    made_ = false;
  }
  bool end(Status status) {
    status_ = status;
    return false;
  }

  bool start_fold() {
    clear();
    for (Index i = 0; i < targets_.samples(); ++i)
      own_.weight[i] = fold_of_[i] == fold_ ? T(0) : targets_.raw_weight(i);
    Targets<T> targets = targets_;
    targets.weights = own_.weight;
    ::new (static_cast<void*>(storage_)) Folds(make_, design_.features(), targets, grid_);
    made_ = true;
    path().start(rest_);
    return digest();
  }

  /// Measures a new point, and goes on to the next fold after the last one.
  bool digest() {
    if (path().at_point()) measure(path().points() - 1);
    if (path().running()) return true;
    if (path().status() != Status::converged) return end(path().status());
    if (fold_ + 1 == folds_) return end(Status::converged);
    ++fold_;
    return start_fold();
  }

  [[gnu::noinline]] void measure(Index point) {
    const auto model = path().model();
    Index count = 0;
    for (Index j = 0; j < model.features; ++j)
      if (model.uses(j)) own_.kept[count++] = j;
    design_.multiply(own_.kept, count, model.coefficients, stride_, row_of(model.coefficients, model.features, stride_),
                     own_.score);
    if (kept_scores_)
      for (Index i = 0; i < targets_.samples(); ++i)
        if (fold_of_[i] == fold_)
          copy(row_of(own_.score, i, stride_), stride_,
               row_of(kept_scores_ + std::size_t(point) * targets_.samples() * stride_, i, stride_));
    Sum<T> wrong, loss;
    for (Index i = 0; i < targets_.samples(); ++i) {
      const T weight = targets_.raw_weight(i);
      if (fold_of_[i] != fold_ || !(weight > T(0)) || !has_pairs(loss_, targets_.labels[i], targets_.classes)) continue;
      const T* z = row_of(own_.score, i, stride_);
      Index best = 0;
      for (Index k = 1; k < targets_.classes; ++k)
        if (z[k] > z[best]) best = k;
      if (!is_right(loss_, best, targets_.labels[i])) wrong.add(weight);
      loss.add(weight * loss_.value(z, targets_.classes, targets_.labels[i], targets_.margin(i)));
    }
    const T held = own_.held[fold_] > T(0) ? own_.held[fold_] : T(1);
    own_.wrong[point * folds_ + fold_] = wrong.value() / held;
    own_.loss[point * folds_ + fold_] = loss.value() / held;
  }

  Make make_;
  const Design& design_;
  Targets<T> targets_;
  Loss loss_;
  const Index* fold_of_;
  Index folds_;
  Grid<T> grid_;
  T* kept_scores_ = nullptr;
  Memory own_{};
  std::span<std::byte> rest_{};
  alignas(Folds) mutable std::byte storage_[sizeof(Folds)];
  bool made_ = false;
  Index fold_ = 0;
  Index stride_ = 0;
  Index points_ = 0;
  Status status_ = Status::running;
};

}  // namespace tamis
