#pragma once
/// Linear models of integers: what predicts on a device without floating point.

#include <span>

#include "linear.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// How a feature becomes an integer of 16 bits: count = round((x − zero) · per_unit), halves away from zero, cut off at
/// the ends of int16; NaN is the lowest.
struct CountScale {
  float zero = 0;
  float per_unit = 1;  ///< counts per unit of the feature, > 0

  std::int16_t count(float x) const {
    const float v = (x - zero) * per_unit;
    if (!(v > -32768.0f)) return -32768;
    if (v > 32767.0f) return 32767;
    return static_cast<std::int16_t>(v < 0 ? v - 0.5f : v + 0.5f);
  }
  /// Whether counts are the feature itself.
  bool trivial() const { return zero == 0 && per_unit == 1; }
};

/// Counts for a feature from `least` to `most` that lie within ±2¹⁴, so that twice the range is not cut off yet. Powers
/// of two per unit, and whole counts at zero, so that no compiler rounds x differently. A feature that never changes
/// may change by as much as it is.
inline CountScale count_scale(float least, float most) {
  const float apart = largest(absolute(least), absolute(most));
  if (apart == 0) return {};
  const float middle = least / 2 + most / 2, half = least == most ? apart : most / 2 - least / 2;
  float unit = 1;  // the step of a count: more than half of the range, and of the digits that a float has
  const auto fits = [&](float step) { return half <= 16383 * step && apart <= 4194304 * step; };
  while (!fits(unit) && unit < 0x1p100f) unit *= 2;
  while (fits(unit / 2) && unit > 0x1p-100f) unit /= 2;
  const float whole = middle / unit;  // at most 2²² in size
  return {static_cast<float>(static_cast<std::int32_t>(whole < 0 ? whole - 0.5f : whole + 0.5f)) * unit, 1 / unit};
}

/// A model whose scores are integers: score_k = intercept_k + Σ_j weight_jk · count_j, `scale` times which is the score
/// of the model it stands for. Any counts of 16 bits give exact scores in 32 bits: nothing overflows.
struct QuantisedModel {
  const std::int16_t* weights = nullptr;     ///< features × classes, row-major
  const std::int32_t* intercepts = nullptr;  ///< one per class
  const CountScale* counts = nullptr;        ///< one per feature
  Index features = 0, classes = 0;           ///< classes = 0: no such model
  float scale = 1;

  std::int16_t weight(Index feature, Index label) const {
    return weights[static_cast<std::size_t>(feature) * classes + label];
  }
  bool uses(Index feature) const {
    for (Index k = 0; k < classes; ++k)
      if (weight(feature, k) != 0) return true;
    return false;
  }
  /// The scores of a sample as it comes, `step` entries apart.
  void scores(const float* x, std::int32_t* out, std::size_t step = 1) const {
    for (Index k = 0; k < classes; ++k) out[k] = intercepts[k];
    for (Index j = 0; j < features; ++j) {
      if (!uses(j)) continue;
      const std::int32_t count = counts[j].count(x[j * step]);
      for (Index k = 0; k < classes; ++k) out[k] += count * weight(j, k);
    }
  }
  /// argmax_k score_k, the first of equals; `scratch`: one number per class.
  Label predict(const float* x, std::int32_t* scratch, std::size_t step = 1) const {
    if (classes == 0) return no_label;
    scores(x, scratch, step);
    Index top = 0;
    for (Index k = 1; k < classes; ++k)
      if (scratch[k] > scratch[top]) top = k;
    return static_cast<Label>(top);
  }
};

namespace detail {

/// The nearest integer, halves away from zero; the least one, which fits nowhere, for numbers out of range.
template <class T>
std::int32_t nearest(T x) {
  if (!(absolute(x) < T(2147483000))) return -0x7fffffff - 1;
  return static_cast<std::int32_t>(x < 0 ? x - T(0.5) : x + T(0.5));
}

/// Whether scores stay within 32 bits whatever the counts: |intercept_k| + 2¹⁵ Σ_j |weight_jk| < 2³¹.
inline bool sums_fit(const QuantisedModel& model) {
  for (Index k = 0; k < model.classes; ++k) {
    const std::int64_t intercept = model.intercepts[k];
    std::int64_t most = intercept < 0 ? -intercept : intercept;
    for (Index j = 0; j < model.features; ++j)
      most += 32768 * std::int64_t(model.weight(j, k) < 0 ? -model.weight(j, k) : model.weight(j, k));
    if (most > 0x7fffffff) return false;
  }
  return true;
}

}  // namespace detail

/// Rounds w_jk / per_unit_j to multiples of one scale, the same for all classes, so that the largest scores compare as
/// integers: the finest scale with which weights are within ±`largest_weight` (127 for int8, 32767 for int16) and no
/// sum overflows. Each weight is then off by at most half of it. Fills `weights` (features × classes) and `intercepts`
/// (classes), which with `counts` the model returned points to. No model (classes = 0) when numbers are not finite, or
/// the scale is no float, or when more features are used than 32 bits have room for (65536 always fit). Weights below
/// 1e-35 per count are zero.
template <class T>
QuantisedModel quantise(const LinearModel<T>& model, const CountScale* counts, std::int32_t largest_weight,
                        std::span<std::int16_t> weights, std::span<std::int32_t> intercepts) {
  T top = 0, sums = 0;
  Index used = 0;
  const auto per_count = [&](Index j, Index k) { return model(j, k) / T(counts[j].per_unit); };
  const auto intercept = [&](Index k) {
    T b = model.intercept(k);
    for (Index j = 0; j < model.features; ++j)
      if (model(j, k) != 0) b += model(j, k) * T(counts[j].zero);
    return b;
  };
  for (Index j = 0; j < model.features; ++j) used += model.uses(j);
  for (Index k = 0; k < model.classes; ++k) {
    T sum = absolute(intercept(k));
    for (Index j = 0; j < model.features; ++j) {
      top = largest(top, absolute(per_count(j, k)));
      sum += 32768 * absolute(per_count(j, k));
    }
    if (!finite(sum)) return {};
    sums = largest(sums, sum);
  }
  const std::int64_t room = std::int64_t(0x7fffffff) - 16384 * std::int64_t(used) - 1;
  if (room < 0x10000000) return {};
  T scale = largest(top / T(largest_weight), sums / T(room));
  if (!(scale > 0)) scale = 1;
  if (!finite(static_cast<float>(scale))) return {};
  scale = largest(scale, T(1024 * least_normal<float>));  // whose 1024th part adds something still
  QuantisedModel out{weights.data(), intercepts.data(), counts, model.features, model.classes, 1};
  for (;; scale += scale / 1024) {  // once, but for the rounding of the scale itself
    bool narrow = true;
    for (Index k = 0; k < model.classes; ++k) {
      intercepts[k] = detail::nearest(intercept(k) / scale);
      for (Index j = 0; j < model.features; ++j) {
        const std::int32_t weight = detail::nearest(per_count(j, k) / scale);
        narrow &= weight <= largest_weight && weight >= -largest_weight;
        weights[static_cast<std::size_t>(j) * model.classes + k] = static_cast<std::int16_t>(weight);
      }
    }
    if (narrow && detail::sums_fit(out)) break;
  }
  out.scale = static_cast<float>(scale);
  return out;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
