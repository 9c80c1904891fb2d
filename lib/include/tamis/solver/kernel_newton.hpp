#pragma once
/// The last steps of problems with several kernels: Newton's method along the coefficients that are not zero.

#include "../linalg/cholesky.hpp"
#include "kernel_workspace.hpp"

namespace tamis {

/// G += Σ_j weight_j a_j a_jᵀ, its lower triangle, for columns a_j of a design and all samples, or the listed ones. The
/// columns come in panels that are in memory twice.
template <class T>
class KernelGram {
 public:
  static constexpr Index panel = 32;

  static constexpr KernelGram lay_out(Arena& arena, Shape shape) {
    KernelGram out{};
    const std::size_t size = detail::saturating_multiply(padded<T>(shape.samples), panel);
    for (T** strip : {&out.by_row_, &out.by_column_}) *strip = arena.take<T>(size);
    return out;
  }

  /// Of matrices with `count` rows, `width` apart.
  void begin(Index count, Index width, T* to) {
    count_ = count;
    width_ = width;
    to_ = to;
    filled_ = 0;
    fill(by_column_, std::size_t(panel) * width, T(0));
  }
  /// Adds the column whose entry e is entry(e).
  template <class Entry>
  void add(T weight, Entry entry) {
    T* const column = row_of(by_column_, filled_, width_);
    for (Index e = 0; e < count_; ++e) {
      const T value = entry(e);
      by_row_[std::size_t(e) * panel + filled_] = value;
      column[e] = weight * value;
    }
    if (++filled_ == panel) flush();
  }
  void flush() {
    DenseDesign<T>(by_row_, filled_, count_, panel).add_transposed_lower(by_column_, width_, to_);
    filled_ = 0;
  }

 private:
  T *by_row_ = nullptr, *by_column_ = nullptr;
  T* to_ = nullptr;
  Index count_ = 0, width_ = 0, filled_ = 0;
};

template <class T>
struct KernelNewtonMemory {
  KernelGram<T> gram;
  T *point, *way;                ///< the model, and a direction from it: features × outputs
  T *scores, *along;             ///< of the model, and of the direction: samples × outputs
  T *right, *rest, *step;        ///< of the system with a row for each violation: samples × outputs
  T* block;                      ///< A U Aᵀ of some samples, or columns of some, or a factor: samples × width
  T* column;                     ///< scratch of a row, then a solution
  T *x, *slopes;                 ///< coefficients of a model of F, and the loss's slopes where it begins
  T *residual, *product;         ///< the slopes at x, and how they change along a way
  T* group_sums;                 ///< ‖α_g‖₁
  T *b, *b_way, *b_gradient;     ///< of intercepts
  Index *sample, *output;        ///< of the rows of a system with one for each violation
  Index *place, *list;           ///< where their samples are in `block`, and these samples
  Index *entry_row, *entry_of;   ///< coefficients of a system with a row for each, and their classes
  Index* support;                ///< rows of `point` that are not zero

  static constexpr KernelNewtonMemory lay_out(Arena& arena, Shape shape) {
    using detail::saturating_multiply;
    KernelNewtonMemory m{};
    m.gram = KernelGram<T>::lay_out(arena, shape);
    const std::size_t outputs = padded<T>(shape.classes), width = padded<T>(shape.samples);
    for (T** all : {&m.point, &m.way}) *all = arena.take<T>(saturating_multiply(shape.features, outputs));
    for (T** all : {&m.scores, &m.along, &m.right, &m.rest, &m.step})
      *all = arena.take<T>(saturating_multiply(shape.samples, outputs));
    m.block = arena.take<T>(saturating_multiply(shape.samples, width));
    for (T** vector : {&m.column, &m.x, &m.slopes, &m.residual, &m.product}) *vector = arena.take<T>(width);
    m.group_sums = arena.take<T>(shape.features);
    for (T** row : {&m.b, &m.b_way, &m.b_gradient}) *row = arena.take<T>(outputs);
    for (Index** rows : {&m.sample, &m.output, &m.place, &m.list, &m.entry_row, &m.entry_of})
      *rows = arena.take<Index>(shape.samples);
    m.support = arena.take<Index>(shape.features);
    return m;
  }
};

/// Where the coefficients that are zero and the violations (1 − yf, or 1 + f_k − f_y, above 0) stay what they are, F is
/// smooth: Newton's method there, a proximal term ‖d‖²/2τ settling what nothing else does. What a step would lead
/// through zero ends there, and steps are shortened until F falls; between them a proximal gradient step says what
/// becomes zero and what does not stay so. Each of its points is offered as a model, with the slopes of its loss as a
/// dual point.
///
/// A step's system has a row for each coefficient that is not zero, (AᵀEᵀ2EA + ∇²Ω + 1/τ)d = −∇F, where p = 1 and
/// they are not more than the samples; else for each violation, with v the slopes that the step leads to, (½ + E A U
/// Aᵀ Eᵀ)v = violations − E A U ∇Ω and d = −U(∇Ω + AᵀEᵀv), U = (∇²Ω + 1/τ)⁻¹; where these exceed the samples too,
/// conjugate gradients.
///
/// Cost: for q violations of m samples and d coefficients or groups in U, m²·d + q³/3 flops a step; for w
/// coefficients of K classes at most n·w²(1/2 + 1/K) + w³/3; for conjugate gradients two products with the support
/// each. Source: finite Newton methods for the squared hinge (Keerthi and DeCoste 2005), on paper D's penalties.
template <class T>
class KernelNewton {
 public:
  /// `gram` is AAᵀ, `system` a matrix of the same size to work in and `gradient` coefficients; `step` is that of
  /// proximal steps.
  KernelNewton(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory, const T* gram, T* system, T* gradient,
               T step)
      : o_(workspace),
        m_(memory),
        gram_(gram),
        system_(system),
        gradient_(gradient),
        width_(padded<T>(workspace.shape.samples)),
        step_(T(0.1) * step),
        tau_(T(10) * step) {}

