#pragma once
/// Mixed norms of coefficients that belong to a sample and a kernel each.

#include "../concepts.hpp"
#include "group.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ‖w‖_p^q / q of one group w; p and q are 1 or 2. As GroupSum<NormPower> it is the penalty of solvers of linear
/// scores. Source: Kowalski et al. (2009), Proposition 3, whose p = 1, q = 2 divides by a norm too many.
struct NormPower {
  int p = 2;
  int q = 1;

  constexpr bool valid() const { return (p == 1 || p == 2) && (q == 1 || q == 2); }
  constexpr DualKind dual_kind() const { return q == 1 ? DualKind::norm : DualKind::conjugate; }

  template <class T>
  T value(const Rows<const T>& w) const {
    Sum<T> inside;
    detail::for_each_entry(w, [&](T entry) { inside.add(p == 1 ? absolute(entry) : entry * entry); });
    if (p == q) return inside.value() / T(q);
    return p == 1 ? inside.value() * inside.value() / T(2) : detail::norm2(w, inside.value());
  }

  /// p = q = 1: soft(w, step); p = q = 2: w/(1 + step); p = 2, q = 1: w (1 − step/‖w‖₂)₊; p = 1, q = 2: soft(w, ξ),
  /// ξ = step Σ (|w| − ξ)₊.
  template <class T>
  void prox(const Rows<T>& w, T step) const {
    if (p == 2 && q == 1) return detail::shrink2(w, step);
    if (p == 2) return detail::for_each_entry(w, [=](T& entry) { entry /= T(1) + step; });
    const T threshold = q == 1 ? step : elitist_threshold<T>(w, step);
    detail::for_each_entry(w, [=](T& entry) { entry = soft(entry, threshold); });
  }

  /// The norm dual to ‖·‖_p.
  template <class T>
  T dual(const Rows<const T>& g) const {
    return p == 1 ? detail::norm_inf(g) : detail::norm2(g);
  }
  /// q = 2: max_w ⟨g, w⟩ − λ‖w‖_p²/2.
  template <class T>
  T conjugate(const Rows<const T>& g, T lambda) const {
    const T norm = dual(g);
    return norm * (norm / lambda) / T(2);
  }

 private:
  /// Newton's method on ξ − step Σ (|w| − ξ)₊, increasing and concave, from its left: it ends where no entry drops out.
  template <class T>
  static T elitist_threshold(const Rows<const T>& w, T step) {
    T threshold = 0;
    for (;;) {
      T sum = 0;
      Index above = 0;
      detail::for_each_entry(w, [&](T entry) {
        const bool is_above = absolute(entry) > threshold;
        sum += is_above ? absolute(entry) : T(0);
        above += is_above;
      });
      const T next = step > T(0) ? sum / (T(1) / step + T(above)) : T(0);
      if (!(next > threshold)) return threshold;
      threshold = next;
    }
  }
};

/// (λ/q) ‖α‖_{pq;r}^q with ‖α‖_{pq;r}^q = Σ_g ‖α_g‖_p^q. r = 1: group g holds all kernels of a sample; r = 2: all
/// samples of a kernel. Groups extend over the classes; with p = q they make no difference.
///
/// Coefficients are Rows of kernels × samples, row t·n + l that of kernel t and sample l, in place. Each function costs
/// a few passes over them. Source: Kowalski et al. (2009), equations (4)–(5).
template <class T>
struct MixedNorm {
  int p = 2;
  int q = 1;
  int r = 1;
  T lambda = T(0);

  constexpr NormPower of_group() const { return {p, q}; }
  constexpr bool valid() const { return of_group().valid() && (r == 1 || r == 2); }

  T value(Rows<const T> w, Index kernels) const {
    Sum<T> total;
    for_each_group(w, kernels, [&](Rows<const T> group) { total.add(of_group().value(group)); });
    return lambda * total.value();
  }

  /// w ← argmin ½‖· − w‖² + step·value.
  void prox(Rows<T> w, Index kernels, T step) const {
    const T mu = step * lambda;
    for_each_group(w, kernels, [&](Rows<T> group) { of_group().prox(group, mu); });
  }

