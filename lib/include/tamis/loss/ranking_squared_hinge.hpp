#pragma once
/// The squared hinge of all pairs of a class that belongs to a sample and one that does not.

#include "../label_sets.hpp"
#include "../linalg/simd.hpp"
#include "../projection/coupling.hpp"
#include "dual_terms.hpp"
#include "make_label_sets_feasible.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ℓ(z, y) = Σ_{r ∈ Y} Σ_{k ∉ Y} (μ + z_k − z_r)₊², Y the label set of number y: scores that rank the classes of Y
/// above the others. Without such pairs it is zero. Its Hessian is twice the Laplacian of a graph of at most K
/// vertices, so the gradient is 2K-Lipschitz whatever the sizes of the sets.
///
/// Conjugate for a sample of weight c: finite where u_r ≤ 0 in Y, u_k ≥ 0 outside and Σ_k u_k = 0, where −(cℓ)*(u) is
/// the largest Σ (μ β_rk − β_rk²/4c) over β ≥ 0 with row sums −u_r and column sums u_k. Each such β bounds it from
/// below. Cost O(|Y|·K). Source: Blondel et al. (2013), section 4.7; of one label it is the squared hinge.
struct RankingSquaredHinge {
  LabelSets sets = {};

  static constexpr bool label_mass_moves() { return false; }
  template <class T>
  static constexpr T max_dual_scale() {
    return infinity<T>;
  }

  bool valid_label(Label y, Index classes) const { return sets.valid(y, classes); }
  /// Whether there is something to rank in a sample: those without are not counted among right and wrong answers.
  bool has_pairs(Label y, Index classes) const { return sets.has_pairs(y, classes); }
  /// Whether a class belongs to a sample.
  bool is_right(Index k, Label y) const { return sets.contains(y, k); }
  /// Whether samples of positive weight rank a class above others, and below others: what its intercept needs.
  template <class T>
  [[gnu::noinline]] bool has_samples(const Targets<T>& targets, bool intercept, Index k) const {
    if (!intercept) return true;
    bool above = false, below = false;
    for (Index i = 0; i < targets.samples() && !(above && below); ++i) {
      const Label y = targets.labels[i];
      if (!(targets.raw_weight(i) > T(0)) || !sets.has_pairs(y, targets.classes)) continue;
      (sets.contains(y, k) ? above : below) = true;
    }
    return above && below;
  }

  /// The same bits as `gradient` returns.
  template <class T>
  T value(const T* z, Index classes, Label y, T margin) const {
    const auto set = sets[y];
    T total = 0;
    for (const Label r : set) {
      const T shift = margin - z[r];
      const Label* next = set.data();
      const Label* const end = next + set.size();
      auto squares = Simd<T>::zero();
      Index k = 0;
      for (; k + lanes<T> <= classes; k += lanes<T>) {
        const auto violation = without((Simd<T>::load(z + k) + Simd<T>::fill(shift)).positive_part(), k, next, end);
        squares = squares + violation * violation;
      }
      T square = squares.sum();
      for (; k < classes; ++k) {
        const T violation = is_next(k, next, end) ? T(0) : largest(z[k] + shift, T(0));
        square += violation * violation;
      }
      total += square;
    }
    return total;
  }

  /// u ← c ∇ℓ(z); returns ℓ(z).
  template <class T>
  T gradient(const T* z, Index classes, Label y, T margin, T weight, T* u) const {
    const auto set = sets[y];
    for (Index k = 0; k < classes; ++k) u[k] = T(0);
    T total = 0;
    for (const Label r : set) {
      const T shift = margin - z[r];
      const Label* next = set.data();
      const Label* const end = next + set.size();
      auto squares = Simd<T>::zero(), sums = Simd<T>::zero();
      Index k = 0;
      for (; k + lanes<T> <= classes; k += lanes<T>) {
        const auto violation = without((Simd<T>::load(z + k) + Simd<T>::fill(shift)).positive_part(), k, next, end);
        squares = squares + violation * violation;
        sums = sums + violation;
        (Simd<T>::load(u + k) + violation).store(u + k);
      }
      T square = squares.sum(), sum = sums.sum();
      for (; k < classes; ++k) {
        const T violation = is_next(k, next, end) ? T(0) : largest(z[k] + shift, T(0));
        square += violation * violation;
        sum += violation;
        u[k] += violation;
      }
      u[r] = sum;
      total += square;
    }
    sets.for_each_class(y, classes, [=](Index k, bool inside) { u[k] *= inside ? T(-2) * weight : T(2) * weight; });
    return total;
  }

