#pragma once
/// Mixed norms of coefficients that belong to a sample and a kernel each.

#include "group.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// (λ/q) ‖α‖_{pq;r}^q with ‖α‖_{pq;r}^q = Σ_g ‖α_g‖_p^q; p and q are 1 or 2. r = 1: group g holds all kernels of a
/// sample; r = 2: all samples of a kernel. Groups extend over the classes; with p = q they make no difference.
///
/// Coefficients are Rows of kernels × samples, row t·n + l that of kernel t and sample l, in place. Each function costs
/// a few passes over them. Source: Kowalski et al. (2009), equations (4)–(5) and Proposition 3, whose p = 1, q = 2
/// divides by a norm too many.
template <class T>
struct MixedNorm {
  int p = 2;
  int q = 1;
  int r = 1;
  T lambda = T(0);

  constexpr bool valid() const {
    const auto known = [](int number) { return number == 1 || number == 2; };
    return known(p) && known(q) && known(r);
  }

  T value(Rows<const T> w, Index kernels) const {
    Sum<T> total;
    for_each_group(w, kernels, [&](Rows<const T> group) {
      Sum<T> inside;
      detail::for_each_entry(group, [&](T entry) { inside.add(p == 1 ? absolute(entry) : entry * entry); });
      if (p == q) total.add(inside.value());
      else if (p == 1) total.add(inside.value() * inside.value());
      else total.add(square_root(inside.value()));
    });
    return lambda / T(q) * total.value();
  }

  /// w ← argmin ½‖· − w‖² + step·value. A group with μ = step·λ:
  ///     p = q = 1: soft(w, μ);  p = q = 2: w/(1 + μ);  p = 2, q = 1: w (1 − μ/‖w‖₂)₊;
  ///     p = 1, q = 2: soft(w, ξ), ξ = μ Σ (|w| − ξ)₊.
  void prox(Rows<T> w, Index kernels, T step) const {
    const T mu = step * lambda;
    for_each_group(w, kernels, [&](Rows<T> group) {
      if (p == 2 && q == 1) return detail::shrink2(group, mu);
      if (p == 2) return detail::for_each_entry(group, [=](T& entry) { entry /= T(1) + mu; });
      const T threshold = q == 1 ? mu : elitist_threshold(group, mu);
      detail::for_each_entry(group, [=](T& entry) { entry = soft(entry, threshold); });
    });
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
    for_each_group(g, kernels, [&](Rows<const T> group) { top = largest(top, dual(group)); });
    return top > T(0) ? top / lambda : T(0);
  }

  /// max_α ⟨g, α⟩ − value(α). q = 2: Σ_g ‖g_g‖²/2λ, the norm dual to ‖·‖_p. q = 1: 0 where the gauge is at most 1.
  T conjugate(Rows<const T> g, Index kernels) const {
    if (q == 1) return T(0);
    Sum<T> total;
    for_each_group(g, kernels, [&](Rows<const T> group) {
      const T norm = dual(group);
      total.add(norm * (norm / lambda));
    });
    return total.value() / T(2);
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
  T dual(Rows<const T> group) const { return p == 1 ? detail::norm_inf(group) : detail::norm2(group); }

  /// Newton's method on ξ − μ Σ (|w| − ξ)₊, increasing and concave, from its left: it ends where no entry drops out.
  static T elitist_threshold(Rows<const T> w, T mu) {
    T threshold = 0;
    for (;;) {
      T sum = 0;
      Index above = 0;
      detail::for_each_entry(w, [&](T entry) {
        const bool is_above = absolute(entry) > threshold;
        sum += is_above ? absolute(entry) : T(0);
        above += is_above;
      });
      const T next = mu > T(0) ? sum / (T(1) / mu + T(above)) : T(0);
      if (!(next > threshold)) return threshold;
      threshold = next;
    }
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