  /// From the coefficients `start` and the intercepts in b. Offers models and dual points until the gap is small
  /// enough, does not fall any more, or `budget` flops are spent. What was in `system` and b is lost.
  [[gnu::noinline]] void run(const T* start, T budget) {
    copy(start, o_.coefficients(), m_.point);
    copy(static_cast<const T*>(o_.m.b), o_.outputs, m_.b);
    first_gap_ = o_.report.relative_gap;
    int failures = 0;
    for (int cycle = 0; cycle < most_cycles; ++cycle) {
      const T before = o_.report.relative_gap;
      look();
      if (!o_.running() || flops_ > budget) return;
      if (cycle > 0 && !(o_.report.relative_gap < T(0.7) * before) && ++failures == most_failures) return;
      if (!(o_.penalty.p == 1 ? move_entries() : move_groups(budget)) && ++failures == most_failures) return;
      tau_ *= T(10);
    }
  }
  /// What was spent.
  T flops() const { return flops_; }
  /// Whether the point is one to go on from; then its intercepts are in b, and this puts its slopes into common.u.
  bool take_end() {
    if (!(o_.report.relative_gap < T(0.9) * first_gap_)) return false;
    copy(static_cast<const T*>(m_.b), o_.outputs, o_.m.b);
    copy(static_cast<const T*>(m_.scores), o_.scores(), o_.m.u);
    o_.take_slopes();
    return true;
  }

 private:
  T product_cost() const { return T(2) * T(o_.shape.samples) * T(o_.shape.features) * T(o_.shape.classes); }
  Rows<const T> point() const { return o_.rows(static_cast<const T*>(m_.point)); }

  /// Offers the point and its slopes; Aᵀ of these are in g.
  void look() {
    copy(static_cast<const T*>(m_.b), o_.outputs, o_.m.b);
    o_.offer_model(m_.point);
    copy(static_cast<const T*>(o_.m.u), o_.scores(), m_.scores);
    objective_ = loss(T(0)) + o_.penalty.value(point(), o_.kernels);
    o_.take_slopes();
    o_.offer_slopes();
    o_.judge();
    flops_ += T(2) * product_cost();
  }
  /// At the share t of the way.
  T loss(T t) const {
    Sum<T> total;
    T* const row = o_.m.row;
    for (Index i = 0; i < o_.shape.samples; ++i) {
      const T* f = row_of(m_.scores, i, o_.outputs);
      const T* d = row_of(m_.along, i, o_.outputs);
      for (Index k = 0; k < o_.shape.classes; ++k) row[k] = t == T(0) ? f[k] : f[k] + t * d[k];
      total.add(o_.loss(row, i));
    }
    return total.value();
  }
  /// violation(i, k) > 0: how much score k of sample i violates its margin.
  T violation(Index i, Index k) const {
    const T* f = row_of(m_.scores, i, o_.outputs);
    if (o_.binary()) return T(1) - o_.sign_of(i) * f[0];
    const Label y = o_.labels[i];
    return k == y ? T(0) : T(1) + f[k] - f[y];
  }

  /// Goes along `way` as far as F falls; `slope` is F's derivative there. False where it does not fall.
  [[gnu::noinline]] bool search(T slope) {
    if (!(slope < T(-4) * epsilon<T> * objective_)) return false;
    o_.multiply(m_.way, m_.b_way, m_.along);
    flops_ += product_cost();
    T* const trial = o_.m.g;
    T t = 1;
    for (int tries = 0; tries < most_tries; ++tries) {
      for (std::size_t e = 0; e < o_.coefficients(); ++e) trial[e] = m_.point[e] + t * m_.way[e];
      const T value = loss(t) + o_.penalty.value(o_.rows(static_cast<const T*>(trial)), o_.kernels);
      if (value <= objective_ + T(1e-4) * t * slope) {
        copy(static_cast<const T*>(trial), o_.coefficients(), m_.point);
        for (Index k = 0; k < o_.outputs; ++k) m_.b[k] += t * m_.b_way[k];
        for (std::size_t e = 0; e < o_.scores(); ++e) m_.scores[e] += t * m_.along[e];
        fall_ = objective_ - value;
        objective_ = value;
        return true;
      }
      const T lowest = -slope * t * t / (T(2) * (value - objective_ - slope * t));  // of a parabola
      t = largest(T(0.1) * t, smallest(T(0.5) * t, lowest));
    }
    return false;
  }

