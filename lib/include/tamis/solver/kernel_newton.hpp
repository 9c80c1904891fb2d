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
  T *way, *rest, *product;         ///< a step, and what conjugate gradients need: samples × outputs
  T* block;                        ///< a Gram matrix of some samples: samples × width
  T* step;                         ///< scratch of a row, then the step
  T* from_b;                       ///< intercepts of the proximal term
  Index *sample, *output, *place;  ///< what the rows of the system are of; places of samples in `block`
  Index* list;                     ///< these samples
  Index* support;                  ///< rows of `point` that are not zero

  static constexpr KernelNewtonMemory lay_out(Arena& arena, Shape shape) {
    using detail::saturating_multiply;
    KernelNewtonMemory m{};
    m.gram = KernelGram<T>::lay_out(arena, shape);
    const std::size_t outputs = padded<T>(shape.classes), width = padded<T>(shape.samples);
    for (T** all : {&m.centre, &m.point}) *all = arena.take<T>(saturating_multiply(shape.features, outputs));
    for (T** all : {&m.beta, &m.trial, &m.slopes, &m.way, &m.rest, &m.product})
      *all = arena.take<T>(saturating_multiply(shape.samples, outputs));
    m.block = arena.take<T>(saturating_multiply(shape.samples, width));
    m.step = arena.take<T>(width);
    m.from_b = arena.take<T>(outputs);
    for (Index** rows : {&m.sample, &m.output, &m.place, &m.list}) *rows = arena.take<Index>(shape.samples);
    m.support = arena.take<Index>(shape.features);
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
/// Cost: for q free β of m samples, and d coefficients or groups in U, m²·d + q³/3 flops a step, and a product with the
/// design for each β that is looked at; where q exceeds the samples, two products with the coefficients that are not
/// zero for each of the conjugate gradients instead. Source: Rockafellar (1976); Li, Sun and Toh (2018).
template <class T>
class KernelNewton {
 public:
  /// `gram` is AAᵀ, `system` a matrix of the same size to work in.
  KernelNewton(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory, const T* gram, T* system, T tau)
      : o_(workspace),
        m_(memory),
        gram_(gram),
        system_(system),
        width_(padded<T>(workspace.shape.samples)),
        tau_(tau) {}

  /// From the coefficients `start`, the intercepts in b and slopes of the loss. Offers models and dual points until the
  /// gap is small enough, does not fall any more, or `budget` flops are spent. What was in `system` and b is lost.
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
        if (++failures == most_failures) return;
        tau_ *= T(0.1);
        copy(static_cast<const T*>(m_.from_b), o_.outputs, o_.m.b);
        continue;
      }
      offer();
      const bool better = o_.report.relative_gap < T(0.9) * before;
      if (!better && ++failures == most_failures) return;
      moved_ = moved_ || better;
      copy(static_cast<const T*>(m_.point), o_.coefficients(), m_.centre);
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
  /// ∇D at β, α(β) being in `point`: zero where β is not free. Returns its largest entry; lists as many free β as the
  /// system holds.
  [[gnu::noinline]] T take_gradient() {
    o_.multiply(m_.point, o_.m.b, o_.m.u);
    fill(m_.slopes, o_.scores(), T(0));
    rows_ = 0;
    T worst = 0;
    for (Index i = 0; i < o_.shape.samples; ++i) {
      const T* f = row_of(o_.m.u, i, o_.outputs);
      for (Index k = 0; k < o_.shape.classes; ++k) {
        const std::size_t e = std::size_t(i) * o_.outputs + k;
        if (!o_.binary() && k == o_.labels[i]) continue;
        const T margin = o_.binary() ? T(1) - o_.sign_of(i) * f[0] : T(1) + f[k] - f[o_.labels[i]];
        const T slope = margin - m_.beta[e] / T(2);
        if (!is_free(e, slope)) continue;
        m_.slopes[e] = slope;
        worst = largest(worst, absolute(slope));
        if (rows_ < o_.shape.samples) {
          m_.sample[rows_] = i;
          m_.output[rows_] = k;
        }
        ++rows_;
      }
    }
    return worst;
  }
  bool is_free(std::size_t e, T slope) const { return m_.beta[e] > T(0) || slope > T(0); }

  /// Projected Newton steps. False when they do not lead anywhere.
  [[gnu::noinline]] bool maximise(T budget) {
    T value = evaluate(m_.beta);
    steps_ = 0;
    for (int round = 0; round < most_steps; ++round, ++steps_) {
      const T worst = take_gradient();
      if (worst <= smallest(T(0.1) * o_.report.relative_gap, T(1e-2))) return true;
      if (flops_ > budget || !(rows_ > o_.shape.samples ? iterate() : solve())) return false;
      T length = 1;
      for (int tries = 0;; ++tries, length *= T(0.5)) {
        if (tries == most_halvings) return false;
        T rise = 0;
        for (std::size_t e = 0; e < o_.scores(); ++e) {
          m_.trial[e] = largest(m_.beta[e] + length * m_.way[e], T(0));
          rise += m_.slopes[e] * (m_.trial[e] - m_.beta[e]);
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

  /// way ← (½ + τ·E A U Aᵀ Eᵀ)⁻¹ of the gradient, of its free entries.
  [[gnu::noinline]] bool solve() {
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
    for (Index a = 0; a < rows_; ++a) {
      T* const row = row_of(system, a, width_);
      for (Index b = 0; b <= a && o_.options.intercept; ++b) row[b] += tau_ * overlap(a, b);
      row[a] += T(0.5);
      m_.step[a] = m_.slopes[std::size_t(m_.sample[a]) * o_.outputs + m_.output[a]];
    }
    if (!factor_cholesky(system, rows_, width_)) return false;
    solve_cholesky(static_cast<const T*>(system), rows_, width_, m_.step);
    fill(m_.way, o_.scores(), T(0));
    for (Index a = 0; a < rows_; ++a) m_.way[std::size_t(m_.sample[a]) * o_.outputs + m_.output[a]] = m_.step[a];
    return true;
  }

  /// The same by conjugate gradients, where there are more free entries than the system holds. `trial` is scratch.
  [[gnu::noinline]] bool iterate() {
    Index count = 0;
    for (Index j = 0; j < o_.shape.features; ++j) {
      bool any = false;
      for (Index k = 0; k < o_.shape.classes && !any; ++k) any = row_of(m_.point, j, o_.outputs)[k] != T(0);
      if (any) m_.support[count++] = j;
    }
    const std::size_t size = o_.scores();
    T* const direction = m_.trial;
    fill(m_.way, size, T(0));
    copy(static_cast<const T*>(m_.slopes), size, m_.rest);
    copy(static_cast<const T*>(m_.slopes), size, direction);
    T square = squared_norm(m_.rest, size, Pack<T>::zero()).sum();
    const T enough = T(1e-6) * square;
    for (int round = 0; round < most_products && square > enough; ++round) {
      apply(direction, count);
      const T curvature = inner(direction, m_.product);
      if (!(curvature > T(0))) return false;
      const T length = square / curvature;
      for (std::size_t e = 0; e < size; ++e) {
        m_.way[e] += length * direction[e];
        m_.rest[e] -= length * m_.product[e];
      }
      const T next = squared_norm(m_.rest, size, Pack<T>::zero()).sum(), ratio = next / square;
      for (std::size_t e = 0; e < size; ++e) direction[e] = m_.rest[e] + ratio * direction[e];
      square = next;
    }
    return true;
  }
  T inner(const T* a, const T* b) const {
    auto total = Pack<T>::zero();
    for (std::size_t e = 0; e < o_.scores(); e += lanes<T>) total = total + Pack<T>::load(a + e) * Pack<T>::load(b + e);
    return total.sum();
  }
  /// product ← (½ + τ·E A U Aᵀ Eᵀ) d on what is free.
  [[gnu::noinline]] void apply(const T* d, Index count) {
    flops_ += T(4) * T(o_.shape.samples) * T(count) * T(o_.shape.classes);
    take_slopes(d);
    T* const g = o_.m.g;
    T* const f = m_.product;
    column_sums(static_cast<const T*>(o_.m.u), o_.shape.samples, o_.outputs, o_.m.row);
    if (!o_.options.intercept) fill(o_.m.row, o_.outputs, T(0));
    o_.design.transposed_multiply(m_.support, count, o_.m.u, o_.outputs, g);
    o_.penalty.for_each_jacobian(
        o_.rows(static_cast<const T*>(m_.point)), o_.kernels, tau_,
        [&](Rows<const T> group, T scale, T weight, bool of_signs) {
          T along = 0;
          for (int pass = 0; pass < 2; ++pass)
            for (Index r = 0; r < group.rows; ++r) {
              const T* row = group.row(r);
              T* out = g + (row - m_.point);
              for (Index k = 0; k < o_.shape.classes; ++k) {
                const T entry = of_signs ? sign(row[k]) : row[k];
                if (pass == 0 && entry != T(0)) along += entry * out[k];
                if (pass == 1)
                  out[k] = o_.penalty.p == 1 && row[k] == T(0) ? T(0) : scale * out[k] + weight * along * entry;
              }
            }
        });
    o_.design.multiply(m_.support, count, g, o_.outputs, o_.m.row, f);
    for (Index i = 0; i < o_.shape.samples; ++i) {
      const T own = o_.binary() ? T(0) : row_of(f, i, o_.outputs)[o_.labels[i]];
      for (Index k = 0; k < o_.outputs; ++k) {
        const std::size_t e = std::size_t(i) * o_.outputs + k;
        const bool free = k < o_.shape.classes && (o_.binary() || k != o_.labels[i]) && is_free(e, m_.slopes[e]);
        const T slope = o_.binary() ? -o_.sign_of(i) * f[e] : f[e] - own;
        f[e] = free ? tau_ * slope + d[e] / T(2) : T(0);
      }
    }
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
    m_.gram.begin(rows_, width_, system_);
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

  static constexpr int most_rounds = 20, most_steps = 15, slow = 8, most_products = 200, most_halvings = 12,
                       most_failures = 4;

  KernelWorkspace<T>& o_;
  KernelNewtonMemory<T>& m_;
  const T* gram_;
  T* system_;
  Index width_;
  T tau_;
  bool moved_ = false;
  Index rows_ = 0;
  int steps_ = 0;
  T flops_ = T(0);
};

}  // namespace tamis
