#pragma once
/// Newton's method for several kernels and p = 1, whose models have few coefficients.

#include "kernel_descent.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// From any model, that of zeros too: the coefficients that are not zero, and those that gain most by not being it, are
/// a working set. On it F is replaced by ½(x − x₀)ᵀH(x − x₀) + ⟨∇loss, x⟩ + Ω(x), H = 2(EA)ᵀ(EA) of the margins that
/// are violated now, its diagonal a little raised. Sweeps over coordinates, which say what is zero, and Newton's
/// steps on the others minimise that; the way there is shortened until F falls.
///
/// Why it is here: seconds to a gap of 1e-6 with it and without, of 500 digits and λ = 100: p = q = 1 0.081 and more
/// than 2, (1, 2; 2) 0.10 and more than 2. Of (1, 2; 1) it takes half as long again on the Titanic, λ = 1. These are
/// rows `ours` and `admm-without-newton` of the speed.csv that the target paper_d_speed writes.
///
/// Cost: for w coefficients and n samples, n·w²(1/2 + 1/K) + w³/3 flops a step, and two products with the design for
/// each working set. Source: finite Newton methods for the squared hinge (Keerthi and DeCoste 2005); working sets and
/// quadratic models for sparse problems (Yuan, Ho and Lin 2012).
template <class T>
class KernelEntriesNewton : KernelDescent<T> {
  using Base = KernelDescent<T>;
  using Base::m_, Base::workspace_, Base::width_, Base::flops_, Base::fall_, Base::objective_, Base::point,
      Base::search, Base::violation;

 public:
  using Base::flops, Base::take_end;

  /// What is in memory.squares is lost.
  KernelEntriesNewton(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory)
      : Base(workspace, memory), stride_(padded<T>(most_entries())) {
    const std::size_t half = std::size_t(2) * workspace.shape.samples * width_;
    system_ = memory.squares;
    block_ = memory.squares + half;
  }

  /// Offers models and dual points, from the coefficients `start` and the intercepts in b.
  [[gnu::noinline]] void run(const T* start, T budget) {
    Base::descend(start, budget, [this] { return move(); });
  }

 private:
  /// As large a system as fits in half the squares.
  Index most_entries() const {
    const std::size_t half = std::size_t(2) * workspace_.shape.samples * width_;
    Index most = workspace_.shape.samples + workspace_.shape.samples * 2 / 5;
    while (std::size_t(most) * padded<T>(most) > half) --most;
    return most;
  }

