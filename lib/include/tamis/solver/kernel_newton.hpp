#pragma once
/// The last steps of problems with several kernels: a proximal point method with Newton's method on its dual.

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
  T *centre, *point;               ///< α of the proximal term, and what a dual point makes of it: features × outputs
  T *beta, *trial, *slopes;        ///< dual points, and the gradient at one: samples × outputs
  T* block;                        ///< a Gram matrix of some samples: samples × width
  T* step;                         ///< scratch of a row, then the step
  T* from_b;                       ///< intercepts of the proximal term
  Index *sample, *output, *place;  ///< what the rows of the system are of; places of samples in `block`
  Index* list;                     ///< these samples

  static constexpr KernelNewtonMemory lay_out(Arena& arena, Shape shape) {
    using detail::saturating_multiply;
    KernelNewtonMemory m{};
    m.gram = KernelGram<T>::lay_out(arena, shape);
    const std::size_t outputs = padded<T>(shape.classes), width = padded<T>(shape.samples);
    for (T** all : {&m.centre, &m.point}) *all = arena.take<T>(saturating_multiply(shape.features, outputs));
    for (T** all : {&m.beta, &m.trial, &m.slopes}) *all = arena.take<T>(saturating_multiply(shape.samples, outputs));
    m.block = arena.take<T>(saturating_multiply(shape.samples, width));
    m.step = arena.take<T>(width);
    m.from_b = arena.take<T>(outputs);
    for (Index** rows : {&m.sample, &m.output, &m.place, &m.list}) *rows = arena.take<Index>(shape.samples);
    return m;
  }
};

/// min_α,b Σℓ + Ω + ‖(α, b) − (αᶜ, bᶜ)‖²/2τ has the dual
///     max_{β≥0} D(β) = Σ (β − β²/4) + min_α,b {Ω + ⟨u, Aα + b⟩ + ‖(α, b) − (αᶜ, bᶜ)‖²/2τ},
/// u the slopes that β makes: −yβ, or β of the other classes and minus their sum. Its minimiser is α(β) = prox_{τΩ}(αᶜ
/// − τAᵀu), and ∇D = the violations of its scores − β/2. Projected Newton steps on the β that are free, with ½ + τ·E A
/// U Aᵀ Eᵀ for the Hessian, U a generalised Jacobian of the proximity operator; then the centre moves to α(β), and τ
/// grows.
///
/// Cost: for q free β of m samples, and d coefficients or groups in U, m²·d + q³/3 flops a step, and two products with
/// the design. Source: mathematics of proximal points, Rockafellar (1976); Li, Sun and Toh (2018).
template <class T>
class KernelNewton {
 public:
  /// `gram` is AAᵀ, `factor` a matrix of the same size to work in.
  KernelNewton(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory, const T* gram, T* factor, T tau)
      : o_(workspace),
        m_(memory),
        gram_(gram),
        factor_(factor),
        width_(padded<T>(workspace.shape.samples)),
        tau_(tau) {}

  /// From the coefficients `start`, the intercepts in b and slopes of the loss. Offers models and dual points until the
  /// gap is small enough, does not fall any more, or `budget` flops are spent. What was in `factor` and b is lost.
  [[gnu::noinline]] void run(const T* start, const T* slopes, T budget) {
    copy(start, o_.coefficients(), m_.centre);
    for (Index i = 0; i < o_.shape.samples; ++i)
      for (Index k = 0; k < o_.outputs; ++k) {
        const std::size_t e = std::size_t(i) * o_.outputs + k;
        const bool free = k < o_.shape.classes && (o_.binary() || k != o_.labels[i]);
        m_.beta[e] = free ? largest(o_.binary() ? -o_.sign_of(i) * slopes[e] : slopes[e], T(0)) : T(0);
      }
    int failures = 0;
    for (int round = 0; round < most_rounds && o_.running() && flops_ < budget; ++round) {
      copy(static_cast<const T*>(o_.m.b), o_.outputs, m_.from_b);
      const T before = o_.report.relative_gap;
      if (!maximise(budget)) {
        if (++failures == 4) return;
        tau_ *= T(0.1);
        copy(static_cast<const T*>(m_.from_b), o_.outputs, o_.m.b);
        continue;
      }
      offer();
      copy(static_cast<const T*>(m_.point), o_.coefficients(), m_.centre);
      moved_ = true;
      if (steps_ >= slow && !(o_.report.relative_gap < T(0.5) * before) && ++failures == 4) return;
      tau_ *= steps_ < 2 ? T(100) : steps_ < 4 ? T(20) : steps_ < slow ? T(5) : T(2);
    }
  }
  /// What was spent.
  T flops() const { return flops_; }
  /// Whether the centre has moved from where it was; then its intercepts are in b, and this puts the slopes of the last
  /// dual point into common.u.
  bool take_end() {
    if (moved_) take_slopes(m_.beta);
    return moved_;
  }

