#pragma once
/// Probabilities of classes from scores that are none: the map that calibrate() fits.

#include "../linalg/elementary.hpp"
#include "../linalg/rows.hpp"
#include "../status.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// With z_k = a_k s_k + b_k of the scores s:
///   - sigmoid: p_k ∝ σ(z_k), σ(z) = 1/(1 + exp(−z)), each class against the others. Source: Platt (1999);
///   - softmax: p_k ∝ exp(z_k), a_k = a for all classes. Source: Guo, Pleiss, Sun and Weinberger (2017).
enum class CalibrationKind : std::uint8_t { sigmoid, softmax };
inline constexpr CalibrationKind all_calibrations[] = {CalibrationKind::softmax, CalibrationKind::sigmoid};

constexpr const char* name(CalibrationKind kind) { return kind == CalibrationKind::sigmoid ? "sigmoid" : "softmax"; }

/// A view of the parameters: it points into the memory given to calibrate(), or wherever the caller keeps them. Platt's
/// A and B are −a_k and −b_k. Without parameters it is the softmax of the scores: what they mean with the logistic
/// loss.
template <class T>
struct Calibration {
  CalibrationKind kind = CalibrationKind::softmax;
  Index classes = 0;
  const T* slopes = nullptr;   ///< a, one per class; null: 1
  const T* offsets = nullptr;  ///< b, one per class; null: 0

  /// Writes the K probabilities of one sample, ≥ 0 and of sum 1; `out` may be `scores`. A score that is NaN counts as
  /// the least there is. No scratch; cost K exponentials, with sigmoids twice that and K logarithms.
  [[gnu::noinline]] void probabilities(const T* scores, T* out) const {
    T top = -infinity<T>;
    for (Index k = 0; k < classes; ++k) top = largest(top, out[k] = level(scores, k));
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += out[k] = exponential(out[k] - top);
    const T scale = T(1) / total;
    for (Index k = 0; k < classes; ++k) out[k] *= scale;
  }

  /// log p_k, finite also where p_k is too small for T. Cost that of all probabilities.
  [[gnu::noinline]] T log_probability(const T* scores, Index label) const {
    T top = -infinity<T>;
    for (Index k = 0; k < classes; ++k) top = largest(top, level(scores, k));
    T total = 0;
    for (Index k = 0; k < classes; ++k) total += exponential(level(scores, k) - top);
    return (level(scores, label) - top) - logarithm(total);
  }

  /// argmax_k p_k, the first of equals: with sigmoids it need not be that of the scores.
  [[gnu::noinline]] Label predict(const T* scores) const {
    Label best = 0;
    T top = level(scores, 0);
    for (Index k = 1; k < classes; ++k) {
      const T now = level(scores, k);
      if (now > top) {
        top = now;
        best = static_cast<Label>(k);
      }
    }
    return best;
  }

 private:
  /// log p_k but for a term that all classes share.
  T level(const T* scores, Index k) const {
    const T linear = (slopes ? slopes[k] : T(1)) * scores[k] + (offsets ? offsets[k] : T(0));
    const T z = smallest(largest(linear, T(-1e30)), T(1e30));  // so that differences are finite
    if (kind == CalibrationKind::softmax) return z;
    return smallest(z, T(0)) - logarithm(T(1) + exponential(-absolute(z)));
  }
};

/// Whether scores (a row per sample) and targets go together: `running`, or invalid_shape, invalid_label,
/// invalid_weight (`row`), missing_class (`column`), invalid_data (both). Samples of weight zero may have any scores.
/// `missing_class` as well when all weights are zero; one class without samples is let pass unless `every_class`.
template <class T>
[[gnu::noinline]] Status check_scores(Rows<const T> scores, const Targets<T>& targets, Index& row, Index& column,
                                      bool every_class = true) {
  row = column = 0;
  const Index classes = targets.classes;
  if (targets.samples() == 0 || classes < 2 || classes > 65536 || !scores.data || scores.rows != targets.samples() ||
      scores.classes != classes || scores.stride < classes)
    return Status::invalid_shape;
  for (row = 0; row < targets.samples(); ++row) {
    if (targets.labels[row] >= classes) return Status::invalid_label;
    if (!(targets.raw_weight(row) >= T(0)) || !finite(targets.raw_weight(row))) return Status::invalid_weight;
  }
  row = 0;
  for (column = 0; column < classes; ++column) {
    bool found = false;
    for (Index i = 0; i < targets.samples() && !found; ++i)
      found = (!every_class || targets.labels[i] == column) && targets.raw_weight(i) > T(0);
    if (!found) return Status::missing_class;
    if (!every_class) break;
  }
  row = column = 0;
  Targets<T> shares = targets;
  shares.normalise();
  if (!shares.holds_shares(row)) return Status::invalid_weight;
  for (row = 0; row < targets.samples(); ++row)
    if (targets.raw_weight(row) > T(0))
      for (column = 0; column < classes; ++column)
        if (!finite(scores.row(row)[column])) return Status::invalid_data;
  row = column = 0;
  return Status::running;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
