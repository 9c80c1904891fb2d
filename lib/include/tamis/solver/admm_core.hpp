#pragma once
/// What splittings in the space of samples share: the cached factor, the split of the scores, and the weights of both.

#include <span>

#include "../arena.hpp"
#include "../linalg/cholesky.hpp"
#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// How far the copies of a split are from each other, and how fast they move.
template <class T>
class SplitResiduals {
 public:
  /// Of one entry: x and its copy z, that before, and the scaled multiplier w.
  void add(T x, T z, T before, T w) {
    primal_ += (x - z) * (x - z);
    dual_ += (z - before) * (z - before);
    size_ += x * x;
    multiplier_ += w * w;
  }
  /// The factor of the split's weight with which both kinds of residuals fall alike; 1 where they nearly do.
  T imbalance() const {
    if (!(primal_ > T(0)) || !(dual_ > T(0)) || !(size_ > T(0)) || !(multiplier_ > T(0))) return T(1);
    const T q = square_root(square_root((primal_ / size_) / (dual_ / multiplier_)));
    return q > T(1.5) || q < T(0.67) ? smallest(largest(q, T(0.2)), T(5)) : T(1);
  }

 private:
  T primal_ = T(0), dual_ = T(0), size_ = T(0), multiplier_ = T(0);
};

/// Over-relaxed splitting of a loss of scores and a penalty of coefficients z, with scaled multipliers w and the weight
/// ρ; for a loss that has copies s of the scores, these have multipliers and a weight of their own. The step on the
/// loss is one system K + κ in the samples, K = AAᵀ of the map A from coefficients to scores, κ = ρ/ρ_scores. Source:
/// Boyd et al. (2011).
template <class T>
struct AdmmCore {
  static constexpr T relaxation = T(1.8);

  struct Memory {
    T *sz, *sw;       ///< scores of z and w: samples × outputs
    T *s, *ws;        ///< copies of the scores, and their scaled multipliers
    T *ones, *right;  ///< (K + κ)⁻¹ 1; a right-hand side and its solution

    static constexpr Memory lay_out(Arena& arena, Shape shape) {
      Memory m{};
      for (T** scores : {&m.sz, &m.sw, &m.s, &m.ws})
        *scores = arena.take<T>(detail::saturating_multiply(shape.samples, padded<T>(shape.classes)));
      for (T** column : {&m.ones, &m.right})
        *column = arena.take<T>(detail::saturating_add(shape.samples, lanes<T> - 1) / lanes<T> * lanes<T>);
      return m;
    }
  };

  /// Before a run: the multipliers w are `count` entries, K and its factor samples × width.
  void bind(const Memory& memory, Shape shape, T* multipliers, std::size_t count, const T* gram, T* to) {
    m = memory;
    samples = shape.samples;
    classes = shape.classes;
    width = padded<T>(samples);
    outputs = padded<T>(classes);
    w = multipliers;
    coefficients = count;
    k = gram;
    factor = to;
    fill(w, coefficients, T(0));
    for (T* scores : {m.sz, m.sw, m.s, m.ws}) fill(scores, std::size_t(samples) * outputs, T(0));
    rho_scores = T(1);
  }

  /// factor ← that of K + κ, with a κ that rounding does not outgrow. False: there is none.
  [[gnu::noinline]] bool take_factor(T mean_square, bool intercept) {
    for (;;) {
      copy(k, std::size_t(samples) * width, factor);
      for (Index i = 0; i < samples; ++i) row_of(factor, i, width)[i] += kappa;
      if (factor_cholesky(factor, samples, width)) break;
      kappa *= T(10);
      scale_rho(T(10));
      if (!(kappa < T(1e3) * mean_square)) return false;
    }
    if (!intercept) return true;
    fill(m.ones, samples, T(1));
    solve_cholesky(static_cast<const T*>(factor), samples, width, m.ones);
    sum_of_ones = sum_of(m.ones);
    return true;
  }
  /// u ← (K + κ)⁻¹(u − b) of one output, for the b with which it adds up to zero: returns that, or zero without
  /// intercept.
  T solve(T* u, bool intercept) const {
    solve_cholesky(static_cast<const T*>(factor), samples, width, u);
    if (!intercept) return T(0);
    const T b = sum_of(u) / sum_of_ones;
    for (Index i = 0; i < samples; ++i) u[i] -= b * m.ones[i];
    return b;
  }

  /// w and z ← w + what x is, over-relaxed, before the proximity operator.
  static void relax(const T* x, T* z, T* w, std::size_t count) {
    for (std::size_t e = 0; e < count; ++e) {
      w[e] += relaxation * x[e] - (relaxation - T(1)) * z[e];
      z[e] = w[e];
    }
  }
  /// s ← the proximity operator of the loss at x, and its multipliers. `before` is scratch of a row.
  template <class Loss>
  [[gnu::noinline]] void step_scores(const Loss& loss, std::span<const Label> labels, const T* x, T* before) {
    of_scores = {};
    for (Index i = 0; i < samples; ++i, x += outputs) {
      T* s = row_of(m.s, i, outputs);
      T* ws = row_of(m.ws, i, outputs);
      copy(static_cast<const T*>(s), outputs, before);
      relax(x, s, ws, classes);
      loss.prox(s, classes, labels[i], T(1), rho_scores);
      for (Index c = 0; c < classes; ++c) {
        ws[c] -= s[c];
        of_scores.add(x[c], s[c], before[c], ws[c]);
      }
    }
  }

  /// Another weight for the split between loss and penalty; the multipliers themselves stay.
  void scale_rho(T by) {
    rho *= by;
    scale(w, coefficients, T(1) / by);
    scale(m.sw, std::size_t(samples) * outputs, T(1) / by);
  }
  /// Other weights of both splits, and κ; the factor is to be taken anew. False: they stay.
  bool rebalance(T by, T by_of_scores) {
    if (by == T(1) && by_of_scores == T(1)) return false;
    scale_rho(by);
    rho_scores *= by_of_scores;
    scale(m.ws, std::size_t(samples) * outputs, T(1) / by_of_scores);
    kappa = rho / rho_scores;
    return true;
  }

  Memory m{};
  Index samples = 0, classes = 0;
  Index width = 0, outputs = 0;  ///< of a row over samples, and of one of scores
  T* w = nullptr;
  std::size_t coefficients = 0;
  const T* k = nullptr;
  T* factor = nullptr;
  T kappa = T(0);
  T rho = T(0);
  T rho_scores = T(1);
  T sum_of_ones = T(0);
  SplitResiduals<T> of_scores;

 private:
  T sum_of(const T* column) const {
    Sum<T> total;
    for (Index i = 0; i < samples; ++i) total.add(column[i]);
    return total.value();
  }
  static void scale(T* entries, std::size_t count, T by) {
    for (std::size_t e = 0; e < count; ++e) entries[e] *= by;
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
