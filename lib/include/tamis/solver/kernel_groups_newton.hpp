#pragma once
/// Newton's method for several kernels and p = 2, whose models are whole groups of coefficients.

#include "kernel_descent.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Where groups stay what they are, zero or not, and the violations (1 − yf, or 1 + f_k − f_y, above 0) too, F is
/// smooth: Newton's steps there, a proximal term ‖d‖²/2τ settling what nothing else does. With E what violations see of
/// scores and U = (∇²Ω + 1/τ)⁻¹, whose groups are a multiple of the identity and one direction each, a step is
/// d = −U(∇F − AᵀEᵀv), (½ + E A U Aᵀ Eᵀ)v = E A U ∇F: a row for each violation. Where these exceed the samples,
/// conjugate gradients. Steps are shortened until F falls; between them a proximal gradient step says what joins, and
/// groups that would turn round, or are small, become zero.
///
/// Why it is here: seconds to a gap of 1e-6 with it and without, of 500 digits and λ = 100: (2, 1; 1) 0.37 and 1.4,
/// (2, 1; 2) 0.37 and 1.5, (2, 2) 0.97 and more than 2. On the Titanic, λ = 1, (2, 1; 1) loses 0.0015 s. These are rows
/// `ours` and `admm-without-newton` of the speed.csv that the target paper_d_speed writes.
///
/// Cost: for q violations of m samples and d coefficients that are not zero, m²·d + q³/3 flops a step, else two
/// products with them for each conjugate gradient; some products with the design. Source: finite Newton methods for the
/// squared hinge (Keerthi and DeCoste 2005), on the faces of Kowalski et al.'s (2009) penalties.
template <class T>
class KernelGroupsNewton : KernelDescent<T> {
  using Base = KernelDescent<T>;
  using Base::m_, Base::workspace_, Base::width_, Base::flops_, Base::fall_, Base::length_, Base::objective_,
      Base::point, Base::search, Base::violation;

 public:
  using Base::flops, Base::take_end;

  /// The first of memory.squares is AAᵀ, the others are lost; `gradient` holds coefficients; `step` is that of proximal
  /// steps.
  KernelGroupsNewton(KernelWorkspace<T>& workspace, KernelNewtonMemory<T>& memory, T* gradient, T step)
      : Base(workspace, memory), gradient_(gradient), step_(T(0.1) * step), tau_(T(10) * step) {
    const std::size_t square = std::size_t(workspace.shape.samples) * width_;
    gram_ = memory.squares;
    system_ = memory.squares + square;
    block_ = memory.squares + 2 * square;
  }

  /// Offers models and dual points, from the coefficients `start` and the intercepts in b.
  [[gnu::noinline]] void run(const T* start, T budget) {
    Base::descend(start, budget, [this, budget] { return move(budget); });
  }