 private:
  T product_cost() const { return T(4) * T(o_.shape.samples) * T(o_.shape.features) * T(o_.shape.classes); }

  /// common.u ← the slopes that β makes.
  void take_slopes(const T* beta) {
    copy(beta, o_.scores(), o_.m.u);
    for (Index i = 0; i < o_.shape.samples; ++i) {
      T* u = row_of(o_.m.u, i, o_.outputs);
      if (o_.binary()) {
        u[0] *= -o_.sign_of(i);
        continue;
      }
      T sum = 0;
      for (Index k = 0; k < o_.shape.classes; ++k) sum += u[k];
      u[o_.labels[i]] = -sum;
    }
  }
  /// D(β); α(β) in `point`, the intercepts in b.
  [[gnu::noinline]] T evaluate(const T* beta) {
    flops_ += product_cost();
    take_slopes(beta);
    Sum<T> total;
    for (std::size_t e = 0; e < o_.scores(); ++e) total.add(beta[e] * (T(1) - beta[e] / T(4)));
    if (o_.options.intercept) {
      T* const b = o_.m.b;
      column_sums(static_cast<const T*>(o_.m.u), o_.shape.samples, o_.outputs, o_.m.row);
      for (Index k = 0; k < o_.outputs; ++k) {
        const T sum = o_.m.row[k];
        b[k] = m_.from_b[k] - tau_ * sum;
        total.add(sum * (m_.from_b[k] - tau_ * sum / T(2)));
      }
    }
    o_.transposed(o_.m.u);
    const T* const g = o_.m.g;
    for (std::size_t e = 0; e < o_.coefficients(); ++e) m_.point[e] = m_.centre[e] - tau_ * g[e];
    o_.penalty.prox(o_.rows(m_.point), o_.kernels, tau_);
    for (std::size_t e = 0; e < o_.coefficients(); ++e) {
      const T way = m_.point[e] - m_.centre[e];
      total.add(g[e] * m_.point[e] + way * way / (T(2) * tau_));
    }
    total.add(o_.penalty.value(o_.rows(static_cast<const T*>(m_.point)), o_.kernels));
    return total.value();
  }
  /// ∇D at β, α(β) being in `point`; what may move is listed. Returns the largest entry of those; rows_ = n + 1 when
  /// there are more than the system holds.
  [[gnu::noinline]] T take_gradient() {
    o_.multiply(m_.point, o_.m.b, o_.m.u);
    rows_ = 0;
    T worst = 0;
    for (Index i = 0; i < o_.shape.samples; ++i) {
      const T* f = row_of(o_.m.u, i, o_.outputs);
      for (Index k = 0; k < o_.shape.classes; ++k) {
        const std::size_t e = std::size_t(i) * o_.outputs + k;
        if (!o_.binary() && k == o_.labels[i]) continue;
        const T margin = o_.binary() ? T(1) - o_.sign_of(i) * f[0] : T(1) + f[k] - f[o_.labels[i]];
        m_.slopes[e] = margin - m_.beta[e] / T(2);
        if (!(m_.beta[e] > T(0)) && !(m_.slopes[e] > T(0))) continue;
        worst = largest(worst, absolute(m_.slopes[e]));
        if (rows_ == o_.shape.samples) {
          ++rows_;
          return worst;
        }
        m_.sample[rows_] = i;
        m_.output[rows_++] = k;
      }
    }
    return worst;
  }

