#pragma once
/// A proximal point step on the saddle problem of a simplex loss, solved by semismooth Newton on its dual function.

#include "chosen_samples.hpp"
#include "newton_system.hpp"
#include "primal_dual.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The second phase of TwoPhase, one outer step of it: from (Wᵗ, Zᵗ ≈ AWᵗ, uᵗ) it maximises over u (samples × classes)
///
///     D(u) = min_W {λΩ(W) + ⟨Aᵀu, W⟩ + ‖W − Wᵗ‖²/2τ} + min_Z {h(Z) − ⟨u, Z⟩ + ‖Z − Zᵗ‖²/2τ'} − ‖u − uᵗ‖²/2σ,
///     ∇D = A W(u) − Z(u) − (u − uᵗ)/σ,   W(u) = prox_{τλΩ}(Wᵗ − τAᵀu),   Z(u) = prox_{τ'h}(Zᵗ + τ'u),
///
/// h = Σ cᵢℓᵢ, which is concave with a continuous gradient. With U the Jacobian of the first prox and J = diag(r) −
/// rrᵀ/Σr that of prox_{h*/τ'} in the second, a Newton step is Δu = B(∇D − AQδ), (I/τ + QᵀAᵀBAQ) δ = QᵀAᵀB∇D, U = QQᵀ,
/// B = (τ'(I − J) + I/σ)⁻¹ = bI + diag(ρ) − ρρᵀ/Σρ, b = 1/(τ' + 1/σ), ρ_k = τ'b²/(b/σ + 1/r_k − 1): see NewtonSystem.
/// In the scales sⱼ of columns ‖W‖² is Σⱼ sⱼ²‖Wⱼ‖², and in row j τ is τ/sⱼ²: see WorkingSet::scale_of. Where more
/// coefficients are nonzero than the memory was made for, conjugate gradients solve (τAUAᵀ + B⁻¹) Δu = ∇D instead. A is
/// that of the samples in `chosen_`.
///
/// `begin_outer` starts at the centres, `ascend` is one Newton step. Its memory is the first phase's in a second role,
/// and a `Memory` of its own. Cost of a Newton step: six to eight products with the chosen samples, one way each, and
/// the system.
template <class T, class Loss, class Penalty, class Design>
class ProximalPoint : public PrimalDual<T, Loss, Penalty, Design> {
  using Base = PrimalDual<T, Loss, Penalty, Design>;

 protected:
  using Base::add_rows, Base::design_, Base::dual_entries, Base::for_each_active_group, Base::for_each_active_row,
      Base::intercept_scale_, Base::loss_, Base::memory_, Base::multiply, Base::options_, Base::own_, Base::penalty_,
      Base::penalty_value, Base::precondition, Base::prox, Base::shape_, Base::squared_distance_of_rows, Base::step_of,
      Base::stride_, Base::targets_, Base::transposed_multiply;
  using System = NewtonSystem<T, !HasPlainJacobian<Penalty>>;
  using Samples = ChosenSamples<T, Design>;

  using Base::Base;

  struct Memory {
    T* product;   ///< AᵀΔu and δ: a coefficient matrix
    T* scores;    ///< Zᵗ; samples × stride like those that follow
    T* dual;      ///< the projection in Z(u): a dual point
    T* gradient;  ///< ∇D
    System system;
    T* conjugate;  ///< in the place of the system: residual, direction and image

    constexpr void take(Arena& arena, Shape shape, Index active_limit, std::size_t most_values,
                        typename Samples::Memory& chosen) {
      const std::size_t duals = CommonMemory<T>::duals(shape);
      product = arena.take<T>(CommonMemory<T>::coefficients(shape));
      scores = arena.take<T>(duals);
      dual = arena.take<T>(duals);
      gradient = arena.take<T>(duals);
      chosen.take(arena, shape, most_values);
      Arena other = arena;
      system.take(arena, shape, active_limit);
      conjugate = other.take<T>(detail::saturating_multiply(3, duals));
      if (other.used() > arena.used()) arena = other;
    }
  };