  /// From the products in g.
  void take_proximal_step() {
    const T* const g = o_.m.g;
    for (std::size_t e = 0; e < o_.coefficients(); ++e) m_.way[e] = m_.point[e] - step_ * g[e];
    o_.penalty.prox(o_.rows(m_.way), o_.kernels, step_);
    Sum<T> square;
    for (std::size_t e = 0; e < o_.coefficients(); ++e) {
      m_.way[e] -= m_.point[e];
      square.add(m_.way[e] * m_.way[e]);
    }
    fill(m_.b_way, o_.outputs, T(0));
    search(-square.value() / step_);
  }

  /// False when it leads nowhere.
  bool move_groups(T budget) {
    take_proximal_step();
    for (int round = 0; round < most_steps; ++round)
      if (flops_ > budget || !take_newton_step()) return round > 0;
    return true;
  }
  /// False when it leads nowhere, or hardly changes F.
  [[gnu::noinline]] bool take_newton_step() {
    list_support();
    list_violations();
    take_gradient();
    if (!(rows_ <= o_.shape.samples ? solve_violations() : iterate())) return false;
    Sum<T> slope;
    for (std::size_t e = 0; e < o_.coefficients(); ++e) slope.add(gradient_[e] * m_.way[e]);
    for (Index k = 0; k < o_.shape.classes; ++k) slope.add(m_.b_gradient[k] * m_.b_way[k]);
    return search(end_at_zero(slope.value())) && fall_ > T(0.01) * o_.report.relative_gap * objective_;
  }

  /// ∇F at the coefficients that are not zero, and at the intercepts.
  void take_gradient() {
    copy(static_cast<const T*>(m_.scores), o_.scores(), o_.m.u);
    o_.take_slopes();
    fill(m_.b_gradient, o_.outputs, T(0));
    if (o_.options.intercept) column_sums(static_cast<const T*>(o_.m.u), o_.shape.samples, o_.outputs, m_.b_gradient);
    o_.penalty.gradient(point(), o_.kernels, gradient_);
    T* const g = o_.m.g;
    o_.design.transposed_multiply(m_.support, support_, o_.m.u, o_.outputs, g);
    flops_ += support_cost();
    for (Index s = 0; s < support_; ++s) {
      const T* row = row_of(m_.point, m_.support[s], o_.outputs);
      const T* from = row_of(g, m_.support[s], o_.outputs);
      T* to = row_of(gradient_, m_.support[s], o_.outputs);
      for (Index k = 0; k < o_.shape.classes; ++k)
        if (o_.penalty.p == 2 || row[k] != T(0)) to[k] += from[k];
    }
  }

  /// The way ends where coefficients or groups of them would change their sign, if F falls along it: F's derivative
  /// along the way, which is `slope` before.
  T end_at_zero(T slope) {
    if (o_.penalty.p == 2 && o_.penalty.q == 2) return slope;
    T cut = slope;
    for_each_crossing([&](std::size_t e) { cut -= gradient_[e] * (m_.point[e] + m_.way[e]); });
    if (!(cut < T(0))) return slope;
    for_each_crossing([&](std::size_t e) { m_.way[e] = -m_.point[e]; });
    return cut;
  }
  template <class Visit>
  void for_each_crossing(Visit visit) {
    if (o_.penalty.p == 1) {
      for (std::size_t e = 0; e < o_.coefficients(); ++e)
        if (m_.point[e] * (m_.point[e] + m_.way[e]) < T(0)) visit(e);
      return;
    }
    o_.penalty.for_each_jacobian(point(), o_.kernels, tau_, [&](Rows<const T> group, T, T, bool) {
      for (int pass = 0; pass < 2; ++pass) {
        T inner = 0;
        for (Index r = 0; r < group.rows; ++r) {
          const auto first = static_cast<std::size_t>(group.row(r) - m_.point);
          for (std::size_t e = first; e < first + o_.shape.classes; ++e) {
            if (pass == 0) inner += m_.point[e] * (m_.point[e] + m_.way[e]);
            else visit(e);
          }
        }
        if (!(inner < T(0))) return;
      }
    });
  }