  /// Projected Newton steps. False when they do not lead anywhere.
  [[gnu::noinline]] bool maximise(T budget) {
    T value = evaluate(m_.beta);
    steps_ = 0;
    for (int round = 0; round < most_steps; ++round, ++steps_) {
      const T worst = take_gradient();
      if (rows_ == 0 || rows_ > o_.shape.samples) return false;
      if (worst <= smallest(T(0.1) * o_.report.relative_gap, T(1e-2))) return true;
      if (flops_ > budget || !solve()) return false;
      T length = 1;
      for (int tries = 0;; ++tries, length *= T(0.5)) {
        if (tries == 12) return round > 0;
        copy(static_cast<const T*>(m_.beta), o_.scores(), m_.trial);
        T rise = 0;
        for (Index e = 0; e < rows_; ++e) {
          const std::size_t at = std::size_t(m_.sample[e]) * o_.outputs + m_.output[e];
          m_.trial[at] = largest(m_.beta[at] + length * m_.step[e], T(0));
          rise += m_.slopes[at] * (m_.trial[at] - m_.beta[at]);
        }
        const T next = evaluate(m_.trial);
        if (!(next >= value + T(1e-4) * rise - T(8) * epsilon<T> * absolute(value))) continue;
        value = next;
        break;
      }
      T* const beta = m_.beta;
      m_.beta = m_.trial;
      m_.trial = beta;
    }
    return false;
  }

  void offer() {
    o_.offer_model(m_.point);
    take_slopes(m_.beta);
    o_.offer_slopes();
    o_.judge();
    flops_ += T(2) * product_cost();
  }

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

  /// step ← (½ + τ·E A U Aᵀ Eᵀ)⁻¹ of the gradient's free entries.
  [[gnu::noinline]] bool solve() {
    T* const system = factor_;
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
    for (Index a = 0; a < rows_; ++a) {
      T* const row = row_of(system, a, width_);
      for (Index b = 0; b <= a && o_.options.intercept; ++b) row[b] += tau_ * overlap(a, b);
      row[a] += T(0.5);
      m_.step[a] = m_.slopes[std::size_t(m_.sample[a]) * o_.outputs + m_.output[a]];
    }
    if (!factor_cholesky(system, rows_, width_)) return false;
    solve_cholesky(static_cast<const T*>(system), rows_, width_, m_.step);
    return true;
  }
  /// block ← τ A diag(U) Aᵀ of the listed samples, for coefficients of the classes from `first` to `last`; how many
  /// rows of coefficients those are.
  [[gnu::noinline]] T add_block(Index count, Index first, Index last) {
    fill(m_.block, std::size_t(count) * width_, T(0));
    m_.gram.begin(count, width_, m_.block);
    T kept = 0;
    o_.penalty.for_each_jacobian(o_.rows(static_cast<const T*>(m_.point)), o_.kernels, tau_,
                                 [&](Rows<const T> group, T scale, T, bool) {
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
    m_.gram.begin(rows_, width_, factor_);
    o_.penalty.for_each_jacobian(o_.rows(static_cast<const T*>(m_.point)), o_.kernels, tau_,
                                 [&](Rows<const T> group, T, T weight, bool of_signs) {
                                   T* const direction = m_.step;
                                   fill(direction, rows_, T(0));
                                   for (Index r = 0; r < group.rows; ++r) {
                                     const T* row = group.row(r);
                                     const T* column = column_of(row);
                                     for (Index k = 0; k < o_.shape.classes; ++k) {
                                       if (row[k] == T(0)) continue;
                                       const T entry = of_signs ? sign(row[k]) : row[k];
                                       for (Index e = 0; e < rows_; ++e)
                                         direction[e] += share(e, k) * entry * column[m_.sample[e]];
                                     }
                                   }
                                   flops_ += T(2) * T(rows_) * (T(group.rows) * T(o_.shape.classes) + T(rows_));
                                   m_.gram.add(tau_ * weight, [&](Index e) { return direction[e]; });
                                 });
    m_.gram.flush();
  }

  static constexpr int most_rounds = 20, most_steps = 15, slow = 8;

  KernelWorkspace<T>& o_;
  KernelNewtonMemory<T>& m_;
  const T* gram_;
  T* factor_;
  Index width_;
  T tau_;
  bool moved_ = false;
  Index rows_ = 0;
  int steps_ = 0;
  T flops_ = T(0);
};

}  // namespace tamis
