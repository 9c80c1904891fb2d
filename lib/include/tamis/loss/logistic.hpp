#pragma once
/// The multinomial logistic loss.

#include "../curvature.hpp"
#include "../linalg/elementary_rows.hpp"
#include "../linalg/rows.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = log Σ_k exp(z_k + μ[k ≠ y]) − z_y, with a gradient p − e_y that is ½-Lipschitz; μ ≥ 0, by default 0.
///
/// Conjugate for a sample of weight c: finite on c(Δ − e_y), Δ the unit simplex, where −(cℓ)*(c(p − e_y)) = c (μ(1 −
/// p_y) − Σ_k p_k log p_k). Source: Chierchia et al. (2015), equation (20); Blondel et al. (2013), equation (12), where
/// μ = 0.
struct Logistic {
  /// The margin where nothing else is said; 0 is also what allows a margin of 0.
  template <class T>
  static constexpr T default_margin() {
    return T(0);
  }
  static constexpr bool label_mass_moves() { return true; }
  template <class T>
  static constexpr T max_dual_scale() {
    return T(1);
  }

  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    const T top = largest_score(z, classes, y, margin);
    T others = 0;
    for (Index k = 0; k < classes; ++k)
      if (k != y) others += exponential((z[k] + margin) - top);
    return (top - z[y]) + logarithm_beside_one(beside_top(others, exponential(z[y] - top)));
  }

  /// u ← c(p − e_y); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    const T top = largest_score(z, classes, y, margin);
    const T beside = take_probabilities(z, classes, y, margin, top, weight, u);
    T label = 0;
    u[y] = 0;
    for (Index k = 0; k < classes; ++k) label += u[k];
    u[y] = -label;
    return (top - z[y]) + logarithm_beside_one(beside);
  }

  /// h_k ← c ∂²ℓ/∂z_k² = c p_k(1 − p_k) from u = c(p − e_y).
  template <class T>
  void second_derivatives(const T* u, Index classes, Label y, T weight, T* h) const {
    for (Index k = 0; k < classes; ++k) h[k] = weight > T(0) ? u[k] * (T(1) - u[k] / weight) : T(0);
    if (weight > T(0)) h[y] = -u[y] * (T(1) + u[y] / weight);
  }

  /// Of Blondel et al.'s (2013) 𝒦_j = ½ Σᵢ cᵢ xᵢⱼ², section 5.3; it prints no 𝒦.
  template <class T>
  constexpr T printed_lipschitz(Index, Label) const {
    return T(0.5);
  }

  /// Largest eigenvalue of diag(p) − ppᵀ over the simplex.
  template <class T>
  T curvature(Index) const {
    return T(0.5);
  }

  static constexpr Violations violations() { return Violations::none; }

  /// h ← p, with which c∇²ℓ = c (diag(p) − ppᵀ).
  template <class T>
  bool take_curvature(const T* z, Index classes, Label y, T margin, T weight, T, T* h) const {
    take_probabilities(z, classes, y, margin, largest_score(z, classes, y, margin), T(1), h);
    return weight > T(0);
  }

  /// u ← c(p − e_y) for samples `first` … `last`; adds their cℓ to `total`. As `gradient`, with exponentials and
  /// logarithms in vectors. `scratch`: their rows, and an entry for each.
  template <class T>
  void gradients(const Targets<T>& targets, const T* z, Index first, Index last, Index stride, T* u, T* scratch,
                 Sum<T>& total) const {
    const Index count = last - first, entries = whole_vectors<T>(count * stride);
    T *const p = scratch, *const mass = scratch + entries;
    for (Index i = first; i < last; ++i) {
      const T* from = row_of(z, i, stride);
      T* row = row_of(p, i - first, stride);
      const Label y = targets.labels[i];
      const T margin = targets.margin(i), top = largest_score(from, targets.classes, y, margin);
      for (Index k = 0; k < targets.classes; ++k) row[k] = shifted(from, k, y, margin) - top;
      for (Index k = targets.classes; k < stride; ++k) row[k] = T(-1e4);
    }
    for (Index e = count * stride; e < entries; ++e) p[e] = T(0);
    row_exponentials(p, entries);
    for (Index i = 0; i < count; ++i) {
      const Label y = targets.labels[first + i];
      const T weight = targets.weight(first + i);
      T* from = row_of(p, i, stride);
      T* row = row_of(u, first + i, stride);
      const T own = from[y];
      T sum = 0, others = 0;
      from[y] = T(0);
      for (Index k = 0; k < targets.classes; ++k) sum += from[k];
      mass[i] = beside_top(sum, own);
      const T scale = weight / (T(1) + mass[i]);
      for (Index k = 0; k < stride; ++k) row[k] = scale * from[k];
      for (Index k = 0; k < targets.classes; ++k) others += row[k];
      row[y] = -others;
    }
    for (Index i = count; i < whole_vectors<T>(count); ++i) mass[i] = T(0);
    row_logarithms<false>(mass, whole_vectors<T>(count));
    for (Index i = first; i < last; ++i) {
      const T* from = row_of(z, i, stride);
      const Label y = targets.labels[i];
      const T weight = targets.weight(i), top = largest_score(from, targets.classes, y, targets.margin(i));
      if (weight > T(0)) total.add(weight * ((top - from[y]) + mass[i - first]));
    }
  }
  /// Adds the dual_value of those samples at s·u. `scratch`: their rows.
  template <class T>
  void dual_values(const Targets<T>& targets, const T* u, Index first, Index last, Index stride, T scale, T* scratch,
                   Sum<T>& total) const {
    const Index count = last - first, entries = whole_vectors<T>(count * stride);
    for (Index i = 0; i < count; ++i) {
      const Label y = targets.labels[first + i];
      const T weight = targets.weight(first + i), share = weight > T(0) ? scale / weight : T(0);
      const T* from = row_of(u, first + i, stride);
      T* p = row_of(scratch, i, stride);
      T others = 0;
      for (Index k = 0; k < stride; ++k) p[k] = share * from[k];
      p[y] = T(0);
      for (Index k = 0; k < targets.classes; ++k) others += p[k];
      p[y] = T(1) - others;
      total.add(weight * (targets.margin(first + i) * others - lost_beside_one(-others)));
    }
    for (Index e = count * stride; e < entries; ++e) scratch[e] = T(0);
    row_logarithms<true>(scratch, entries);
    for (Index i = 0; i < count; ++i) {
      const T weight = targets.weight(first + i);
      T sum = 0;
      for (Index k = 0; k < targets.classes; ++k) sum += row_of(scratch, i, stride)[k];
      if (weight > T(0)) total.add(-weight * sum);
    }
  }

  /// h ← p from u = c(p − e_y).
  template <class T>
  void curvature_of_gradient(const T* u, Index classes, Label y, T weight, T* h) const {
    const T scale = weight > T(0) ? T(1) / weight : T(0);
    for (Index k = 0; k < classes; ++k) h[k] = scale * u[k];
    h[y] = largest(T(1) + h[y], T(0));
  }

  /// t ← c∇²ℓ t.
  template <class T>
  void apply_curvature(const T* h, Index classes, Label, T weight, T* t) const {
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += h[k] * t[k];
    for (Index k = 0; k < classes; ++k) t[k] = weight * (h[k] * (t[k] - mean));
  }

  /// u += value c∇²ℓ t, for rows of whole vectors whose padding is 0 in h and t.
  template <class T>
  void add_curvature(const T* h, Index stride, T weight, T value, const T* t, T* u) const {
    auto inner = Simd<T>::zero();
    for (Index k = 0; k < stride; k += lanes<T>) inner = inner + Simd<T>::load(h + k) * Simd<T>::load(t + k);
    const auto mean = Simd<T>::fill(inner.sum()), scale = Simd<T>::fill(weight * value);
    for (Index k = 0; k < stride; k += lanes<T>)
      (Simd<T>::load(u + k) + scale * (Simd<T>::load(h + k) * (Simd<T>::load(t + k) - mean))).store(u + k);
  }

  /// The largest eigenvalue is at most max p, and at most twice the largest diagonal entry.
  template <class T>
  CurvatureSize<T> curvature_size(const T* h, Index classes, Label, T weight) const {
    T trace = 0, top = 0, most = 0;
    for (Index k = 0; k < classes; ++k) {
      const T diagonal = h[k] * (T(1) - h[k]);
      trace += diagonal;
      top = largest(top, h[k]);
      most = largest(most, diagonal);
    }
    return {weight * trace / T(classes - 1), weight * smallest(top, T(2) * most)};
  }

  /// ℓ(to) − ℓ(from) − ⟨∇ℓ(from), to − from⟩ = log(1 + Σ_k p_k (exp t_k − 1 − t_k)), t = to − from less its mean under
  /// p: with small relative error also where the two nearly agree. `p` is scratch of a row.
  template <class T>
  T bregman_divergence(const T* from, const T* to, Index classes, Label y, T margin, T* p) const {
    take_probabilities(from, classes, y, margin, largest_score(from, classes, y, margin), T(1), p);
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += p[k] * (to[k] - from[k]);
    T total = 0;
    for (Index k = 0; k < classes; ++k) {
      const T t = (to[k] - from[k]) - mean;
      const T small = t * t * (T(0.5) + t * (T(1.0 / 6) + t * (T(1.0 / 24) + t * T(1.0 / 120))));
      total += p[k] * (absolute(t) < T(0.25) ? small : exponential(t) - T(1) - t);
    }
    return finite(total) ? logarithm_beside_one(total) : total;
  }

  /// The intercepts of the model without coefficients, exact for margin 0: the logarithms of the class weights, less
  /// their mean.
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    T mean = 0;
    for (Index k = 0; k < targets.classes; ++k)
      mean += intercepts[k] = logarithm(targets.class_weight(k)) / T(targets.classes);
    for (Index k = 0; k < targets.classes; ++k) intercepts[k] = T(targets.classes) * intercepts[k] - mean;
  }

  /// −(cℓ)*(s·u), 0 ≤ s ≤ 1: what the sample adds to the dual objective at s·u.
  template <class T>
  T dual_value(const T* u, Index classes, Label y, T margin, T weight, T scale) const {
    if (!(weight > T(0))) return T(0);
    T others = 0;
    T entropy = 0;
    for (Index k = 0; k < classes; ++k) {
      if (k == y) continue;
      const T p = scale * (u[k] / weight);
      others += p;
      entropy -= times_logarithm(p);
    }
    return weight * (margin * others + entropy - (times_logarithm(T(1) - others) + lost_beside_one(-others)));
  }

 private:
  /// A number of entries, up to vectors of 32 bytes.
  template <class T>
  static constexpr Index whole_vectors(Index count) {
    return (count + 2 * lanes<T> - 1) / (2 * lanes<T>) * (2 * lanes<T>);
  }
  /// Σ_k exp(z_k + μ[k ≠ y] − top) − 1 from the sum over k ≠ y and the exponential of y: one of them all is 1.
  template <class T>
  static constexpr T beside_top(T others, T own) {
    return others + (own - T(1));
  }
  /// out ← c·p; returns Σ_k exp(z_k + μ[k ≠ y] − top) − 1.
  template <class T>
  static T take_probabilities(const T* z, Index classes, Label y, T margin, T top, T weight, T* out) {
    for (Index k = 0; k < classes; ++k) out[k] = shifted(z, k, y, margin) - top;
    exponentials(out, classes);
    const T own = out[y];
    T others = 0;
    out[y] = T(0);
    for (Index k = 0; k < classes; ++k) others += out[k];
    out[y] = own;
    const T beside = beside_top(others, own), scale = weight / (T(1) + beside);
    for (Index k = 0; k < classes; ++k) out[k] *= scale;
    return beside;
  }
  template <class T>
  [[gnu::always_inline]] static T shifted(const T* z, Index k, Label y, T margin) {
    return k == y ? z[k] : z[k] + margin;
  }
  template <class T>
  static T largest_score(const T* z, Index classes, Label y, T margin) {
    T top = z[y];
    for (Index k = 0; k < classes; ++k) top = largest(top, shifted(z, k, y, margin));
    return top;
  }
  template <class T>
  static T times_logarithm(T p) {
    return p > T(0) ? p * logarithm(p) : T(0);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