  void list_support() {
    support_ = entries_ = 0;
    for (Index j = 0; j < o_.shape.features; ++j) {
      const T* row = row_of(m_.point, j, o_.outputs);
      Index here = 0;
      for (Index k = 0; k < o_.shape.classes; ++k) here += row[k] != T(0);
      if (here > 0) m_.support[support_++] = j;
      entries_ += here;
    }
  }
  /// As many as the system holds are listed, all are counted.
  void list_violations() {
    rows_ = 0;
    for (Index i = 0; i < o_.shape.samples; ++i)
      for (Index k = 0; k < o_.shape.classes; ++k) {
        if (!(violation(i, k) > T(0))) continue;
        if (rows_ < o_.shape.samples) {
          m_.sample[rows_] = i;
          m_.output[rows_] = k;
        }
        ++rows_;
      }
  }

  T support_cost() const { return T(2) * T(o_.shape.samples) * T(support_) * T(o_.shape.classes); }

  // ---- a row for each coefficient, p = 1 ----------------------------------------------------------------------------

  /// entry_row, entry_of ← the coefficients that are not zero and, by the products in g, those that gain most by not
  /// being it, in the order of classes; then the intercepts, whose row is `features`. False: they are too many.
  [[gnu::noinline]] bool list_entries() {
    const Index most = o_.shape.samples - (o_.options.intercept ? o_.shape.classes : 0);
    take_group_sums(m_.point);
    Index kept = 0;
    T top = 0;
    for_each_entry([&](std::size_t e, T excess) {
      kept += m_.point[e] != T(0);
      top = largest(top, excess);
    });
    const Index wanted = smallest(most, largest(Index(3) * kept, Index(40)));
    if (kept > most || most > o_.shape.samples) return false;
    T level = top;
    for (T next = top;; next *= T(0.5)) {  // the lowest level that is not passed by too many
      Index count = kept;
      for_each_entry([&](std::size_t, T excess) { count += excess > next; });
      if (count > wanted) break;
      level = next;
      if (!(next > T(1e-3) * top)) break;
    }
    entries_ = 0;
    for (Index k = 0; k < o_.shape.classes; ++k)
      for (Index j = 0; j < o_.shape.features; ++j) {
        const std::size_t e = std::size_t(j) * o_.outputs + k;
        if (m_.point[e] != T(0) || excess_of(e, j) > level) add_entry(j, k);
      }
    for (Index k = 0; k < o_.shape.classes && o_.options.intercept; ++k) add_entry(o_.shape.features, k);
    return entries_ > 0;
  }
  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (Index j = 0; j < o_.shape.features; ++j)
      for (Index k = 0; k < o_.shape.classes; ++k) {
        const std::size_t e = std::size_t(j) * o_.outputs + k;
        visit(e, excess_of(e, j));
      }
  }
  /// How far the slope of a coefficient that is zero exceeds what the penalty holds; 0 of others.
  T excess_of(std::size_t e, Index j) const {
    return m_.point[e] != T(0) ? T(0) : largest(absolute(o_.m.g[e]) - threshold(j, T(0)), T(0));
  }
  void add_entry(Index row, Index k) {
    m_.entry_row[entries_] = row;
    m_.entry_of[entries_++] = k;
  }
  bool is_intercept(Index e) const { return m_.entry_row[e] == o_.shape.features; }
  T& at(T* rows, T* intercepts, Index e) const {
    return is_intercept(e) ? intercepts[m_.entry_of[e]] : row_of(rows, m_.entry_row[e], o_.outputs)[m_.entry_of[e]];
  }

  /// The penalty as a coefficient of row j sees it: threshold·|x| + curvature·x²/2, `own` being its |x| now.
  T threshold(Index j, T own) const {
    if (j == o_.shape.features) return T(0);
    return o_.penalty.q == 1 ? o_.penalty.lambda : o_.penalty.lambda * (m_.group_sums[group_of(j)] - own);
  }
  T curvature(Index j) const { return o_.penalty.q == 2 && j < o_.shape.features ? o_.penalty.lambda : T(0); }
  Index group_of(Index j) const {
    const Index n = o_.shape.samples;
    return o_.penalty.r == 1 ? j % n : j / n;
  }
  Index groups() const { return o_.penalty.r == 1 ? o_.shape.samples : o_.kernels; }
  void take_group_sums(const T* w) {
    if (o_.penalty.q == 1) return;
    fill(m_.group_sums, groups(), T(0));
    for (Index j = 0; j < o_.shape.features; ++j)
      for (Index k = 0; k < o_.shape.classes; ++k) m_.group_sums[group_of(j)] += absolute(row_of(w, j, o_.outputs)[k]);
  }

