#pragma once
/// What scores of features cannot exceed, from those at other duals: most need not be looked at.

#include "../arena.hpp"
#include "../linalg/rows.hpp"
#include "../shape.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Duals v with the scores N(Xⱼᵀv) of all features, N a norm that knows entries by their size alone. At duals u, by
/// Cauchy and Schwarz,
///
///     N(Xⱼᵀu) ≤ s N(Xⱼᵀv) + √(Σᵢ cᵢ x_ij²) N(d),   dₖ² = Σᵢ (u_ik − s v_ik)²/cᵢ,   s = ⟨u, v⟩/‖v‖²,
///
/// which says of most of many features that they are zero in a solution near u, without a look at their values. It
/// holds for columns about whatever numbers the products with them are about.
///
/// Memory: samples rows of padded classes, and an entry per feature. Cost: that of the duals, not of the samples.
template <class T>
class ScoreBounds {
 public:
  static constexpr Index many = 512;  ///< with no more features it is not worth its memory

  /// Scores, and duals behind them.
  static constexpr T* lay_out(Arena& arena, Shape shape) {
    const std::size_t duals = detail::saturating_multiply(shape.samples, padded<T>(shape.classes));
    return arena.take<T>(detail::saturating_add(duals, shape.features));
  }

  ScoreBounds() = default;
  explicit ScoreBounds(T* memory) : scores_(memory) { *scores_ = unknown; }
  bool has_memory() const { return scores_; }
  /// Whether duals have been kept.
  bool are_known() const { return scores_ && *scores_ != unknown; }

  void keep(const T* u, std::size_t entries, const T* scores, Index features) {
    copy(scores, features, scores_);
    copy(u, entries, scores_ + features);
  }
  /// Takes s and d for duals u; d has a row of classes.
  [[gnu::noinline]] T compare(const Targets<T>& targets, const T* u, Index stride, Index features, T* d) const {
    T product = 0, square = 0;
    const T* const duals = scores_ + features;
    const std::size_t entries = std::size_t(targets.samples()) * stride;
    for (std::size_t e = 0; e < entries; ++e) {
      product += u[e] * duals[e];
      square += duals[e] * duals[e];
    }
    const T share = square > T(0) ? product / square : T(0);
    T size = 0;
    fill(d, stride, T(0));
    for (Index i = 0; i < targets.samples(); ++i) {
      const T weight = targets.weight(i);
      if (!(weight > T(0))) continue;  // such samples have no duals
      const T *now = row_of(u, i, stride), *before = row_of(duals, i, stride);
      const T inverse = T(1) / weight;
      for (Index k = 0; k < targets.classes; ++k) {
        const T moved = now[k] - share * before[k];
        d[k] += inverse * (moved * moved);
        size += inverse * (now[k] * now[k]);
      }
    }
    // What sums over samples lose, relative, and what the products have lost.
    const T lost = T(targets.samples()) * epsilon<T>, rounding = T(64) * epsilon<T> * square_root(size);
    for (Index k = 0; k < targets.classes; ++k) d[k] = (T(1) + lost) * square_root(d[k]) + rounding;
    return absolute(share);
  }
  /// N(Xⱼᵀv).
  T score(Index feature) const { return scores_[feature]; }

 private:
  static constexpr T unknown = T(-1);  ///< no score is less than zero

  T* scores_ = nullptr;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
