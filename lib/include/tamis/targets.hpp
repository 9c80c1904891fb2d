#pragma once
/// Labels or values, sample weights and margins: what is to be predicted, and how much each sample counts.

#include <span>
#include <type_traits>

#include "linalg/scalar.hpp"
#include "linalg/sum.hpp"
#include "shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Views of caller memory. `labels`, or for a loss that predicts values (LeastSquares) `values`, has one entry per
/// sample; so have `weights` and `margins`, where null means 1 and `common_margin` for all.
template <class T>
struct Targets {
  std::span<const Label> labels;
  Index classes = 0;  ///< scores of a sample: one per class, or 1 of values, and of two classes that a sign tells apart
  const T* weights = nullptr;
  const T* margins = nullptr;
  T inverse_total = 0;  ///< 1/Σwᵢ, set by `normalise()`
  T common_margin = 1;  ///< set by the solver: Options::margin, or what suits the loss
  std::span<const T> values = {};

  Index samples() const { return static_cast<Index>(labels.empty() ? values.size() : labels.size()); }
  /// What scores are compared with: a margin μ, or a value (solvers point `margins` at the values then).
  TAMIS_INLINED_UNLESS_SMALLEST T margin(Index sample) const { return margins ? margins[sample] : common_margin; }
  TAMIS_INLINED_UNLESS_SMALLEST T raw_weight(Index sample) const { return weights ? weights[sample] : T(1); }
  /// wᵢ / Σw. A vector of ones gives the same bits as no weights.
  T weight(Index sample) const { return raw_weight(sample) * inverse_total; }

  void normalise() {
    Sum<T> total;
    const Index count = samples();
    for (Index i = 0; i < count; ++i) total.add(raw_weight(i));
    inverse_total = T(1) / total.value();
  }
  /// After `normalise`: whether Σw, 1/Σw and the shares of samples (unless their weight is zero) are finite, normal
  /// numbers, so that means of losses have all digits; `sample` is the first whose share is not.
  bool holds_shares(Index& sample) const {
    const bool holds_total = inverse_total >= least_normal<T> && inverse_total <= T(1) / least_normal<T>;
    const Index count = weights ? samples() : 0;
    for (Index i = 0; i < count; ++i) {
      if (holds_total && (!(weights[i] > T(0)) || weights[i] * inverse_total >= least_normal<T>)) continue;
      sample = i;
      return false;
    }
    return true;
  }
  [[gnu::noinline]] T class_weight(Index label) const {
    Sum<T> total;
    for (Index i = 0; i < samples(); ++i)
      if (labels[i] == label) total.add(weight(i));
    return total.value();
  }
};

/// Labels of integers of any kind (a std::vector<int>, an Eigen vector, a span) in `room`, one per sample. What is no
/// number of a class becomes `no_label`, which training refuses, with its row. Room for fewer: no labels, and
/// training refuses the shape.
template <class Integers>
std::span<const Label> labels_of(const Integers& y, std::span<Label> room) {
  static_assert(std::is_integral_v<std::remove_cvref_t<decltype(y[0])>>,
                "labels are integers: numbers of classes, from 0");
  const auto samples = static_cast<std::size_t>(y.size());
  if (room.size() < samples) return {};
  std::size_t i = 0;
  for (const auto label : y)
    room[i++] = label >= 0 && static_cast<std::uint64_t>(label) < no_label ? static_cast<Label>(label) : no_label;
  return room.first(samples);
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