  /// Steps from the listed entries, to others of them: false when none changes F.
  [[gnu::noinline]] bool move_entries() {
    if (!list_entries()) return false;
    bool moved = false;
    for (int round = 0; round < most_steps; ++round) {
      take_slopes_of_entries();
      take_curvature();
      const T before = o_.penalty.value(point(), o_.kernels);
      solve_model();
      fill(m_.way, o_.coefficients(), T(0));
      fill(m_.b_way, o_.outputs, T(0));
      Sum<T> slope;
      for (Index e = 0; e < entries_; ++e) {
        const T change = m_.x[e] - at(m_.point, m_.b, e);
        at(m_.way, m_.b_way, e) = change;
        slope.add(m_.slopes[e] * change);
      }
      T* const trial = o_.m.g;
      for (std::size_t e = 0; e < o_.coefficients(); ++e) trial[e] = m_.point[e] + m_.way[e];
      slope.add(o_.penalty.value(o_.rows(static_cast<const T*>(trial)), o_.kernels));
      slope.add(-before);
      if (!search(slope.value())) return moved;
      moved = true;
      if (fall_ < T(0.01) * o_.report.relative_gap * objective_) return true;
    }
    return moved;
  }
  /// slopes ← those of the loss.
  void take_slopes_of_entries() {
    copy(static_cast<const T*>(m_.scores), o_.scores(), o_.m.u);
    o_.take_slopes();
    Index of = o_.shape.classes;
    for (Index e = 0; e < entries_; ++e) {
      if (m_.entry_of[e] != of) {
        of = m_.entry_of[e];
        for (Index i = 0; i < o_.shape.samples; ++i) m_.column[i] = row_of(o_.m.u, i, o_.outputs)[of];
      }
      Sum<T> sum;
      if (is_intercept(e)) {
        for (Index i = 0; i < o_.shape.samples; ++i) sum.add(m_.column[i]);
        m_.slopes[e] = sum.value();
      } else {
        m_.slopes[e] = dot(o_.design.column(m_.entry_row[e]).values, static_cast<const T*>(m_.column), o_.shape.samples);
      }
    }
    flops_ += T(2) * T(o_.shape.samples) * T(entries_);
  }

