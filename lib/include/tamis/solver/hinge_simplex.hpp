#pragma once
/// The simplex method for the exact hinge with ℓ1: exact solutions, one after the other along a path.

#include <algorithm>

#include "../arena.hpp"
#include "../design/column.hpp"
#include "../linalg/rows.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What the simplex method asks of its problem: a dense design whose columns lie in memory.
template <class Design>
struct HingeProblem {
  const Design& design;
  const Targets<double>& targets;
  Shape shape;
  double l1;  ///< the weight of the penalty: λ
  bool intercept;
};

/// Minimises (1/Σw) Σ wᵢ maxₖ (sᵢₖ − sᵢᵧ) + λ Σ |w_jk|, s = XW + b + μ[k ≠ y], over its vertices.
///
/// At a vertex as many coefficients are not zero (or intercepts: the *basis*) as there are ties: pairs of a sample and
/// a class that is as high as the sample's highest one, its key. With M the rows of the ties, xᵢ ⊗ (e_k − e_key), over
/// the basis, Mᵀα = −(gradient of the loss by the keys + λ signs) are the duals of the ties, and what a sample's weight
/// has beyond them is that of its key. The vertex is optimal where no dual is negative and no coefficient outside the
/// basis has a gradient beyond λ. Otherwise a `pivot` lets the tie or the coefficient go for which the objective falls
/// most beside the length of the step, and goes on over the kinks of samples and coefficients, which change sides, as
/// long as it falls (Barrodale and Roberts 1973, for regression). The optimum at one λ is a vertex at the next, few
/// pivots away.
///
/// Columns are about a centre, and of size one, which single values far from all others do not change; margins differ
/// by 1e-6 of a margin, so that vertices are not degenerate. In float a vertex has too few digits. Memory: 4n + 2nK +
/// 4pK + 2p numbers, and d² + dp for a basis of d. Cost of a pivot: nd + nK + 3d² products, and every hundred the
/// inverse of M anew.
class HingeSimplex {
 public:
  enum class Outcome : std::uint8_t { moved, optimal, failed };