  // The first phase's memory, in its second role.
  T* centre_w() const { return own_.x; }         // Wᵗ
  T* w() const { return own_.anchor_x; }         // W(u)
  T* pull() const { return own_.v; }             // Aᵀu
  T* centre_u() const { return own_.anchor_u; }  // uᵗ
  T* u() const { return own_.u; }
  T* step_u() const { return own_.z; }  // Δu

  const Design& here() const { return chosen_.design(); }
  Index samples() const { return chosen_.count(); }
  std::size_t duals() const { return static_cast<std::size_t>(samples()) * stride_; }

  /// Begins an outer step at W, and at the scores and duals of all samples.
  void begin_outer() {
    chosen_.compress(newton_.scores, stride_);
    chosen_.compress(u(), stride_);
    copy(static_cast<const T*>(u()), duals(), centre_u());
    transposed_multiply(here(), u(), pull());
    fill(step_u(), duals(), T(0));
    value_ = evaluate(T(0));
  }

  /// One Newton step, shortened so that D rises.
  [[gnu::always_inline]] void ascend() {
    conjugate_ = !solve_newton_system();
    if (conjugate_) solve_by_conjugate_gradients();
    transposed_multiply(here(), step_u(), newton_.product);
    const T alpha = search();
    add_duals(u(), alpha, step_u(), u());
    add_rows(pull(), alpha, newton_.product, pull());
  }

  /// Moves the centres: Wᵗ to W(u), Zᵗ to Z(u); uᵗ is left to begin_outer.
  [[gnu::always_inline]] void move_centres() {
    add_duals(u(), T(-1), newton_.dual, newton_.gradient);
    add_duals(newton_.scores, tau_z_, newton_.gradient, newton_.scores);
    for_each_active_row([&](Index j) {
      copy(static_cast<const T*>(row_of(w(), j, stride_)), stride_, row_of(centre_w(), j, stride_));
    });
  }

 private:
  /// D(u + αΔu); leaves W(u), the projection, ∇D, and what has moved.
  [[gnu::noinline]] T evaluate(T alpha) {
    moved_w_ = move_coefficients(alpha);
    multiply(here(), w(), newton_.gradient);
    return evaluate_scores(alpha);
  }