  /// x ← a minimum of the model ½(x − x₀)ᵀH(x − x₀) + ⟨slopes, x⟩ + Ω: sweeps over coordinates say what is zero, Newton's
  /// method settles the others.
  [[gnu::noinline]] void solve_model() {
    const Index w = entries_;
    copy(static_cast<const T*>(m_.slopes), w, m_.residual);
    for (Index e = 0; e < w; ++e) m_.x[e] = at(m_.point, m_.b, e);
    take_group_sums(m_.point);
    T total = 0;
    for (int round = 0; round < most_rounds; ++round) {
      T fall = 0;
      for (int sweep_count = 0; sweep_count < most_sweeps; ++sweep_count) fall += sweep();
      fall += settle();
      total += fall;
      if (!(fall > T(1e-3) * total)) return;
    }
  }
  /// How far the model falls.
  T sweep() {
    T fall = 0;
    for (Index e = 0; e < entries_; ++e) {
      const T* const row = row_of(system_, e, width_);
      const Index j = m_.entry_row[e];
      const T old = m_.x[e], h = row[e], r = m_.residual[e], level = threshold(j, absolute(old));
      const T next = soft(h * old - r, level) / (h + curvature(j));
      const T change = next - old;
      if (change == T(0)) continue;
      m_.x[e] = next;
      const T more = absolute(next) - absolute(old);
      fall -= change * (r + h * change / T(2)) + level * more + curvature(j) * (next * next - old * old) / T(2);
      if (o_.penalty.q == 2 && j < o_.shape.features) m_.group_sums[group_of(j)] += more;
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
      const T* const row = row_of(system_, e, width_);
      T* const to = row_of(m_.block, a, width_);
      for (Index b = 0; b <= a; ++b) {
        const Index f = free[b], i = m_.entry_row[f];
        to[b] = row[f];
        if (o_.penalty.q == 2 && !is_intercept(e) && !is_intercept(f) && group_of(j) == group_of(i))
          to[b] += m_.x[e] * m_.x[f] > T(0) ? o_.penalty.lambda : -o_.penalty.lambda;
      }
      m_.column[a] = -m_.residual[e] - sign(m_.x[e]) * threshold(j, T(0));
    }
    flops_ += T(count) * T(count) * T(count) / T(3);
    if (!factor_cholesky(m_.block, count, width_)) return T(0);
    solve_cholesky(static_cast<const T*>(m_.block), count, width_, m_.column);
    fill(m_.product, entries_, T(0));
    for (Index a = 0; a < count; ++a) {
      const T* const row = row_of(system_, free[a], width_);
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
    if (o_.penalty.q == 2) fill(m_.group_sums, groups(), T(0));
    for (Index a = 0; a < count; ++a) {
      if (is_intercept(free[a])) continue;
      const T size = absolute(m_.x[free[a]] + t * m_.column[a]);
      if (o_.penalty.q == 1) total.add(size);
      else m_.group_sums[group_of(m_.entry_row[free[a]])] += size;
    }
    for (Index g = 0; g < groups() && o_.penalty.q == 2; ++g) total.add(m_.group_sums[g] * m_.group_sums[g] / T(2));
    return o_.penalty.lambda * total.value();
  }
  T penalty_slope(const Index* free, Index count, T t) {
    T total = 0;
    penalty_along(free, count, t);
    for (Index a = 0; a < count; ++a)
      total += threshold(m_.entry_row[free[a]], T(0)) * sign(m_.x[free[a]] + t * m_.column[a]) * m_.column[a];
    return total;
  }

  /// system ← H, all of it.
  [[gnu::noinline]] void take_curvature() {
    const Index w = entries_;
    fill(system_, std::size_t(w) * width_, T(0));
    for (Index k = 0; k < o_.shape.classes; ++k)
      for (Index l = 0; l <= k; ++l) add_curvature(k, l);
    Sum<T> trace;
    for (Index e = 0; e < w; ++e) trace.add(row_of(system_, e, width_)[e]);
    const T delta = largest(T(8) * square_root(epsilon<T>) * trace.value() / T(w), epsilon<T>);
    for (Index e = 0; e < w; ++e) {
      row_of(system_, e, width_)[e] += delta;
      for (Index f = 0; f < e; ++f) row_of(system_, f, width_)[e] = row_of(system_, e, width_)[f];
    }
  }
  /// The loss's, of entries of class k with those of class l ≤ k: of samples with the one as label and the other
  /// violating, or k = l, twice as often as the class is part of a violation.
  void add_curvature(Index k, Index l) {
    const auto member = [&](Index e, Index c) { return m_.entry_of[e] == c; };  // entries are in the order of classes
    Index count = 0;
    for (Index i = 0; i < o_.shape.samples; ++i) {
      T weight = 0;
      if (o_.binary()) {
        weight = T(violation(i, 0) > T(0));
      } else {
        const Label y = o_.labels[i];
        if (k == l && y == k)
          for (Index c = 0; c < o_.shape.classes; ++c) weight += T(violation(i, c) > T(0));
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
      T* const row = row_of(m_.block, filled++, width_);
      const bool constant = is_intercept(e);
      const T* const values = constant ? nullptr : o_.design.column(m_.entry_row[e]).values;
      for (Index s = 0; s < count; ++s) row[s] = m_.column[s] * (constant ? T(1) : values[m_.list[s]]);
    }
    Index a = 0;
    for (Index e = 0; e < entries_; ++e) {
      if (!member(e, k) && !member(e, l)) continue;
      const T* const own = row_of(m_.block, a++, width_);
      Index b = 0;
      for (Index f = 0; f <= e; ++f) {
        if (!member(f, k) && !member(f, l)) continue;
        const T* const other = row_of(m_.block, b++, width_);
        if (k == l) row_of(system_, e, width_)[f] += dot(own, other, count);
        else if (m_.entry_of[e] != m_.entry_of[f]) row_of(system_, e, width_)[f] -= dot(own, other, count);
      }
    }
    flops_ += T(filled) * T(filled) * T(count);
  }

  // ---- a row for each violation --------------------------------------------------------------------------------------

  /// How much the slopes of two rows have in common: ⟨e_k − e_y, e_k' − e_y'⟩, yy' of a binary problem.
  T overlap(Index a, Index b) const {
    const Label y = o_.labels[m_.sample[a]], z = o_.labels[m_.sample[b]];
    if (o_.binary()) return y == z ? T(1) : T(-1);
    const Index k = m_.output[a], l = m_.output[b];
    return T(k == l) - T(k == z) - T(y == l) + T(y == z);
  }
  /// The same, of class c alone.
  T share(Index a, Index c) const {
    const Label y = o_.labels[m_.sample[a]];
    if (o_.binary()) return y == 1 ? T(-1) : T(1);
    return T(m_.output[a] == c) - T(y == c);
  }
  /// Eᵀ in place: what is said of violations, as slopes.
  void expand(T* rows) const {
    for (Index i = 0; i < o_.shape.samples; ++i) {
      T* const u = row_of(rows, i, o_.outputs);
      if (o_.binary()) {
        u[0] *= -o_.sign_of(i);
        continue;
      }
      T sum = 0;
      for (Index k = 0; k < o_.shape.classes; ++k) sum += k == o_.labels[i] ? T(0) : u[k];
      u[o_.labels[i]] = -sum;
    }
  }
  /// E in place: scores become what the violations see, 0 elsewhere.
  void reduce(T* rows) const {
    for (Index i = 0; i < o_.shape.samples; ++i) {
      T* const f = row_of(rows, i, o_.outputs);
      const T own = o_.binary() ? T(0) : f[o_.labels[i]];
      for (Index k = 0; k < o_.shape.classes; ++k) {
        const T seen = o_.binary() ? -o_.sign_of(i) * f[k] : f[k] - own;
        f[k] = violation(i, k) > T(0) ? seen : T(0);
      }
    }
  }
  /// g ← U g on the support.
  void apply_inverse(T* g) {
    o_.penalty.for_each_jacobian(point(), o_.kernels, tau_, [&](Rows<const T> group, T scale, T weight, bool of_signs) {
      T along = 0;
      for (int pass = 0; pass < 2; ++pass)
        for (Index r = 0; r < group.rows; ++r) {
          const T* row = group.row(r);
          T* out = g + (row - m_.point);
          for (Index k = 0; k < o_.shape.classes; ++k) {
            const T entry = of_signs ? sign(row[k]) : row[k];
            if (pass == 0 && entry != T(0)) along += entry * out[k];
            if (pass == 1)
              out[k] = o_.penalty.p == 1 && row[k] == T(0) ? T(0) : tau_ * (scale * out[k] + weight * along * entry);
          }
        }
    });
  }
  /// right ← E A U ∇F, as the rows of the system see it.
  void take_right() {
    T* const g = o_.m.g;
    copy(static_cast<const T*>(gradient_), o_.coefficients(), g);
    apply_inverse(g);
    for (Index k = 0; k < o_.outputs; ++k) o_.m.row[k] = o_.options.intercept ? tau_ * m_.b_gradient[k] : T(0);
    copy(static_cast<const T*>(o_.m.row), o_.outputs, m_.b_way);
    o_.multiply(g, m_.b_way, m_.right);
    reduce(m_.right);
    flops_ += support_cost();
  }
  /// The way −U(∇F − AᵀEᵀv), from v.
  void take_way(T* v) {
    expand(v);
    T* const g = o_.m.g;
    o_.design.transposed_multiply(m_.support, support_, v, o_.outputs, g);
    copy(static_cast<const T*>(gradient_), o_.coefficients(), m_.way);
    for (Index s = 0; s < support_; ++s)
      for (Index k = 0; k < o_.outputs; ++k) {
        const std::size_t e = std::size_t(m_.support[s]) * o_.outputs + k;
        m_.way[e] = g[e] - gradient_[e];
      }
    apply_inverse(m_.way);
    column_sums(static_cast<const T*>(v), o_.shape.samples, o_.outputs, o_.m.row);
    for (Index k = 0; k < o_.outputs; ++k)
      m_.b_way[k] = o_.options.intercept ? tau_ * (o_.m.row[k] - m_.b_gradient[k]) : T(0);
    flops_ += support_cost();
  }

  [[gnu::noinline]] bool solve_violations() {
    T* const system = system_;
    fill(system, std::size_t(rows_) * width_, T(0));
    Index count = 0;  // of samples
    for (Index e = 0; e < rows_; ++e) {
      if (e == 0 || m_.sample[e] != m_.sample[e - 1]) m_.list[count++] = m_.sample[e];
      m_.place[e] = count - 1;
    }
    const T q = T(rows_), m = T(count), classes = T(o_.shape.classes);
    flops_ += q * q * q / T(3);
    const auto& penalty = o_.penalty;
    if (penalty.p == 2 && penalty.q == 2) {
      const T scale = tau_ / (T(1) + tau_ * penalty.lambda);
      for (Index a = 0; a < rows_; ++a)
        for (Index b = 0; b <= a; ++b)
          row_of(system, a, width_)[b] = scale * overlap(a, b) * row_of(gram_, m_.sample[a], width_)[m_.sample[b]];
    } else if (penalty.p == 2 || o_.binary()) {
      const T kept = add_block(count, 0, o_.shape.classes);
      for (Index a = 0; a < rows_; ++a)
        for (Index b = 0; b <= a; ++b)
          row_of(system, a, width_)[b] = overlap(a, b) * row_of(m_.block, m_.place[a], width_)[m_.place[b]];
      flops_ += m * m * kept + q * q;
    } else {
      for (Index k = 0; k < o_.shape.classes; ++k) {
        const T kept = add_block(count, k, k + 1);
        for (Index a = 0; a < rows_; ++a)
          if (const T own = share(a, k); own != T(0))
            for (Index b = 0; b <= a; ++b)
              row_of(system, a, width_)[b] += own * share(b, k) * row_of(m_.block, m_.place[a], width_)[m_.place[b]];
        flops_ += m * m * kept;
      }
      flops_ += q * q * classes;
    }
    add_directions();
    take_right();
    for (Index a = 0; a < rows_; ++a) {
      T* const row = row_of(system, a, width_);
      for (Index b = 0; b <= a && o_.options.intercept; ++b) row[b] += tau_ * overlap(a, b);
      row[a] += T(0.5);
      m_.column[a] = row_of(m_.right, m_.sample[a], o_.outputs)[m_.output[a]];
    }
    if (!factor_cholesky(system, rows_, width_)) return false;
    solve_cholesky(static_cast<const T*>(system), rows_, width_, m_.column);
    fill(m_.step, o_.scores(), T(0));
    for (Index a = 0; a < rows_; ++a) row_of(m_.step, m_.sample[a], o_.outputs)[m_.output[a]] = m_.column[a];
    take_way(m_.step);
    return true;
  }
  /// block ← τ A diag(U) Aᵀ of the listed samples, for coefficients of the classes from `first` to `last`; how many
  /// rows of coefficients those are.
  [[gnu::noinline]] T add_block(Index count, Index first, Index last) {
    fill(m_.block, std::size_t(count) * width_, T(0));
    m_.gram.begin(count, width_, m_.block);
    T kept = 0;
    o_.penalty.for_each_jacobian(point(), o_.kernels, tau_, [&](Rows<const T> group, T scale, T, bool) {
      for (Index r = 0; r < group.rows; ++r) {
        const T* row = group.row(r);
        bool any = o_.penalty.p == 2;
        for (Index k = first; k < last; ++k) any = any || row[k] != T(0);
        if (!any) continue;
        const T* column = column_of(row);
        m_.gram.add(tau_ * scale, [&](Index e) { return column[m_.list[e]]; });
        kept += T(1);
      }
    });
    m_.gram.flush();
    return kept;
  }
  /// The design's column of a row of `point`.
  const T* column_of(const T* row) const {
    return o_.design.column(static_cast<Index>(std::size_t(row - m_.point) / o_.outputs)).values;
  }
  /// What U has beside its diagonal: a direction for each group.
  [[gnu::noinline]] void add_directions() {
    if (o_.penalty.p == o_.penalty.q) return;
    m_.gram.begin(rows_, width_, system_);
    o_.penalty.for_each_jacobian(point(), o_.kernels, tau_, [&](Rows<const T> group, T, T weight, bool of_signs) {
      T* const direction = m_.column;
      fill(direction, rows_, T(0));
      for (Index r = 0; r < group.rows; ++r) {
        const T* row = group.row(r);
        const T* column = column_of(row);
        for (Index k = 0; k < o_.shape.classes; ++k) {
          if (row[k] == T(0)) continue;
          const T entry = of_signs ? sign(row[k]) : row[k];
          for (Index e = 0; e < rows_; ++e) direction[e] += share(e, k) * entry * column[m_.sample[e]];
        }
      }
      flops_ += T(2) * T(rows_) * (T(group.rows) * T(o_.shape.classes) + T(rows_));
      m_.gram.add(tau_ * weight, [&](Index e) { return direction[e]; });
    });
    m_.gram.flush();
  }

  // ---- where they are too many -----------------------------------------------------------------------------------------

  /// By conjugate gradients.
  [[gnu::noinline]] bool iterate() {
    const std::size_t size = o_.scores();
    take_right();
    prepare_products();
    fill(m_.step, size, T(0));
    copy(static_cast<const T*>(m_.right), size, m_.rest);
    T square = inner(m_.right, m_.right);
    const T enough = T(1e-6) * square;
    for (int round = 0; round < most_products && square > enough; ++round) {
      apply(m_.rest, m_.along);
      const T curvature = inner(m_.rest, m_.along);
      if (!(curvature > T(0))) return false;
      const T length = square / curvature;
      for (std::size_t e = 0; e < size; ++e) {
        m_.step[e] += length * m_.rest[e];
        m_.right[e] -= length * m_.along[e];
      }
      const T next = inner(m_.right, m_.right), ratio = next / square;
      for (std::size_t e = 0; e < size; ++e) m_.rest[e] = m_.right[e] + ratio * m_.rest[e];
      square = next;
    }
    take_way(m_.step);
    return true;
  }
  T inner(const T* a, const T* b) const {
    auto total = Pack<T>::zero();
    for (std::size_t e = 0; e < o_.scores(); e += lanes<T>) total = total + Pack<T>::load(a + e) * Pack<T>::load(b + e);
    return total.sum();
  }
  void prepare_products() {}
  /// out ← (½ + E A U Aᵀ Eᵀ) d.
  [[gnu::noinline]] void apply(const T* d, T* out) {
    T* const u = o_.m.u;
    T* const g = o_.m.g;
    copy(d, o_.scores(), u);
    expand(u);
    fill(o_.m.row, o_.outputs, T(0));
    if (o_.options.intercept) column_sums(static_cast<const T*>(u), o_.shape.samples, o_.outputs, o_.m.row);
    for (Index k = 0; k < o_.outputs; ++k) o_.m.row[k] *= tau_;
    o_.design.transposed_multiply(m_.support, support_, u, o_.outputs, g);
    apply_inverse(g);
    o_.design.multiply(m_.support, support_, g, o_.outputs, o_.m.row, out);
    reduce(out);
    for (std::size_t e = 0; e < o_.scores(); ++e) out[e] += d[e] / T(2);
    flops_ += T(2) * support_cost();
  }

  static constexpr int most_cycles = 60, most_steps = 5, most_rounds = 20, most_sweeps = 3, most_tries = 12, most_failures = 3, most_products = 200;

  KernelWorkspace<T>& o_;
  KernelNewtonMemory<T>& m_;
  const T* gram_;
  T* system_;
  T* gradient_;
  Index width_;
  T step_, tau_;
  T first_gap_ = T(0);
  Index rows_ = 0, support_ = 0, entries_ = 0;
  T objective_ = T(0), fall_ = T(0);
  T flops_ = T(0);
};

}  // namespace tamis