  /// out ← the derivative of the value at the entries of w that are not zero; the others' is zero.
  void gradient(Rows<const T> w, Index kernels, T* out) const {
    for_each_group(w, kernels, [&](Rows<const T> group) {
      const T norm = p == q ? T(1) : p == 2 ? detail::norm2(group) : detail::norm1(group);
      const T slope = norm == T(0) ? T(0) : p == q ? lambda : q == 1 ? lambda / norm : lambda * norm;
      for (Index member = 0; member < group.rows; ++member) {
        const T* row = group.row(member);
        T* to = out + (row - w.data);
        for (Index k = 0; k < group.classes; ++k) to[k] = slope * (p == 1 ? sign(row[k]) : row[k]);
      }
    });
  }

  /// q = 1: the least number with ⟨g, α⟩ ≤ gauge·value(α) for all α, the dual norm over λ. q = 2: 0, all is allowed.
  T gauge(Rows<const T> g, Index kernels) const {
    if (q == 2) return T(0);
    T top = 0;
    for_each_group(g, kernels, [&](Rows<const T> group) { top = largest(top, of_group().dual(group)); });
    return top > T(0) ? top / lambda : T(0);
  }

  /// max_α ⟨g, α⟩ − value(α). q = 2: Σ_g ‖g_g‖²/2λ, the norm dual to ‖·‖_p. q = 1: 0 where the gauge is at most 1.
  T conjugate(Rows<const T> g, Index kernels) const {
    if (q == 1) return T(0);
    Sum<T> total;
    for_each_group(g, kernels, [&](Rows<const T> group) { total.add(of_group().conjugate(group, lambda)); });
    return total.value();
  }

  /// A generalised Jacobian of the proximity operator, from its result w: calls visit(group, scale, weight, of_signs)
  /// for each group that is not zero. In the group it is scale·S + weight·ddᵀ, S the identity, of p = 1 on the entries
  /// that are not zero, and d the group, or its signs.
  template <class Visit>
  void for_each_jacobian(Rows<const T> w, Index kernels, T step, Visit visit) const {
    const T mu = step * lambda;
    for_each_group(w, kernels, [&](Rows<const T> group) {
      if (p == q) return visit(group, p == 1 ? T(1) : T(1) / (T(1) + mu), T(0), false);
      if (p == 2) {
        const T norm = detail::norm2(group);
        if (norm > T(0)) visit(group, norm / (norm + mu), mu / (norm + mu) / (norm * norm), false);
        return;
      }
      Index kept = 0;
      detail::for_each_entry(group, [&](T entry) { kept += entry != T(0); });
      if (kept > 0) visit(group, T(1), -mu / (T(1) + mu * T(kept)), true);
    });
  }

  /// Writes the features, group after group, and where each group starts: see Groups::listed. `order` takes as many
  /// entries as there are features, `starts` one more than there are groups.
  [[nodiscard]] Groups list_groups(Index samples, Index kernels, Index* order, Index* starts) const {
    const Index groups = r == 1 ? samples : kernels, size = r == 1 ? kernels : samples;
    for (Index g = 0; g < groups; ++g) {
      starts[g] = g * size;
      for (Index e = 0; e < size; ++e) order[g * size + e] = r == 1 ? e * samples + g : g * size + e;
    }
    starts[groups] = groups * size;
    return Groups::listed(order, starts, groups);
  }

 private:
  /// visit(group) for each; where they make no difference, for each kernel.
  template <class U, class Visit>
  void for_each_group(Rows<U> w, Index kernels, Visit visit) const {
    const Index samples = w.rows / kernels;
    const bool by_sample = r == 1 && p != q;
    for (Index g = 0; g < (by_sample ? samples : kernels); ++g) {
      Rows<U> group = w;
      group.data = row_of(w.data, by_sample ? g : g * samples, w.stride);
      group.rows = by_sample ? kernels : samples;
      if (by_sample) group.stride = samples * w.stride;
      visit(group);
    }
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