  /// The same, W(u) and its scores being there already.
  [[gnu::noinline]] T evaluate_scores(T alpha) {
    const Index stride = stride_;
    Sum<T> value;
    auto moved = Simd<T>::zero();
    const T inverse_z = T(1) / tau_z_;
    const auto over_sigma = SimdOrScalar<T>::fill(T(1) / sigma_), over_z = SimdOrScalar<T>::fill(inverse_z);
    const auto half = SimdOrScalar<T>::fill(T(0.5));
    const auto times_z = SimdOrScalar<T>::fill(tau_z_), part = SimdOrScalar<T>::fill(alpha);
    const auto start = [&](Index i, T* point, T* z) TAMIS_INLINED {
      const std::size_t at = std::size_t(i) * stride;
      const T* from = newton_.scores + at;
      const T* step = step_u() + at;
      T* q = newton_.dual + at;
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
        const auto now = SimdOrScalar<T>::load(u() + at + k) + part * SimdOrScalar<T>::load(step + k);
        const auto argument = over_z * SimdOrScalar<T>::load(from + k) + now;
        now.store(point + k);
        argument.store(q + k);
        (times_z * argument).store(z + k);
      }
    };
    const auto finish = [&](Index i, T* point, T* z, Label label, T margin, T weight) TAMIS_INLINED {
      const std::size_t at = std::size_t(i) * stride;
      const T* from = newton_.scores + at;
      const T* q = newton_.dual + at;
      T* g = newton_.gradient + at;
      auto terms = Simd<T>::zero();
      for (Index k = 0; k < stride; k += SimdOrScalar<T>::width) {
        const auto dual = SimdOrScalar<T>::load(point + k);
        const auto score = SimdOrScalar<T>::load(z + k) - times_z * SimdOrScalar<T>::load(q + k);
        const auto difference = SimdOrScalar<T>::load(g + k) - score;
        const auto du = dual - SimdOrScalar<T>::load(centre_u() + at + k);
        const auto dz = score - SimdOrScalar<T>::load(from + k);
        const auto pull = over_sigma * du;
        const auto gradient = difference - pull;
        const auto distance_z = over_z * dz * dz, distance_u = pull * du;
        score.store(z + k);
        gradient.store(g + k);
        add_to_lanes<T>(dual * difference + half * (distance_z - distance_u), k, terms);
        add_to_lanes<T>(distance_z + distance_u, k, moved);
      }
      value.add(terms.sum());
      if (weight > T(0)) value.add(weight * loss_.value(z, shape_.classes, label, margin));
    };
    T points[2 * lanes<T> * rows_in_lanes];
    const bool together = ProxesRows<Loss, T> && shape_.classes <= rows_in_lanes;
    T* const point = together ? points : memory_.row[0];
    T* const z = together ? points + std::size_t{lanes<T>} * stride : memory_.row[1];
    for_each_dual_rows<T>(
        together, samples(), targets_, [&](Index i) { return chosen_.number(i); },
        [&](const DualRows<T>& rows) TAMIS_INLINED {
          for (Index r = 0; r < rows.count; ++r) start(rows.first + r, row_of(point, r, stride), row_of(z, r, stride));
          rows.dual_prox(loss_, row_of(newton_.dual, rows.first, stride), stride, shape_.classes, inverse_z);
          for (Index r = 0; r < rows.count; ++r)
            finish(rows.first + r, row_of(point, r, stride), row_of(z, r, stride), rows.label[r], rows.margin[r],
                   rows.weight[r]);
        });
    gradient_norm_ = square_root(inner_product(newton_.gradient, newton_.gradient));
    slope_ = inner_product(newton_.gradient, step_u());
    moved_ = square_root(moved_w_ / tau_ + moved.sum());
    value.add(options_.lambda * penalty_value(w()));
    value.add(moved_w_ / (T(2) * tau_));
    return value.value();
  }

  /// W ← prox(Wᵗ − τ(Aᵀu + αAᵀΔu)); returns ‖W − Wᵗ‖².
  T move_coefficients(T alpha) {
    // Without a step the product may not have been written yet.
    add_rows(pull(), alpha, alpha != T(0) ? newton_.product : pull(), w());
    precondition(w());
    add_rows(centre_w(), -tau_, w(), w());
    prox(w(), tau_ * options_.lambda);
    return squared_distance_of_rows(w(), centre_w());
  }

  /// to ← from + αx over the rows of all samples.
  TAMIS_NOINLINE_IF_SMALLEST void add_duals(const T* from, T alpha, const T* x, T* to) const {
    add_scaled_row(from, alpha, x, duals(), to);
  }
  /// ⟨a, b⟩ over the rows of all samples.
  T inner_product(const T* a, const T* b) const { return dot(a, b, duals()); }

  /// A step length at which D has risen, from its slope along Δu, which falls: the full step if it does not overshoot,
  /// else between the last points before and beyond the top, by the secant.
  T search() {
    const T slope = inner_product(newton_.gradient, step_u());
    exhausted_ = !(slope > T(16) * epsilon<T> * absolute(value_));  // the gain would drown in rounding errors
    const T before = gradient_norm_;
    T alpha = T(1);
    T low = 0, low_slope = slope, high = 0, high_slope = 0;
    for (int trial = 0;; ++trial) {
      value_ = evaluate(alpha);
      const bool beyond = slope_ < T(0);
      if (slope_ >= T(-0.5) * slope && (slope_ <= T(0.9) * slope || high == T(0))) break;
      if (gradient_norm_ <= T(0.5) * before || trial == 12 || exhausted_) break;
      (beyond ? high : low) = alpha;
      (beyond ? high_slope : low_slope) = slope_;
      const T width = high - low;
      const T next = low + width * (low_slope / (low_slope - high_slope));
      alpha = largest(smallest(next, high - T(0.1) * width), low + T(0.1) * width);
    }
    return alpha;
  }

  T stiffness(Index i, Index k) const {  // 1/r_k − 1
    return loss_.stiffness(row_of(newton_.dual, i, stride_)[k], k == targets_.labels[chosen_.number(i)],
                           targets_.weight(chosen_.number(i)), T(1) / tau_z_);
  }
  T response() const { return T(1) / (tau_z_ + T(1) / sigma_); }  // b
  T response_of(Index i, Index k) const {                          // ρ_k
    const T b = response(), stiff = stiffness(i, k);
    return stiff == T(0) ? sigma_ - b : tau_z_ * b * (b / (b / sigma_ + stiff));
  }

  /// to ← B from; `inverse`: to ← B⁻¹ from + τ to, B⁻¹ = I/b − τ'(diag(r) − rrᵀ/Σr). to may be from.
  [[gnu::noinline]] void apply_b(const T* from, T* to, bool inverse = false) const {
    T* const w = memory_.row[0];
    const T outside = inverse ? T(1) / response() : response(), factor = inverse ? -tau_z_ : T(1);
    for (Index i = 0; i < samples(); ++i) {
      const T* in = row_of(from, i, stride_);
      T* out = row_of(to, i, stride_);
      T total = 0, size = 0;
      for (Index k = 0; k < shape_.classes; ++k) {
        w[k] = inverse ? T(1) / (T(1) + stiffness(i, k)) : response_of(i, k);
        total += w[k] * in[k];
        size += w[k];
      }
      const T mean = size > T(0) ? total / size : T(0);
      for (Index k = 0; k < stride_; ++k) {
        T value = outside * in[k];
        if (k < shape_.classes && w[k] > T(0)) value += factor * w[k] * (in[k] - mean);
        if (inverse) value += tau_ * out[k];  // else there may be anything
        out[k] = value;
      }
    }
  }

  /// Visits (rows of W(u), ProxJacobian) of the active groups.
  template <class Visit>
  void for_each_jacobian(Visit visit) const {
    for_each_active_group([&](FeatureGroup group) {
      const Rows<const T> rows = this->rows(static_cast<const T*>(w()), group);
      penalty_.prox_jacobian(rows, step_of(group.first, tau_ * options_.lambda),
                             [&](const ProxJacobian<T>& jacobian) { visit(rows, jacobian); });
    });
  }

  /// Δu by a factor of the system; false when it does not fit or is not definite.
  [[gnu::noinline]] bool solve_newton_system() {
    const typename System::template Problem<Design> problem{here(),
                                                            memory_.means,
                                                            memory_.exponents,
                                                            options_.intercept ? intercept_scale_ : T(0),
                                                            {samples(), shape_.features, shape_.classes},
                                                            stride_};
    const auto groups = [&](auto visit) { for_each_jacobian(visit); };
    const auto weight = [&](Index i, Index k) { return response_of(i, k); };
    if (!newton_.system.collect(problem, groups) || !newton_.system.update_gram(problem, step_u(), newton_.product) ||
        !newton_.system.form(problem, T(1) / tau_, response(), weight).factor())
      return false;
    const T size = T(newton_.system.size());
    system_epochs_ +=
        size * size * size / (T(12) * largest(T(design_.entries(nullptr, shape_.features)) * T(stride_), T(1)));
    apply_b(newton_.gradient, step_u());
    transposed_multiply(here(), step_u(), newton_.product);
    newton_.system.solve(newton_.product, stride_, shape_.classes, [&] {
      for_each_active_row([&](Index j) { fill(row_of(newton_.product, j, stride_), stride_, T(0)); });
    });
    multiply(here(), newton_.product, step_u());
    add_duals(newton_.gradient, T(-1), step_u(), step_u());
    apply_b(step_u(), step_u());
    return true;
  }

  /// Δu by conjugate gradients on τAUAᵀ + B⁻¹, preconditioned by B: products only, nothing stored.
  [[gnu::noinline]] void solve_by_conjugate_gradients() {
    T* const residual = newton_.conjugate;
    T* const direction = residual + dual_entries();
    T* const image = direction + dual_entries();
    fill(step_u(), duals(), T(0));
    fill(direction, duals(), T(0));
    copy(static_cast<const T*>(newton_.gradient), duals(), residual);
    T size = T(1), first = T(0);
    for (int round = 0;; ++round) {
      apply_b(residual, image);
      const T next = inner_product(residual, image);
      if (round == 0) first = next;
      if (round == 50 || !(next > T(1e-4) * first)) break;
      add_duals(image, round > 0 ? next / size : T(0), direction, direction);
      size = next;
      transposed_multiply(here(), direction, newton_.product);
      apply_jacobian(newton_.product);
      multiply(here(), newton_.product, image);
      apply_b(direction, image, true);  // B⁻¹ direction + τAUAᵀ direction
      const T curvature = inner_product(direction, image);
      if (!(curvature > T(0))) break;
      const T alpha = size / curvature;
      add_duals(step_u(), alpha, direction, step_u());
      add_duals(residual, -alpha, image, residual);
    }
    newton_.system.forget(shape_);  // its memory was used here, what it knows of the slots perhaps as well
  }
  /// v ← S⁻²U v on the active rows; the intercepts stay.
  void apply_jacobian(T* v) {
    const Index stride = stride_;
    for_each_active_group([&](FeatureGroup group) {
      const Rows<const T> rows = this->rows(static_cast<const T*>(w()), group);
      const Rows<T> image = this->rows(v, group);
      const T step = step_of(group.first, T(1));
      for (Index r = 0; r < rows.rows; ++r)  // zero coefficients stay zero
        for (Index k = 0; k < stride; ++k) image.row(r)[k] = rows.row(r)[k] == T(0) ? T(0) : step * image.row(r)[k];
      if constexpr (!HasPlainJacobian<Penalty>)
        penalty_.prox_jacobian(rows, step_of(group.first, tau_ * options_.lambda),
                               [&](const ProxJacobian<T>& jacobian) {
                                 apply_slope(jacobian.slope, jacobian.entries(rows), jacobian.entries(image));
                               });
    });
  }
  static void apply_slope(const ProxSlope<T>& slope, Rows<const T> w, Rows<T> v) {
    T inner = 0, square = 0;
    Index top = 0;
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) {
        const T entry = w(r, k);
        if (slope.level > T(0)) {
          if (absolute(entry) < slope.level) continue;
          inner += entry > T(0) ? v(r, k) : -v(r, k);
          ++top;
        } else {
          inner += entry * v(r, k);
          square += entry * entry;
        }
      }
    const T across = slope.scale * slope.scale;
    const T more = square > T(0) ? (slope.along * slope.along - across) * (inner / square) : T(0);
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) {
        const T entry = w(r, k);
        if (entry == T(0)) continue;
        if (slope.level == T(0)) v(r, k) = across * v(r, k) + more * entry;
        else if (absolute(entry) >= slope.level) v(r, k) = (entry > T(0) ? inner : -inner) / T(top);
      }
  }

 protected:
  Memory newton_;
  Samples chosen_{design_};
  bool exhausted_ = false;  ///< the last step gained no more than rounding errors
  bool conjugate_ = false;  ///< it was by conjugate gradients
  // What follows is set where the second phase begins.
  T tau_, sigma_, tau_z_;
  T value_;          ///< D(u)
  T gradient_norm_;  ///< ‖∇D‖
  T slope_;          ///< ⟨∇D, Δu⟩
  T moved_w_;        ///< ‖W(u) − Wᵗ‖²
  T moved_;          ///< distance of (W, Z, u) from the centres in the metric of the step sizes
  T system_epochs_;  ///< the work of factors, in products with the whole design
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