  /// Memory for a basis of up to `most` coefficients.
  [[gnu::noinline]] void take(Arena& arena, Shape shape, Index most) {
    const std::size_t scores = detail::saturating_multiply(shape.samples, shape.classes);
    const std::size_t coefficients = (std::size_t(shape.features) + 1) * shape.classes;
    limit_ = most;
    for (double** m : {&s_, &ds_}) *m = arena.take<double>(scores);
    for (double** m : {&w_, &base_, &g_}) *m = arena.take<double>(coefficients);
    for (double** v : {&level_, &rate_, &rise_, &best_}) *v = arena.take<double>(shape.samples);
    for (double** v : {&scale_, &centre_}) *v = arena.take<double>(shape.features);
    inverse_ = arena.take<double>(detail::saturating_multiply(most, most));
    rows_ = arena.take<double>(detail::saturating_multiply(most, std::size_t(shape.features) + 1));
    for (double** v : {&alpha_, &move_, &entering_, &reduced_}) *v = arena.take<double>(most);
    kinks_ = arena.take<Kink>(detail::saturating_add(shape.samples, most));
    for (Index** v : {&key_, &ties_of_, &next_class_}) *v = arena.take<Index>(shape.samples);
    for (Index** v : {&sample_, &class_, &feature_, &output_, &swapped_}) *v = arena.take<Index>(most);
    side_ = arena.take<std::int8_t>(coefficients);
  }
  /// The largest basis that fits in the rest of an arena; 0: none.
  static Index limit(Arena arena, Shape shape) {
    Index low = 0, high = 4096;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      Arena trial = arena;
      HingeSimplex{}.take(trial, shape, middle);
      (trial.exhausted() ? high : low) = middle;
    }
    return low;
  }

  /// The vertex without coefficients. False: the design has no columns that can be read where they lie.
  template <class Design>
  bool start(const HingeProblem<Design>& p) {
    n_ = p.shape.samples, p_ = p.shape.features, classes_ = p.shape.classes;
    size_ = 0;
    pivots_ = shifts_ = 0;
    for (Index j = 0; j < p_; ++j) {
      const Column<double> x = p.design.column(j);
      if (x.rows) return false;
      centre_[j] = 0;
      double size = spread(x, infinity<double>, p.intercept, centre_[j]);
      size = spread(x, 2 * size, p.intercept, centre_[j]);  // a value that is far from all others says nothing of them
      scale_[j] = size > 0 && finite(size) ? 1 / size : 0;
    }
    fill(w_, coefficients(), 0.0);
    for (std::size_t e = 0; e < coefficients(); ++e) side_[e] = 0;
    for (Index i = 0; i < n_; ++i) ties_of_[i] = 0;
    take_margins(p.targets);
    for (Index i = 0; i < n_; ++i) {
      key_[i] = 0;
      for (Index k = 1; k < classes_; ++k)
        if (score(i, k) > score(i, key_[i])) key_[i] = k;
    }
    take_base(p);
    return true;
  }

  /// To a better vertex, unless violations of optimality are below `accuracy` of λ and of the samples' weights.
  template <class Design>
  [[gnu::noinline]] Outcome pivot(const HingeProblem<Design>& p, double accuracy) {
    if (pivots_ >= most_pivots && !invert(p)) return Outcome::failed;
    take_duals(p);
    const Move move = choose(p, accuracy);
    if (move.rate == 0) return Outcome::optimal;
    ++pivots_;
    take_direction(p, move);
    const Stop stop = search(p, move);
    if (!stop.found) return Outcome::failed;
    advance(move, stop);
    return exchange(p, move, stop) ? Outcome::moved : Outcome::failed;
  }

  /// Coefficients, and the intercepts beside columns about `means`.
  void coefficients(const double* means, double* w, Index stride) const {
    for (Index k = 0; k < classes_; ++k) {
      double intercept = w_[at(p_, k)];
      for (Index j = 0; j < p_; ++j) {
        const double value = w_[at(j, k)] * scale_[j];
        row_of(w, j, stride)[k] = value;
        intercept -= value * (centre_[j] - means[j]);
      }
      row_of(w, p_, stride)[k] = intercept;
    }
  }
  /// Duals of the last vertex that was looked at; rows of padding are zero.
  void duals(const Targets<double>& targets, double* u, Index stride) const {
    fill(u, std::size_t(n_) * stride, 0.0);
    for (Index i = 0; i < n_; ++i) row_of(u, i, stride)[key_[i]] += best_[i];
    for (Index t = 0; t < size_; ++t) row_of(u, sample_[t], stride)[class_[t]] += alpha_[t];
    for (Index i = 0; i < n_; ++i) row_of(u, i, stride)[targets.labels[i]] -= targets.weight(i);
  }
  /// Products that a pivot takes, about.
  double cost() const { return double(size_) * (n_ + 3.0 * p_ + 3.0 * size_) + double(classes_) * (n_ + 2.0 * p_); }

 private:
  struct Move {
    double rate = 0;                   ///< of the objective, negative
    Index tie = 0;                     ///< that leaves, or
    Index feature = none, output = 0;  ///< a coefficient that enters
    double step = 0;                   ///< of that coefficient
  };
  struct Stop {
    bool found = false;
    double length = 0;
    Index coefficient = none;      ///< of the basis, that is zero there; or
    Index sample = 0, output = 0;  ///< a class that is as high as the key
  };
  struct Kink {
    double length;
    Index who;                                 ///< a sample, or n + a coefficient of the basis
    bool operator<(const Kink& other) const {  // a heap has the largest on top
      return length > other.length || (length == other.length && who > other.who);
    }
  };
  static constexpr Index none = ~Index(0);
  static constexpr double tiny = 1e-11, perturbation = 1e-6, near = 1e-9;
  static constexpr Index most_pivots = 100;

  /// The mean distance from the centre of values that are no farther than `most` from it, and then their mean as the
  /// centre.
  static double spread(const Column<double>& x, double most, bool moves, double& centre) {
    double sum = 0, size = 0;
    Index count = 0;
    const auto visit = [&](auto add) {
      for (Index i = 0; i < x.count; ++i)
        if (absolute(x.values[i] - centre) <= most) add(x.values[i]);
    };
    visit([&](double value) {
      sum += value;
      ++count;
    });
    if (count == 0) return 0;
    const double next = moves ? sum / count : centre;
    visit([&](double value) { size += absolute(value - next); });
    centre = next;
    return size / count;
  }

  std::size_t coefficients() const { return (std::size_t(p_) + 1) * classes_; }
  std::size_t at(Index feature, Index k) const { return std::size_t(feature) * classes_ + k; }
  double score(Index i, Index k) const { return s_[std::size_t(k) * n_ + i]; }
  double& rate_of(Index i, Index k) const { return ds_[std::size_t(k) * n_ + i]; }
  double penalty(const auto& p, Index feature) const { return feature < p_ ? p.l1 * scale_[feature] : 0; }
  double* row(Index t) const { return rows_ + std::size_t(t) * (p_ + 1); }
  double* inverse(Index t) const { return inverse_ + std::size_t(t) * limit_; }

  /// Entry of M.
  double entry(Index t, Index feature, Index k) const {
    const double x = row(t)[feature];
    return k == class_[t] ? x : k == key_[sample_[t]] ? -x : 0;
  }
  template <class Design>
  void take_row(const HingeProblem<Design>& p, Index i, double* to) const {
    for (Index j = 0; j < p_; ++j) to[j] = (p.design.column(j).values[i] - centre_[j]) * scale_[j];
    to[p_] = 1;
  }

  /// Scores without coefficients: margins, no two of them alike.
  void take_margins(const Targets<double>& targets) {
    for (Index k = 0; k < classes_; ++k)
      for (Index i = 0; i < n_; ++i) {
        const std::uint32_t number = i * 2654435761u + k * 40503u;
        const double apart = scattered<double>(number) + scattered<double>(~number) / 65536;
        const double margin = k == targets.labels[i] ? 0 : targets.margin(i);
        s_[std::size_t(k) * n_ + i] = margin * (1 + perturbation * apart);
      }
  }
  /// to += Σ αⱼ xⱼ of up to four columns.
  static void add_columns(const double* const* x, const double* alpha, Index count, Index n, double* to) {
    Index i = 0;
    using V = SimdOrScalar<double>;
    for (; count == 4 && i + V::width <= n; i += V::width)
      (V::load(to + i) + (V::fill(alpha[0]) * V::load(x[0] + i) + V::fill(alpha[1]) * V::load(x[1] + i)) +
       (V::fill(alpha[2]) * V::load(x[2] + i) + V::fill(alpha[3]) * V::load(x[3] + i)))
          .store(to + i);
    for (; count == 4 && i < n; ++i)
      to[i] = to[i] + (alpha[0] * x[0][i] + alpha[1] * x[1][i]) + (alpha[2] * x[2][i] + alpha[3] * x[3][i]);
    for (Index c = 0; count < 4 && c < count; ++c)
      for (Index l = 0; l < n; ++l) to[l] += alpha[c] * x[c][l];
  }

  /// The gradient of the loss where each sample's weight is on its key.
  template <class Design>
  [[gnu::noinline]] void take_base(const HingeProblem<Design>& p) {
    fill(base_, coefficients(), 0.0);
    for (Index i = 0; i < n_; ++i) shift(p, i, p.targets.labels[i], key_[i]);
  }
  /// Moves a sample's weight in that gradient.
  template <class Design>
  void shift(const HingeProblem<Design>& p, Index i, Index from, Index to) {
    const double weight = p.targets.weight(i);
    if (from == to || weight == 0) return;
    for (Index j = 0; j <= p_; ++j) {
      const double x = j < p_ ? (p.design.column(j).values[i] - centre_[j]) * scale_[j] * weight : weight;
      base_[at(j, from)] -= x;
      base_[at(j, to)] += x;
    }
  }

  /// α, what is left of the samples' weights, and the gradient.
  template <class Design>
  [[gnu::noinline]] void take_duals(const HingeProblem<Design>& p) {
    for (Index f = 0; f < size_; ++f) {
      const std::size_t e = at(feature_[f], output_[f]);
      reduced_[f] = base_[e] + penalty(p, feature_[f]) * side_[e];
    }
    copy(static_cast<const double*>(base_), coefficients(), g_);
    for (Index i = 0; i < n_; ++i) best_[i] = p.targets.weight(i);
    for (Index t = 0; t < size_; ++t) {
      double sum = 0;
      for (Index f = 0; f < size_; ++f) sum -= inverse(t)[f] * reduced_[f];
      alpha_[t] = sum;
      best_[sample_[t]] -= sum;
      double *up = g_ + class_[t], *down = g_ + key_[sample_[t]];
      const double* x = row(t);
      for (Index j = 0; j <= p_; ++j) {
        const double part = sum * x[j];
        up[at(j, 0)] += part;
        down[at(j, 0)] -= part;
      }
    }
  }

  /// The way on which the objective falls most beside its length.
  template <class Design>
  [[gnu::noinline]] Move choose(const HingeProblem<Design>& p, double accuracy) {
    Move move;
    double most = 0;
    bool leaves_key = false;
    for (Index t = 0; t < size_; ++t) {
      const Index i = sample_[t];
      const double rate = smallest(alpha_[t], best_[i]);
      if (!(rate < 0)) continue;
      double reach = 1, square = 1;  // what is left out of a dual is in the gradient times the sample's values
      for (Index j = 0; j < p_; ++j) reach = largest(reach, absolute(row(t)[j]));
      if (!(rate * reach < -accuracy * p.targets.weight(i))) continue;

      for (Index f = 0; f < size_; ++f) square += inverse(t)[f] * inverse(t)[f];
      if (!(rate * rate > most * square)) continue;
      most = rate * rate / square;
      leaves_key = best_[i] < alpha_[t];
      move = {.rate = rate, .tie = t};
    }
    // As if a coefficient moved those of the basis by ten times as much as itself.
    for (Index j = 0; j < p_ + Index(p.intercept); ++j) {
      const double level = penalty(p, j);
      if (j < p_ && scale_[j] == 0) continue;
      for (Index k = 0; k < classes_; ++k) {
        const double g = g_[at(j, k)], beyond = absolute(g) - level;
        if (side_[at(j, k)] != 0 || !(beyond > accuracy * (j < p_ ? level : 1))) continue;
        if (!(0.01 * beyond * beyond > most)) continue;
        most = 0.01 * beyond * beyond;
        move = {.rate = -beyond, .feature = j, .output = k, .step = g > 0 ? -1.0 : 1.0};
      }
    }
    if (move.feature == none && leaves_key) change_key(p, move.tie);
    return move;
  }
  /// A tie becomes the key of its sample, and the key the tie.
  template <class Design>
  void change_key(const HingeProblem<Design>& p, Index tie) {
    const Index i = sample_[tie], old = key_[i];
    double* const to = inverse(tie);
    for (Index t = 0; t < size_; ++t)
      if (t != tie && sample_[t] == i)
        for (Index f = 0; f < size_; ++f) to[f] += inverse(t)[f];
    for (Index f = 0; f < size_; ++f) to[f] = -to[f];
    shift(p, i, old, class_[tie]);
    key_[i] = class_[tie];
    class_[tie] = old;
  }

  /// How coefficients of the basis and scores move.
  template <class Design>
  [[gnu::noinline]] void take_direction(const HingeProblem<Design>& p, const Move& move) {
    if (move.feature == none) {
      for (Index f = 0; f < size_; ++f) move_[f] = -inverse(move.tie)[f];
    } else {
      fill(move_, size_, 0.0);
      for (Index t = 0; t < size_; ++t) {
        entering_[t] = entry(t, move.feature, move.output);
        if (entering_[t] == 0) continue;
        for (Index f = 0; f < size_; ++f) move_[f] -= move.step * entering_[t] * inverse(t)[f];
      }
    }
    for (Index k = 0; k < classes_; ++k) take_rates(p, move, k);
    double size = 1;
    for (Index f = 0; f < size_; ++f) size += absolute(move_[f]);
    slow_ = 1e-13 * size;
    for (Index t = 0; t < size_; ++t)  // but for rounding they do
      if (move.feature != none || t != move.tie) rate_of(sample_[t], class_[t]) = rate_of(sample_[t], key_[sample_[t]]);
  }

  /// How the scores of a class move.
  template <class Design>
  void take_rates(const HingeProblem<Design>& p, const Move& move, Index k) {
    double* const to = ds_ + std::size_t(k) * n_;
    double rest = 0;
    const auto visit = [&](auto to_column) {
      for (Index f = 0; f <= size_; ++f) {
        const bool enters = f == size_;
        if ((enters ? move.feature == none || move.output != k : output_[f] != k || move_[f] == 0)) continue;
        to_column(enters ? move.feature : feature_[f], enters ? move.step : move_[f]);
      }
    };
    visit([&](Index j, double alpha) { rest += j < p_ ? -alpha * scale_[j] * centre_[j] : alpha; });
    fill(to, n_, rest);
    const double* x[4];
    double alpha[4];
    Index count = 0;
    visit([&](Index j, double part) {
      if (j == p_) return;
      x[count] = p.design.column(j).values;
      alpha[count++] = part * scale_[j];
      if (count < 4) return;
      add_columns(x, alpha, count, n_, to);
      count = 0;
    });
    add_columns(x, alpha, count, n_, to);
  }

  /// The first class that comes to the height of a sample's key, from a length on; `none`: no class does.
  Index next_class(Index i, double from, double& length) {
    const double level = score(i, key_[i]), rate = rate_of(i, key_[i]);
    Index found = none;
    length = infinity<double>;
    for (Index k = 0; k < classes_; ++k) {
      const double rise = rate_of(i, k) - rate;
      if (!(rise > slow_)) continue;
      const double here = largest(from, (level - score(i, k)) / rise);
      if (here < length) {
        length = here;
        found = k;
      }
    }
    return found;
  }

  /// Where to stop: at the kink from which on the objective would rise, or where a class overtakes a tie.
  template <class Design>
  [[gnu::noinline]] Stop search(const HingeProblem<Design>& p, const Move& move) {
    find_first_kinks();
    Index count = 0;
    for (Index i = 0; i < n_; ++i)
      if (next_class_[i] != none && p.targets.weight(i) > 0) kinks_[count++] = {best_[i], i};
    for (Index f = 0; f < size_; ++f) {
      const std::size_t e = at(feature_[f], output_[f]);
      if (feature_[f] < p_ && side_[e] * move_[f] < -slow_) kinks_[count++] = {largest(0.0, -w_[e] / move_[f]), n_ + f};
    }
    std::make_heap(kinks_, kinks_ + count);
    double slope = move.rate;
    while (count > 0) {
      std::pop_heap(kinks_, kinks_ + count);
      const Kink kink = kinks_[--count];
      if (kink.who >= n_) {
        const Index f = kink.who - n_;
        slope += 2 * penalty(p, feature_[f]) * absolute(move_[f]);
        if (slope >= 0) return {.found = true, .length = kink.length, .coefficient = f};
        side_[at(feature_[f], output_[f])] = move_[f] > 0 ? 1 : -1;
        continue;
      }
      const Index i = kink.who, k = next_class_[i];
      const Index ties = ties_of_[i] - Index(move.feature == none && sample_[move.tie] == i);
      slope += p.targets.weight(i) * (rate_of(i, k) - rate_of(i, key_[i]));
      if (ties > 0 || slope >= 0) return {.found = true, .length = kink.length, .sample = i, .output = k};
      // Its weight goes over, and with it the tie that leaves.
      shift(p, i, key_[i], k);
      key_[i] = k;
      double length;
      next_class_[i] = next_class(i, kink.length, length);
      if (next_class_[i] == none) continue;
      kinks_[count++] = {length, i};
      std::push_heap(kinks_, kinks_ + count);
    }
    return {};
  }
  /// `next_class` of all samples from zero on, and the lengths in best_.
  [[gnu::noinline]] void find_first_kinks() {
    for (Index i = 0; i < n_; ++i) {
      level_[i] = score(i, key_[i]);
      rate_[i] = rate_of(i, key_[i]);
    }
    using V = SimdOrScalar<double>;
    for (Index i = 0; i < n_; i += V::width) {
      if (i + V::width > n_) {
        if (n_ < V::width) break;
        i = n_ - V::width;
      }
      const V level = V::load(level_ + i), rate = V::load(rate_ + i), slow = V::fill(slow_);
      V below = V::fill(1), rise = V::zero(), first = V::zero();  // a fraction, of no class yet
      for (Index k = 0; k < classes_; ++k) {
        const std::size_t from = std::size_t(k) * n_ + i;
        const V faster = V::load(ds_ + from) - rate, here = (level - V::load(s_ + from)).positive_part();
        const V rises = (faster - slow).where_positive(faster), sooner = below * rises - here * rise;
        below = below + sooner.where_positive(here - below);
        rise = rise + sooner.where_positive(rises - rise);
        first = first + sooner.where_positive(V::fill(k) - first);
      }
      first.store(best_ + i);
      rise.store(rise_ + i);
    }
    for (Index i = 0; i < n_; ++i) {
      if (n_ >= V::width && !(rise_[i] > 0)) {
        next_class_[i] = none;
        continue;
      }
      const Index k = n_ < V::width ? next_class(i, 0, best_[i]) : static_cast<Index>(best_[i]);
      next_class_[i] = k;
      if (k == none) continue;
      double& there = s_[std::size_t(k) * n_ + i];
      const double level = score(i, key_[i]);
      if (level - there < near) {  // or the step has no length, and steps may go round in circles
        there = level - 10 * near * (1 + scattered<double>(shifts_++));
        next_class_[i] = next_class(i, 0, best_[i]);
      } else {
        best_[i] = (level - there) / (rate_of(i, k) - rate_[i]);
      }
    }
  }

  [[gnu::noinline]] void advance(const Move& move, const Stop& stop) {
    for (Index f = 0; f < size_; ++f) w_[at(feature_[f], output_[f])] += stop.length * move_[f];
    if (move.feature != none) {
      w_[at(move.feature, move.output)] += stop.length * move.step;
      side_[at(move.feature, move.output)] = move.step > 0 ? 1 : -1;
    }
    for (std::size_t e = 0; e < std::size_t(n_) * classes_; ++e) s_[e] += stop.length * ds_[e];
    if (stop.coefficient == none)
      s_[std::size_t(stop.output) * n_ + stop.sample] = score(stop.sample, key_[stop.sample]);
    if (stop.coefficient != none) {
      const std::size_t e = at(feature_[stop.coefficient], output_[stop.coefficient]);
      w_[e] = 0;
      side_[e] = 0;
    }
  }

  /// The basis and the ties after a step, and the inverse. False: it has grown too large, or there is none.
  template <class Design>
  [[gnu::noinline]] bool exchange(const HingeProblem<Design>& p, const Move& move, const Stop& stop) {
    const bool leaves = move.feature == none, ties = stop.coefficient == none;
    if (leaves && ties) {  // a row of M for another
      --ties_of_[sample_[move.tie]];
      set_tie(p, move.tie, stop);
      take_reduced(move.tie, size_);
      return replace_row(move.tie);
    }
    if (leaves) {  // a row and a column less
      --ties_of_[sample_[move.tie]];
      const Index f = stop.coefficient, last = size_ - 1;
      const double* from = inverse(move.tie);
      const double pivot = from[f];
      if (!(absolute(pivot) > tiny)) return false;
      for (Index t = 0; t < size_; ++t)
        if (t != move.tie) add_row(inverse(t), -inverse(t)[f] / pivot, from, size_);
      copy_basis(last, f, move.tie);
      size_ = last;
      return true;
    }
    if (ties) {  // a row and a column more
      if (size_ + 1 >= limit_) return false;
      const Index last = size_;
      set_tie(p, last, stop);
      take_reduced(last, size_);
      double corner = entry(last, move.feature, move.output);
      for (Index t = 0; t < size_; ++t) corner -= alpha_[t] * entering_[t];
      if (!(absolute(corner) > tiny)) return false;
      // The column of the inverse is the direction, but for its sign.
      for (Index t = 0; t < size_; ++t) {
        add_row(inverse(t), -alpha_[t] / (corner * move.step), move_, size_);
        inverse(t)[last] = -alpha_[t] / corner;
      }
      for (Index f = 0; f < size_; ++f) inverse(last)[f] = move_[f] / (corner * move.step);
      inverse(last)[last] = 1 / corner;
      feature_[last] = move.feature;
      output_[last] = move.output;
      ++size_;
      return true;
    }
    const Index f = stop.coefficient;  // a column of M for another
    const double pivot = -move_[f] / move.step;
    if (!(absolute(pivot) > tiny)) return false;
    for (Index t = 0; t < size_; ++t) {
      double* const to = inverse(t);
      const double part = to[f] / pivot;
      add_row(to, part / move.step, move_, size_);
      to[f] = part;
    }
    feature_[f] = move.feature;
    output_[f] = move.output;
    return true;
  }
  /// alpha_ ← M⁻ᵀ times a row of M.
  void take_reduced(Index tie, Index count) {
    for (Index f = 0; f < count; ++f) reduced_[f] = entry(tie, feature_[f], output_[f]);
    for (Index t = 0; t < count; ++t) {
      double sum = 0;
      for (Index f = 0; f < count; ++f) sum += reduced_[f] * inverse(t)[f];
      alpha_[t] = sum;
    }
  }
  bool replace_row(Index tie) {
    const double pivot = alpha_[tie];
    if (!(absolute(pivot) > tiny)) return false;
    double* const to = inverse(tie);
    for (Index f = 0; f < size_; ++f) to[f] /= pivot;
    for (Index t = 0; t < size_; ++t)
      if (t != tie) add_row(inverse(t), -alpha_[t], to, size_);
    return true;
  }
  static void add_row(double* to, double alpha, const double* x, Index count) {
    for (Index f = 0; f < count; ++f) to[f] += alpha * x[f];
  }
  /// The last of the basis and of the ties take the places of those that leave.
  void copy_basis(Index last, Index f, Index tie) {
    if (tie != last) {
      copy(static_cast<const double*>(inverse(last)), size_, inverse(tie));
      copy(static_cast<const double*>(row(last)), std::size_t(p_) + 1, row(tie));
      sample_[tie] = sample_[last];
      class_[tie] = class_[last];
    }
    for (Index t = 0; t < last; ++t) inverse(t)[f] = inverse(t)[last];
    feature_[f] = feature_[last];
    output_[f] = output_[last];
  }
  template <class Design>
  void set_tie(const HingeProblem<Design>& p, Index tie, const Stop& stop) {
    sample_[tie] = stop.sample;
    class_[tie] = stop.output;
    ++ties_of_[stop.sample];
    take_row(p, stop.sample, row(tie));
  }

  /// The inverse anew, with scores and gradient, in which rounding adds up.
  template <class Design>
  [[gnu::noinline]] bool invert(const HingeProblem<Design>& p) {
    pivots_ = 0;
    take_base(p);
    for (Index f = 0; f < size_; ++f)
      for (Index t = 0; t < size_; ++t) inverse(f)[t] = entry(t, feature_[f], output_[f]);
    for (Index c = 0; c < size_; ++c) {
      Index top = c;
      for (Index r = c + 1; r < size_; ++r)
        if (absolute(inverse(r)[c]) > absolute(inverse(top)[c])) top = r;
      swapped_[c] = top;
      if (!(absolute(inverse(top)[c]) > tiny)) return false;
      double* const here = inverse(c);
      if (top != c) std::swap_ranges(here, here + size_, inverse(top));
      const double factor = 1 / here[c];
      here[c] = 1;
      for (Index t = 0; t < size_; ++t) here[t] *= factor;
      for (Index r = 0; r < size_; ++r) {
        if (r == c) continue;
        const double part = inverse(r)[c];
        inverse(r)[c] = 0;
        if (part != 0) add_row(inverse(r), -part, here, size_);
      }
    }
    for (Index c = size_; c-- > 0;)
      if (swapped_[c] != c)
        for (Index r = 0; r < size_; ++r) std::swap(inverse(r)[c], inverse(r)[swapped_[c]]);
    return true;
  }

  Index n_ = 0, p_ = 0, classes_ = 0, limit_ = 0;
  Index size_ = 0;    ///< of the basis, and number of ties
  Index pivots_ = 0;  ///< since the inverse was made anew
  Index shifts_ = 0;  ///< of margins
  double slow_;       ///< rates below it are rounding
  double *s_, *ds_;   ///< scores and margins, class by class, and how they move
  double *w_, *base_, *g_;
  double *level_, *rate_, *rise_;  ///< of the samples
  double* best_;                   ///< of the samples: what the key has of the weight, or where the first kink is
  double *scale_, *centre_;        ///< of columns
  double* inverse_;                ///< M⁻ᵀ: a row per tie
  double* rows_;                   ///< of the samples of ties
  double *alpha_, *move_, *entering_, *reduced_;
  Kink* kinks_;
  Index *key_, *ties_of_, *next_class_;
  Index *sample_, *class_;    ///< of ties
  Index *feature_, *output_;  ///< of the basis
  Index* swapped_;            ///< scratch of `invert`
  std::int8_t* side_;         ///< sign of a coefficient of the basis, even where it is zero; 0 outside
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