 private:
  /// From the products in g.
  void take_proximal_step() {
    const T* const g = workspace_.m.g;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) m_.direction[e] = m_.point[e] - step_ * g[e];
    workspace_.penalty.prox(workspace_.rows(m_.direction), workspace_.kernels, step_);
    Sum<T> square;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) {
      m_.direction[e] -= m_.point[e];
      square.add(m_.direction[e] * m_.direction[e]);
    }
    fill(m_.b_direction, workspace_.outputs, T(0));
    if (search(-square.value() / step_)) step_ *= length_ < T(1) ? T(2) * length_ : T(2);
  }

  /// False when it leads nowhere.
  bool move(T budget) {
    take_proximal_step();
    if (blocked_) drop_small();
    bool moved = false;
    for (int round = 0; round < most_steps && flops_ < budget; ++round) {
      if (!take_newton_step()) return moved;
      moved = true;
      blocked_ = length_ < T(0.3);
      const bool small = fall_ < T(0.01) * workspace_.report.relative_gap * objective_;
      if (small && (length_ < T(1) || round > 1)) return true;
      tau_ *= length_ == T(1) ? T(small ? 100 : 10) : length_ < T(0.3) ? T(0.1) : T(1);
    }
    return moved;
  }
  /// Groups that are small beside the largest become zero, as many as F rises by less than a share of the gap with:
  /// proximal steps bring those back that should not be, while one that hardly is zero makes steps short.
  void drop_small() {
    if (workspace_.penalty.q == 2) return;
    T top = 0;
    for_each_group([&](Rows<const T> group) { top = largest(top, detail::norm2(group)); });
    for (const T level : {T(0.1), T(0.01), T(0.001)})
      if (drop_below(level * top)) return;
  }
  bool drop_below(T level) {
    fill(m_.direction, workspace_.coefficients(), T(0));
    fill(m_.b_direction, workspace_.outputs, T(0));
    bool any = false;
    for_each_group([&](Rows<const T> group) {
      if (detail::norm2(group) > level) return;
      any = true;
      for_each_entry_of(group, [&](std::size_t e) { m_.direction[e] = -m_.point[e]; });
    });
    const T allowed = T(0.1) * workspace_.report.relative_gap * objective_;
    objective_ += allowed;
    if (any && search(T(-100) * epsilon<T> * objective_, 1)) return true;
    objective_ -= allowed;
    return false;
  }
  /// Of the groups that are not zero.
  template <class Visit>
  void for_each_group(Visit visit) const {
    workspace_.penalty.for_each_jacobian(point(), workspace_.kernels, tau_,
                                         [&](Rows<const T> group, T, T, bool) { visit(group); });
  }
  template <class Visit>
  void for_each_entry_of(Rows<const T> group, Visit visit) const {
    for (Index r = 0; r < group.rows; ++r) {
      const auto first = static_cast<std::size_t>(group.row(r) - m_.point);
      for (std::size_t e = first; e < first + workspace_.shape.classes; ++e) visit(e);
    }
  }

  /// False when it leads nowhere.
  [[gnu::noinline]] bool take_newton_step() {
    list_support();
    list_violations();
    take_gradient();
    if (!(rows_ <= workspace_.shape.samples ? solve_violations() : iterate())) return false;
    Sum<T> slope;
    for (std::size_t e = 0; e < workspace_.coefficients(); ++e) slope.add(gradient_[e] * m_.direction[e]);
    for (Index k = 0; k < workspace_.shape.classes; ++k) slope.add(m_.b_gradient[k] * m_.b_direction[k]);
    return go(slope.value());
  }

  /// ∇F at the coefficients that are not zero, and at the intercepts.
  void take_gradient() {
    copy(static_cast<const T*>(m_.scores), workspace_.scores(), workspace_.m.u);
    workspace_.take_slopes();
    fill(m_.b_gradient, workspace_.outputs, T(0));
    if (workspace_.options.intercept)
      column_sums(static_cast<const T*>(workspace_.m.u), workspace_.shape.samples, workspace_.outputs, m_.b_gradient);
    fill(gradient_, workspace_.coefficients(), T(0));
    workspace_.penalty.gradient(point(), workspace_.kernels, gradient_);
    T* const g = workspace_.m.g;
    workspace_.design.transposed_multiply(m_.support, support_, workspace_.m.u, workspace_.outputs, g);
    flops_ += support_cost();
    for (Index s = 0; s < support_; ++s) {
      const T* from = row_of(g, m_.support[s], workspace_.outputs);
      T* to = row_of(gradient_, m_.support[s], workspace_.outputs);
      for (Index k = 0; k < workspace_.shape.classes; ++k) to[k] += from[k];
    }
  }

  /// Goes the way, of slope `slope`: first as if groups that turn round ended at zero, and groups that change by more
  /// than they are.
  bool go(T slope) {
    if (workspace_.penalty.q == 2) return search(slope);
    for (const bool farther : {true, false}) {
      T cut = slope;
      bool any = false;
      for_each_turned(farther, [&](std::size_t e) {
        cut -= gradient_[e] * (m_.point[e] + m_.direction[e]);
        any = true;
      });
      if (!any || !(cut < T(0))) continue;
      copy(static_cast<const T*>(m_.direction), workspace_.coefficients(), m_.spare);
      for_each_turned(farther, [&](std::size_t e) { m_.direction[e] = -m_.point[e]; });
      if (search(cut, 2)) return true;
      copy(static_cast<const T*>(m_.spare), workspace_.coefficients(), m_.direction);
    }
    return search(slope);
  }
  /// Coefficients of groups that turn by more than a right angle, or change by more than their size.
  template <class Visit>
  void for_each_turned(bool farther, Visit visit) const {
    for_each_group([&](Rows<const T> group) {
      T inner = 0, square = 0, direction = 0;
      for_each_entry_of(group, [&](std::size_t e) {
        inner += m_.point[e] * m_.direction[e];
        square += m_.point[e] * m_.point[e];
        direction += m_.direction[e] * m_.direction[e];
      });
      if (inner < -square || (farther && direction > square)) for_each_entry_of(group, visit);
    });
  }

  void list_support() {
    support_ = 0;
    for (Index j = 0; j < workspace_.shape.features; ++j) {
      const T* row = row_of(m_.point, j, workspace_.outputs);
      bool any = false;
      for (Index k = 0; k < workspace_.shape.classes && !any; ++k) any = row[k] != T(0);
      if (any) m_.support[support_++] = j;
    }
  }
  /// As many as the system holds are listed, all are counted.
  void list_violations() {
    rows_ = 0;
    for (Index i = 0; i < workspace_.shape.samples; ++i)
      for (Index k = 0; k < workspace_.shape.classes; ++k) {
        if (!(violation(i, k) > T(0))) continue;
        if (rows_ < workspace_.shape.samples) {
          m_.sample[rows_] = i;
          m_.output[rows_] = k;
        }
        ++rows_;
      }
  }

  T support_cost() const { return T(2) * T(workspace_.shape.samples) * T(support_) * T(workspace_.shape.classes); }

  /// How much the slopes of two rows have in common: ⟨e_k − e_y, e_k' − e_y'⟩, yy' of a binary problem.
  T overlap(Index a, Index b) const {
    const Label y = workspace_.labels[m_.sample[a]], z = workspace_.labels[m_.sample[b]];
    if (workspace_.binary()) return y == z ? T(1) : T(-1);
    const Index k = m_.output[a], l = m_.output[b];
    return T(k == l) - T(k == z) - T(y == l) + T(y == z);
  }
  /// The same, of class c alone.
  T share(Index a, Index c) const {
    const Label y = workspace_.labels[m_.sample[a]];
    if (workspace_.binary()) return y == 1 ? T(-1) : T(1);
    return T(m_.output[a] == c) - T(y == c);
  }
  /// Eᵀ in place: what is said of violations, as slopes.
  void expand(T* rows) const {
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      T* const u = row_of(rows, i, workspace_.outputs);
      if (workspace_.binary()) {
        u[0] *= -workspace_.sign_of(i);
        continue;
      }
      T sum = 0;
      for (Index k = 0; k < workspace_.shape.classes; ++k) sum += k == workspace_.labels[i] ? T(0) : u[k];
      u[workspace_.labels[i]] = -sum;
    }
  }
  /// E in place: scores become what the violations see, 0 elsewhere.
  void reduce(T* rows) const {
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      T* const f = row_of(rows, i, workspace_.outputs);
      const T own = workspace_.binary() ? T(0) : f[workspace_.labels[i]];
      for (Index k = 0; k < workspace_.shape.classes; ++k) {
        const T seen = workspace_.binary() ? -workspace_.sign_of(i) * f[k] : f[k] - own;
        f[k] = violation(i, k) > T(0) ? seen : T(0);
      }
    }
  }
  /// g ← U g on the support.
  void apply_inverse(T* g) {
    workspace_.penalty.for_each_jacobian(
        point(), workspace_.kernels, tau_, [&](Rows<const T> group, T scale, T weight, bool) {
          T along = 0;
          for_each_entry_of(group, [&](std::size_t e) { along += m_.point[e] * g[e]; });
          for_each_entry_of(group, [&](std::size_t e) { g[e] = tau_ * (scale * g[e] + weight * along * m_.point[e]); });
        });
  }
  /// right ← E A U ∇F, as the rows of the system see it.
  void take_right() {
    T* const g = workspace_.m.g;
    copy(static_cast<const T*>(gradient_), workspace_.coefficients(), g);
    apply_inverse(g);
    for (Index k = 0; k < workspace_.outputs; ++k)
      workspace_.m.row[k] = workspace_.options.intercept ? b_tau * m_.b_gradient[k] : T(0);
    copy(static_cast<const T*>(workspace_.m.row), workspace_.outputs, m_.b_direction);
    workspace_.multiply(g, m_.b_direction, m_.right);
    reduce(m_.right);
    flops_ += support_cost();
  }
  /// The way −U(∇F − AᵀEᵀv), from v.
  void take_way(T* v) {
    expand(v);
    T* const g = workspace_.m.g;
    workspace_.design.transposed_multiply(m_.support, support_, v, workspace_.outputs, g);
    copy(static_cast<const T*>(gradient_), workspace_.coefficients(), m_.direction);
    for (Index s = 0; s < support_; ++s)
      for (Index k = 0; k < workspace_.outputs; ++k) {
        const std::size_t e = std::size_t(m_.support[s]) * workspace_.outputs + k;
        m_.direction[e] = g[e] - gradient_[e];
      }
    apply_inverse(m_.direction);
    column_sums(static_cast<const T*>(v), workspace_.shape.samples, workspace_.outputs, workspace_.m.row);
    for (Index k = 0; k < workspace_.outputs; ++k)
      m_.b_direction[k] = workspace_.options.intercept ? b_tau * (workspace_.m.row[k] - m_.b_gradient[k]) : T(0);
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
    const T q = T(rows_), m = T(count);
    flops_ += q * q * q / T(3);
    const auto& penalty = workspace_.penalty;
    if (penalty.q == 2) {
      const T scale = tau_ / (T(1) + tau_ * penalty.lambda);
      for (Index a = 0; a < rows_; ++a)
        for (Index b = 0; b <= a; ++b)
          row_of(system, a, width_)[b] = scale * overlap(a, b) * row_of(gram_, m_.sample[a], width_)[m_.sample[b]];
    } else {
      flops_ += m * m * add_block(count) + q * q;
      for (Index a = 0; a < rows_; ++a)
        for (Index b = 0; b <= a; ++b)
          row_of(system, a, width_)[b] = overlap(a, b) * row_of(block_, m_.place[a], width_)[m_.place[b]];
    }
    add_directions();
    take_right();
    for (Index a = 0; a < rows_; ++a) {
      T* const row = row_of(system, a, width_);
      for (Index b = 0; b <= a && workspace_.options.intercept; ++b) row[b] += b_tau * overlap(a, b);
      row[a] += T(0.5);
      m_.column[a] = row_of(m_.right, m_.sample[a], workspace_.outputs)[m_.output[a]];
    }
    if (!factor_cholesky(system, rows_, width_)) return false;
    solve_cholesky(static_cast<const T*>(system), rows_, width_, m_.column);
    fill(m_.step, workspace_.scores(), T(0));
    for (Index a = 0; a < rows_; ++a) row_of(m_.step, m_.sample[a], workspace_.outputs)[m_.output[a]] = m_.column[a];
    take_way(m_.step);
    return true;
  }
  /// block ← τ A diag(U) Aᵀ of the listed samples; how many rows of coefficients U has.
  [[gnu::noinline]] T add_block(Index count) {
    fill(block_, std::size_t(count) * width_, T(0));
    m_.gram.begin(count, width_, block_);
    T kept = 0;
    workspace_.penalty.for_each_jacobian(point(), workspace_.kernels, tau_, [&](Rows<const T> group, T scale, T, bool) {
      for (Index r = 0; r < group.rows; ++r) {
        const T* column = column_of(group.row(r));
        m_.gram.add(tau_ * scale, [&](Index e) { return column[m_.list[e]]; });
        kept += T(1);
      }
    });
    m_.gram.flush();
    return kept;
  }
  /// The design's column of a row of `point`.
  const T* column_of(const T* row) const {
    return workspace_.design.column(static_cast<Index>(std::size_t(row - m_.point) / workspace_.outputs)).values;
  }
  /// What U has beside its diagonal: a direction for each group.
  [[gnu::noinline]] void add_directions() {
    if (workspace_.penalty.q == 2) return;
    m_.gram.begin(rows_, width_, system_);
    workspace_.penalty.for_each_jacobian(
        point(), workspace_.kernels, tau_, [&](Rows<const T> group, T, T weight, bool) {
          T* const direction = m_.column;
          fill(direction, rows_, T(0));
          for (Index r = 0; r < group.rows; ++r) {
            const T* row = group.row(r);
            const T* column = column_of(row);
            for (Index k = 0; k < workspace_.shape.classes; ++k) {
              if (row[k] == T(0)) continue;
              for (Index e = 0; e < rows_; ++e) direction[e] += share(e, k) * row[k] * column[m_.sample[e]];
            }
          }
          flops_ += T(2) * T(rows_) * (T(group.rows) * T(workspace_.shape.classes) + T(rows_));
          m_.gram.add(tau_ * weight, [&](Index e) { return direction[e]; });
        });
    m_.gram.flush();
  }

  // ---- where they are too many --------------------------------------------------------------------------------------

  /// By conjugate gradients.
  [[gnu::noinline]] bool iterate() {
    const std::size_t size = workspace_.scores();
    take_right();
    fill(m_.step, size, T(0));
    copy(static_cast<const T*>(m_.right), size, m_.rest);
    T square = inner(m_.right, m_.right);
    const T enough = largest(T(1e-6) * workspace_.report.relative_gap, T(100) * epsilon<T> * epsilon<T>) * square;
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
    auto total = Simd<T>::zero();
    for (std::size_t e = 0; e < workspace_.scores(); e += lanes<T>)
      total = total + Simd<T>::load(a + e) * Simd<T>::load(b + e);
    return total.sum();
  }
  /// out ← (½ + E A U Aᵀ Eᵀ) d.
  [[gnu::noinline]] void apply(const T* d, T* out) {
    T* const u = workspace_.m.u;
    T* const g = workspace_.m.g;
    copy(d, workspace_.scores(), u);
    expand(u);
    fill(workspace_.m.row, workspace_.outputs, T(0));
    if (workspace_.options.intercept)
      column_sums(static_cast<const T*>(u), workspace_.shape.samples, workspace_.outputs, workspace_.m.row);
    for (Index k = 0; k < workspace_.outputs; ++k) workspace_.m.row[k] *= b_tau;
    workspace_.design.transposed_multiply(m_.support, support_, u, workspace_.outputs, g);
    apply_inverse(g);
    workspace_.design.multiply(m_.support, support_, g, workspace_.outputs, workspace_.m.row, out);
    reduce(out);
    for (std::size_t e = 0; e < workspace_.scores(); ++e) out[e] += d[e] / T(2);
    flops_ += T(2) * support_cost();
  }

  static constexpr int most_steps = 5, most_products = 200;
  static constexpr T b_tau = T(1000);  ///< of intercepts, whose size margins of 1 set

  const T* gram_;
  T *system_, *block_, *gradient_;
  T step_, tau_;
  bool blocked_ = true;           ///< the last step was short
  Index rows_ = 0, support_ = 0;  ///< violations; rows of coefficients that are not zero
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