  /// ℓ(to) − ℓ(from) − ⟨∇ℓ(from), to − from⟩, without cancellation: with p, q the violations, the sum of
  /// (q − p)² + 2p(−(μ + z_k − z_r at `to`))₊ over the pairs.
  template <class T>
  T bregman_divergence(const T* from, const T* to, Index classes, Label y, T margin, T*) const {
    const auto set = sets[y];
    T sum = 0;
    for (const Label r : set) {
      const T low = margin - from[r], high = margin - to[r];
      const Label* next = set.data();
      const Label* const end = next + set.size();
      auto total = Simd<T>::zero();
      Index k = 0;
      for (; k + lanes<T> <= classes; k += lanes<T>) {
        const auto b = Simd<T>::load(to + k) + Simd<T>::fill(high);
        const auto p = (Simd<T>::load(from + k) + Simd<T>::fill(low)).positive_part(), q = b.positive_part();
        total = total + without((q - p) * (q - p) + (p + p) * (q - b), k, next, end);
      }
      T rest = total.sum();
      for (; k < classes; ++k) {
        if (is_next(k, next, end)) continue;
        const T b = to[k] + high;
        const T p = largest(from[k] + low, T(0)), q = largest(b, T(0));
        rest += (q - p) * (q - p) + (p + p) * (q - b);
      }
      sum += rest;
    }
    return sum;
  }

  /// Largest eigenvalue of the Hessian of ℓ, over all label sets.
  template <class T>
  T curvature(Index classes) const {
    return T(2) * T(classes);
  }

  /// For Blondel et al.'s (2013) objective of section 4.7, of which it prints no constant: that of its Appendix A, 4
  /// for each pair.
  template <class T>
  T printed_lipschitz(Index classes, Label y) const {
    const auto inside = static_cast<T>(sets[y].size());
    return T(4) * inside * (T(classes) - inside);
  }

  /// A start for the intercepts of the model without coefficients: b_j = (M − μ(T_j − S_j)) / (T_j + S_j), S_j and T_j
  /// the weights of the pairs in which class j ranks above and below others, each class of a set paired with itself as
  /// well, and M such that Σ b_j = 0. Of single labels it is the optimum, as for the squared hinge.
  template <class T>
  void guess_intercepts(const Targets<T>& targets, T* intercepts) const {
    const Index classes = targets.classes;
    const T margin = targets.margin(0);
    T inverse = 0, pull = 0;
    for (const bool measuring : {true, false}) {
      for (Index j = 0; j < classes; ++j) {
        Sum<T> above, below;
        for (Index i = 0; i < targets.samples(); ++i) {
          const Label y = targets.labels[i];
          if (!sets.has_pairs(y, classes)) continue;
          const Index size = static_cast<Index>(sets[y].size());
          const bool inside = sets.contains(y, j);
          above.add(inside ? targets.weight(i) * T(classes - size + 1) : T(0));
          below.add(targets.weight(i) * (inside ? T(1) : T(size)));
        }
        const T up = above.value(), down = below.value();
        if (measuring) {
          inverse += T(1) / (up + down);
          pull += (down - up) / (up + down);
        } else {
          intercepts[j] = margin * (pull / inverse - (down - up)) / (up + down);
        }
      }
    }
  }

  /// See make_label_sets_feasible.
  template <class T>
  bool make_dual_feasible(const Targets<T>& targets, T* u, Index stride, T* surplus, T* share) const {
    make_label_sets_feasible(sets, targets, u, stride, surplus, share);
    return true;
  }

  /// Of the β with the least squares: see least_squares_coupling. `first` and `second` are scratch of a row each.
  template <class T>
  DualTerms<T> dual_terms(const T* u, Index classes, Label y, T margin, T weight, T* first, T* second) const {
    const Index inside = static_cast<Index>(sets[y].size()), outside = classes - inside;
    T linear = 0, square = 0;
    Index r = 0, k = inside;
    sets.for_each_class(y, classes, [&](Index at, bool relevant) {
      const T entry = relevant ? largest(-u[at], T(0)) : largest(u[at], T(0));
      second[relevant ? r++ : k++] = entry;
      if (!relevant) linear += entry;
      if (relevant ? inside > 1 : inside == 1) square += entry * entry;  // the answer for one row, or one column
    });
    if (inside > 1 && outside > 1)
      square = least_squares_coupling(second, inside, second + inside, outside, first, first + inside);
    return {margin * linear, weight > T(0) ? square / (T(4) * weight) : T(0)};
  }

 private:
  /// Whether class k is the next one of a set, which then is passed.
  static bool is_next(Index k, const Label*& next, const Label* end) {
    const bool is = next != end && *next == k;
    next += is;
    return is;
  }
  /// The entries of classes k, k + 1, …, with zeros for those in the set.
  template <class T>
  static Simd<T> without(Simd<T> entries, Index k, const Label*& next, const Label* end) {
    if (next == end || *next >= k + lanes<T>) return entries;
    T part[lanes<T>];
    entries.store(part);
    for (; next != end && *next < k + lanes<T>; ++next) part[*next - k] = T(0);
    return Simd<T>::load(part);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
