#pragma once
/// Kernel functions: how alike two samples are, in the sense of each. Not all are positive definite.

#include <span>

#include "../linalg/elementary.hpp"
#include "sample_view.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

enum class KernelKind : std::uint8_t {
  linear,      ///< xᵀz
  polynomial,  ///< (xᵀz + b)^a, a a whole number
  gaussian,    ///< exp(−‖x − z‖²/2a²)
  laplacian,   ///< exp(−‖x − z‖₁/a)
  sigmoid,     ///< tanh(a·xᵀz + b), indefinite
  distance,    ///< −‖x − z‖², conditionally positive definite
  chi2,        ///< −½ Σ (x − z)²/(x + z) of histograms; 0/0 counts as 0
  kl,          ///< −½ Σ (x − z)(ln x − ln z) of histograms, entries below 1e-10 taken as that: indefinite
  constant,    ///< 1: a bias that is penalised
};
inline constexpr KernelKind all_kernels[] = {KernelKind::linear,    KernelKind::polynomial, KernelKind::gaussian,
                                             KernelKind::laplacian, KernelKind::sigmoid,    KernelKind::distance,
                                             KernelKind::chi2,      KernelKind::kl,         KernelKind::constant};

constexpr const char* name(KernelKind kind) {
  constexpr const char* names[] = {"linear",   "polynomial", "gaussian", "laplacian", "sigmoid",
                                   "distance", "chi2",       "kl",       "constant"};
  return names[static_cast<int>(kind)];
}

/// How many of a and b a kernel has.
constexpr Index parameters(KernelKind kind) {
  if (kind == KernelKind::polynomial || kind == KernelKind::sigmoid) return 2;
  return kind == KernelKind::gaussian || kind == KernelKind::laplacian ? 1 : 0;
}

/// Entries of histograms below it are taken as it is: the logarithm of `kl` stays finite.
template <class T>
inline constexpr T least_histogram_entry = T(1e-10);

/// k(x, z) of two samples with as many features; symmetric to the last bit. Sums go over the features in order, so that
/// values are the same on every target. NaN where a histogram has a negative entry. Cost: one pass over the features;
/// `kl` takes two logarithms for each. Source: Kowalski et al. (2009), section 4, and the usual definitions.
template <class T>
struct Kernel {
  static constexpr bool symmetric = true;

  KernelKind kind = KernelKind::linear;
  T a = 0;  ///< degree, width or slope
  T b = 0;  ///< constant inside the power or the tanh

  /// What is wrong with the parameters, in one sentence; null when they are in range.
  constexpr const char* refusal() const {
    if (!finite(a) || !finite(b)) return "the parameters of a kernel must be finite";
    if (kind == KernelKind::polynomial) {
      if (!(a >= T(1) && a <= T(64)) || a != T(static_cast<Index>(a)))
        return "the degree of a polynomial kernel must be a whole number from 1 to 64";
    } else if ((kind == KernelKind::gaussian || kind == KernelKind::laplacian) && !(a > T(0))) {
      return "the width of a kernel must be positive";
    }
    return nullptr;
  }

  T operator()(SampleView<T> x, SampleView<T> z) const {
    switch (kind) {
      case KernelKind::linear: return product(x, z);
      case KernelKind::polynomial: return power(product(x, z) + b, static_cast<Index>(a));
      case KernelKind::gaussian: return decay(squared_distance(x, z) / a / (T(2) * a));  // a² may not fit in T
      case KernelKind::laplacian: return decay(l1_distance(x, z) / a);
      case KernelKind::sigmoid: return hyperbolic_tangent(a * product(x, z) + b);
      case KernelKind::distance: return -squared_distance(x, z);
      case KernelKind::chi2: return chi_squared(x, z);
      case KernelKind::kl: return divergence(x, z);
      case KernelKind::constant: return T(1);
    }
    return not_a_number<T>;
  }

 private:
  static T product(SampleView<T> x, SampleView<T> z) {
    T total = 0;
    for (Index j = 0; j < x.features; ++j) total += x[j] * z[j];
    return total;
  }
  static T squared_distance(SampleView<T> x, SampleView<T> z) {
    T total = 0;
    for (Index j = 0; j < x.features; ++j) {
      const T difference = x[j] - z[j];
      total += difference * difference;
    }
    return total;
  }
  static T l1_distance(SampleView<T> x, SampleView<T> z) {
    T total = 0;
    for (Index j = 0; j < x.features; ++j) total += absolute(x[j] - z[j]);
    return total;
  }
  static T chi_squared(SampleView<T> x, SampleView<T> z) {
    T total = 0;
    for (Index j = 0; j < x.features; ++j) {
      const T p = x[j], q = z[j], difference = p - q;
      if (!(p >= T(0) && q >= T(0))) return not_a_number<T>;
      if (p + q > T(0)) total += difference * (difference / (p + q));
    }
    return T(-0.5) * total;
  }
  static T divergence(SampleView<T> x, SampleView<T> z) {
    T total = 0;
    for (Index j = 0; j < x.features; ++j) {
      if (!(x[j] >= T(0) && z[j] >= T(0))) return not_a_number<T>;
      if (x[j] == z[j]) continue;
      const T p = largest(x[j], least_histogram_entry<T>), q = largest(z[j], least_histogram_entry<T>);
      total += (p - q) * (logarithm(p) - logarithm(q));
    }
    return T(-0.5) * total;
  }
  /// exp(−u), u ≥ 0.
  static T decay(T u) { return u == u ? exponential(-u) : u; }
  static T power(T base, Index exponent) {
    T out = T(1);
    for (; exponent; exponent >>= 1) {
      if (exponent & 1) out *= base;
      base *= base;
    }
    return out;
  }
};

/// Two training samples whose kernel value is not finite.
struct KernelPair {
  Index row = 0, column = 0;
};

/// Writes the row-major n × n matrix K[l, i] = k(x_l, x_i). `kernel` is a Kernel or any function of two SampleViews;
/// one with a true member `symmetric` is called for l ≤ i alone. False, with the first such pair in `bad`, when a value
/// is not finite: the matrix is then unfinished.
template <class T, class Function>
bool fill_kernel_matrix(const Function& kernel, const SampleTable<T>& samples, T* matrix, KernelPair& bad) {
  constexpr bool symmetric = requires { requires Function::symmetric; };
  const std::size_t n = samples.samples;
  for (Index l = 0; l < samples.samples; ++l)
    for (Index i = symmetric ? l : 0; i < samples.samples; ++i) {
      const T value = kernel(samples[l], samples[i]);
      if (!finite(value)) {
        bad = {l, i};
        return false;
      }
      matrix[l * n + i] = value;
      if constexpr (symmetric) matrix[i * n + l] = value;
    }
  return true;
}

/// row[l] = k(x_l, x) for all samples x_l.
template <class T, class Function>
void fill_kernel_row(const Function& kernel, const SampleTable<T>& samples, SampleView<T> x, T* row) {
  for (Index l = 0; l < samples.samples; ++l) row[l] = kernel(samples[l], x);
}

/// Whether a matrix of n × n values says nothing of any pair.
template <class T>
bool is_zero_matrix(const T* matrix, Index n) {
  for (std::size_t e = 0; e < std::size_t{n} * n; ++e)
    if (matrix[e] != T(0)) return false;
  return true;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