  /// entry_row, entry_of ← the coefficients that are not zero and, by the products in g, those that gain most by not
  /// being it, in the order of classes; then the intercepts, whose row is `features`. False: they are too many.
  [[gnu::noinline]] bool list_entries() {
    const Index free = workspace_.options.intercept ? workspace_.shape.classes : 0;
    if (free >= most_entries()) return false;
    const Index most = most_entries() - free;
    take_group_sums(m_.point);
    Index kept = 0;
    T top = 0;
    for_each_entry([&](std::size_t e, T excess) {
      kept += m_.point[e] != T(0);
      top = largest(top, excess);
    });
    const Index wanted = largest(smallest(most, largest(Index(3) * kept, Index(40))), kept);
    if (kept > most) return false;
    T level = top, low = 0;  // all above `level`, and as many more above `low` as there is room for
    Index above = kept;
    for (T middle = T(1e-3) * top; level - low > T(0.01) * level; middle = (low + level) / T(2)) {
      Index count = kept;
      for_each_entry([&](std::size_t, T excess) { count += excess > middle; });
      (count > wanted ? low : level) = middle;
      if (count <= wanted) above = count;
      if (low == T(0)) break;
    }
    Index room = low > T(0) ? wanted - above : 0;
    entries_ = 0;
    for (Index k = 0; k < workspace_.shape.classes; ++k)
      for (Index j = 0; j < workspace_.shape.features; ++j) {
        const std::size_t e = std::size_t(j) * workspace_.outputs + k;
        const T excess = excess_of(e, j);
        const bool fits = excess > low && excess <= level && room > 0;
        room -= fits;
        if (fits || excess > level || m_.point[e] != T(0)) add_entry(j, k);
      }
    for (Index k = 0; k < workspace_.shape.classes && workspace_.options.intercept; ++k)
      add_entry(workspace_.shape.features, k);
    return entries_ > 0;
  }
  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (Index j = 0; j < workspace_.shape.features; ++j)
      for (Index k = 0; k < workspace_.shape.classes; ++k) {
        const std::size_t e = std::size_t(j) * workspace_.outputs + k;
        visit(e, excess_of(e, j));
      }
  }
  /// How far the slope of a coefficient that is zero exceeds what the penalty holds; 0 of others.
  T excess_of(std::size_t e, Index j) const {
    return m_.point[e] != T(0) ? T(0) : largest(absolute(workspace_.m.g[e]) - threshold(j, T(0)), T(0));
  }
  void add_entry(Index row, Index k) {
    m_.entry_row[entries_] = row;
    m_.entry_of[entries_++] = k;
  }
  bool is_intercept(Index e) const { return m_.entry_row[e] == workspace_.shape.features; }
  T& at(T* rows, T* intercepts, Index e) const {
    return is_intercept(e) ? intercepts[m_.entry_of[e]]
                           : row_of(rows, m_.entry_row[e], workspace_.outputs)[m_.entry_of[e]];
  }

  /// The penalty as a coefficient of row j sees it: threshold·|x| + curvature·x²/2, `own` being its |x| now.
  T threshold(Index j, T own) const {
    if (j == workspace_.shape.features) return T(0);
    return workspace_.penalty.q == 1 ? workspace_.penalty.lambda
                                     : workspace_.penalty.lambda * (m_.group_sums[group_of(j)] - own);
  }
  T curvature(Index j) const {
    return workspace_.penalty.q == 2 && j < workspace_.shape.features ? workspace_.penalty.lambda : T(0);
  }
  Index group_of(Index j) const {
    const Index n = workspace_.shape.samples;
    return workspace_.penalty.r == 1 ? j % n : j / n;
  }
  Index groups() const { return workspace_.penalty.r == 1 ? workspace_.shape.samples : workspace_.kernels; }
  void take_group_sums(const T* w) {
    if (workspace_.penalty.q == 1) return;
    fill(m_.group_sums, groups(), T(0));
    for (Index j = 0; j < workspace_.shape.features; ++j)
      for (Index k = 0; k < workspace_.shape.classes; ++k)
        m_.group_sums[group_of(j)] += absolute(row_of(w, j, workspace_.outputs)[k]);
  }

  /// Steps from the listed entries, to others of them: false when none changes F.
  [[gnu::noinline]] bool move() {
    if (!list_entries()) return false;
    const T first = objective_;
    bool moved = false;
    for (int round = 0; round < most_steps; ++round) {
      take_slopes_of_entries();
      take_curvature();
      const T before = workspace_.penalty.value(point(), workspace_.kernels);
      solve_model();
      fill(m_.direction, workspace_.coefficients(), T(0));
      fill(m_.b_direction, workspace_.outputs, T(0));
      Sum<T> slope;
      for (Index e = 0; e < entries_; ++e) {
        const T change = m_.x[e] - at(m_.point, m_.b, e);
        at(m_.direction, m_.b_direction, e) = change;
        slope.add(m_.slopes[e] * change);
      }
      T* const trial = workspace_.m.g;
      for (std::size_t e = 0; e < workspace_.coefficients(); ++e) trial[e] = m_.point[e] + m_.direction[e];
      slope.add(workspace_.penalty.value(workspace_.rows(static_cast<const T*>(trial)), workspace_.kernels));
      slope.add(-before);
      if (!search(slope.value())) return moved;
      moved = true;
      if (fall_ < largest(T(0.01) * workspace_.report.relative_gap * objective_, T(0.05) * (first - objective_)))
        return true;
    }
    return moved;
  }
  /// slopes ← those of the loss.
  void take_slopes_of_entries() {
    copy(static_cast<const T*>(m_.scores), workspace_.scores(), workspace_.m.u);
    workspace_.take_slopes();
    Index of = workspace_.shape.classes;
    for (Index e = 0; e < entries_; ++e) {
      if (m_.entry_of[e] != of) {
        of = m_.entry_of[e];
        for (Index i = 0; i < workspace_.shape.samples; ++i)
          m_.column[i] = row_of(workspace_.m.u, i, workspace_.outputs)[of];
      }
      Sum<T> sum;
      if (is_intercept(e)) {
        for (Index i = 0; i < workspace_.shape.samples; ++i) sum.add(m_.column[i]);
        m_.slopes[e] = sum.value();
      } else {
        m_.slopes[e] = dot(workspace_.design.column(m_.entry_row[e]).values, static_cast<const T*>(m_.column),
                           workspace_.shape.samples);
      }
    }
    flops_ += T(2) * T(workspace_.shape.samples) * T(entries_);
  }

  /// x ← a minimum of the model ½(x − x₀)ᵀH(x − x₀) + ⟨slopes, x⟩ + Ω: sweeps over coordinates say what is zero,
  /// Newton's method settles the others.
  [[gnu::noinline]] void solve_model() {
    const Index w = entries_;
    copy(static_cast<const T*>(m_.slopes), w, m_.residual);
    for (Index e = 0; e < w; ++e) m_.x[e] = at(m_.point, m_.b, e);
    take_group_sums(m_.point);
    T total = 0;
    for (int round = 0; round < most_rounds; ++round) {
      T fall = 0;
      for (Index count = 0; count < largest(Index(3), w / 10); ++count) {  // together no more than what follows
        const T last = sweep();
        fall += last;
        if (!(last > T(0.01) * fall)) break;
      }
      fall += settle();
      total += fall;
      if (!(fall > (workspace_.report.relative_gap > T(0.1) ? T(0.1) : T(1e-3)) * total)) return;
    }
  }
  /// How far the model falls.
  T sweep() {
    T fall = 0;
    for (Index e = 0; e < entries_; ++e) {
      const T* const row = row_of(system_, e, stride_);
      const Index j = m_.entry_row[e];
      const T old = m_.x[e], h = row[e], r = m_.residual[e], level = threshold(j, absolute(old));
      const T next = soft(h * old - r, level) / (h + curvature(j));
      const T change = next - old;
      if (change == T(0)) continue;
      m_.x[e] = next;
      const T more = absolute(next) - absolute(old);
      fall -= change * (r + h * change / T(2)) + level * more + curvature(j) * (next * next - old * old) / T(2);
      if (workspace_.penalty.q == 2 && j < workspace_.shape.features) m_.group_sums[group_of(j)] += more;
      for (Index f = 0; f < entries_; ++f) m_.residual[f] += change * row[f];
      flops_ += T(2) * T(entries_);
    }
    return fall;
  }
  /// Newton's step on what is not zero, as far as the model falls along it.
  T settle() {
    Index count = 0;
    Index* const free = m_.place;
    for (Index e = 0; e < entries_; ++e)
      if (m_.x[e] != T(0) || is_intercept(e)) free[count++] = e;
    if (count == 0) return T(0);
    for (Index a = 0; a < count; ++a) {
      const Index e = free[a], j = m_.entry_row[e];
      const T* const row = row_of(system_, e, stride_);
      T* const to = row_of(block_, a, stride_);
      for (Index b = 0; b <= a; ++b) {
        const Index f = free[b], i = m_.entry_row[f];
        to[b] = row[f];
        if (workspace_.penalty.q == 2 && !is_intercept(e) && !is_intercept(f) && group_of(j) == group_of(i))
          to[b] += m_.x[e] * m_.x[f] > T(0) ? workspace_.penalty.lambda : -workspace_.penalty.lambda;
      }
      m_.column[a] = -m_.residual[e] - sign(m_.x[e]) * threshold(j, T(0));
    }
    flops_ += T(count) * T(count) * T(count) / T(3);
    if (!factor_cholesky(block_, count, stride_)) return T(0);
    solve_cholesky(static_cast<const T*>(block_), count, stride_, m_.column);
    fill(m_.product, entries_, T(0));
    for (Index a = 0; a < count; ++a) {
      const T* const row = row_of(system_, free[a], stride_);
      for (Index f = 0; f < entries_; ++f) m_.product[f] += m_.column[a] * row[f];
    }
    T linear = 0, quadratic = 0;
    for (Index a = 0; a < count; ++a) {
      linear += m_.residual[free[a]] * m_.column[a];
      quadratic += m_.product[free[a]] * m_.column[a];
    }
    const auto slope = [&](T t) { return linear + t * quadratic + penalty_slope(free, count, t); };
    T t = 1, low = 0;
    if (slope(t) > T(0)) {
      for (int round = 0; round < 30; ++round) {
        const T middle = (low + t) / T(2);
        (slope(middle) > T(0) ? t : low) = middle;
      }
      t = low;
    }
    const T before = penalty_along(free, count, T(0)), after = penalty_along(free, count, t);
    const T fall = before - after - t * (linear + t * quadratic / T(2));
    if (!(fall > T(0))) {
      penalty_along(free, count, T(0));
      return T(0);
    }
    for (Index a = 0; a < count; ++a) m_.x[free[a]] += t * m_.column[a];
    for (Index f = 0; f < entries_; ++f) m_.residual[f] += t * m_.product[f];
    return fall;
  }
  /// Of the listed entries, at the share t of the way in `column`; leaves their groups' sums.
  T penalty_along(const Index* free, Index count, T t) {
    Sum<T> total;
    take_sums_along(free, count, t);
    for (Index a = 0; a < count && workspace_.penalty.q == 1; ++a)
      if (!is_intercept(free[a])) total.add(absolute(m_.x[free[a]] + t * m_.column[a]));
    for (Index g = 0; g < groups() && workspace_.penalty.q == 2; ++g)
      total.add(m_.group_sums[g] * m_.group_sums[g] / T(2));
    return workspace_.penalty.lambda * total.value();
  }
  void take_sums_along(const Index* free, Index count, T t) {
    if (workspace_.penalty.q == 1) return;
    fill(m_.group_sums, groups(), T(0));
    for (Index a = 0; a < count; ++a)
      if (!is_intercept(free[a]))
        m_.group_sums[group_of(m_.entry_row[free[a]])] += absolute(m_.x[free[a]] + t * m_.column[a]);
  }
  T penalty_slope(const Index* free, Index count, T t) {
    T total = 0;
    take_sums_along(free, count, t);
    for (Index a = 0; a < count; ++a)
      total += threshold(m_.entry_row[free[a]], T(0)) * sign(m_.x[free[a]] + t * m_.column[a]) * m_.column[a];
    return total;
  }

  /// system ← H, all of it.
  [[gnu::noinline]] void take_curvature() {
    const Index w = entries_;
    fill(system_, std::size_t(w) * stride_, T(0));
    for (Index k = 0; k < workspace_.shape.classes; ++k)
      for (Index l = 0; l <= k; ++l) add_curvature(k, l);
    Sum<T> trace;
    for (Index e = 0; e < w; ++e) trace.add(row_of(system_, e, stride_)[e]);
    const T mean = largest(trace.value() / T(w), epsilon<T>);
    for (Index e = 0; e < w; ++e) {
      T& own = row_of(system_, e, stride_)[e];
      own += damping * (own + T(1e-6) * mean);
      for (Index f = 0; f < e; ++f) row_of(system_, f, stride_)[e] = row_of(system_, e, stride_)[f];
    }
  }
  /// The loss's, of entries of class k with those of class l ≤ k: of samples with the one as label and the other
  /// violating, or k = l, twice as often as the class is part of a violation.
  void add_curvature(Index k, Index l) {
    const auto member = [&](Index e, Index c) { return m_.entry_of[e] == c; };  // entries are in the order of classes
    Index count = 0;
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      T weight = 0;
      if (workspace_.binary()) {
        weight = T(violation(i, 0) > T(0));
      } else {
        const Label y = workspace_.labels[i];
        if (k == l && y == k)
          for (Index c = 0; c < workspace_.shape.classes; ++c) weight += T(violation(i, c) > T(0));
        else if (k == l || y == k || y == l) weight = T(violation(i, y == k ? l : k) > T(0));
      }
      if (weight == T(0)) continue;
      m_.list[count] = i;
      m_.column[count++] = square_root(T(2) * weight);
    }
    if (count == 0) return;
    Index filled = 0;
    for (Index e = 0; e < entries_; ++e) {
      if (!member(e, k) && !member(e, l)) continue;
      T* const row = row_of(block_, filled++, width_);
      const bool constant = is_intercept(e);
      const T* const values = constant ? nullptr : workspace_.design.column(m_.entry_row[e]).values;
      for (Index s = 0; s < count; ++s) row[s] = m_.column[s] * (constant ? T(1) : values[m_.list[s]]);
    }
    Index a = 0;
    for (Index e = 0; e < entries_; ++e) {
      if (!member(e, k) && !member(e, l)) continue;
      const T* const own = row_of(block_, a++, width_);
      Index b = 0;
      for (Index f = 0; f <= e; ++f) {
        if (!member(f, k) && !member(f, l)) continue;
        const T* const other = row_of(block_, b++, width_);
        if (k == l) row_of(system_, e, stride_)[f] += dot(own, other, count);
        else if (m_.entry_of[e] != m_.entry_of[f]) row_of(system_, e, stride_)[f] -= dot(own, other, count);
      }
    }
    flops_ += T(filled) * T(filled) * T(count);
  }

  static constexpr int most_steps = 5, most_rounds = 20;
  static constexpr T damping = sizeof(T) == 4 ? T(3e-5) : T(1e-10);  ///< of H's diagonal, which it is positive with

  T *system_, *block_;  ///< H; its factor, or columns of some samples
  Index stride_;
  Index entries_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
