#pragma once
/// How far probabilities can be taken at their word.

#include <span>

#include "../model/calibration.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Samples whose confidence, the largest of their probabilities, is in one interval of a reliability diagram.
template <class T>
struct ReliabilityBin {
  T weight = 0;      ///< share of all samples, by weight
  T confidence = 0;  ///< its mean over the samples; 0 without any
  T accuracy = 0;    ///< share of these samples that are right
};

/// Means over samples by weight.
template <class T>
struct Reliability {
  T log_loss = 0;           ///< −log p_y
  T error = 0;              ///< share of samples whose label is not the most probable
  T calibration_error = 0;  ///< Σ_b weight_b |accuracy_b − confidence_b|, the expected calibration error (ECE)
  Index row = 0;            ///< the first bad sample of a refusal
  Index column = 0;         ///< the first bad class of a refusal
};

/// Measures the probabilities of samples that neither the model nor the calibration has seen. Bin b of B holds the
/// confidences in [b/B, (b + 1)/B), the last one 1 as well; 10 or 15 are usual. `converged`, or a refusal with the bins
/// untouched: those of check_scores() (a class without samples is none here), invalid_shape where the calibration has
/// other classes, invalid_option without bins. Cost: n·K exponentials. No scratch. Source: Guo et al. (2017).
template <class T>
Status measure_reliability(const Calibration<T>& calibration, Rows<const T> scores, const Targets<T>& targets,
                           std::span<ReliabilityBin<T>> bins, Reliability<T>& out) {
  out = {};
  const Status status = check_scores(scores, targets, out.row, out.column, false);
  if (status != Status::running) return status;
  if (calibration.classes != targets.classes) return Status::invalid_shape;
  if (bins.empty()) return Status::invalid_option;
  const Index last = static_cast<Index>(bins.size()) - 1;
  for (auto& bin : bins) bin = {};
  Sum<T> loss, wrong, total;
  for (Index i = 0; i < targets.samples(); ++i) {
    const T weight = targets.raw_weight(i);
    if (!(weight > T(0))) continue;
    const T* row = scores.row(i);
    const Label best = calibration.predict(row), y = targets.labels[i];
    const T confidence = exponential(calibration.log_probability(row, best));
    auto& bin = bins[smallest(static_cast<Index>(confidence * T(bins.size())), last)];
    bin.weight += weight;
    bin.confidence += weight * confidence;
    if (best == y) bin.accuracy += weight;
    else wrong.add(weight);
    loss.add(-weight * calibration.log_probability(row, y));
    total.add(weight);
  }
  const T all = total.value();
  out.log_loss = loss.value() / all;
  out.error = wrong.value() / all;
  Sum<T> gap;
  for (auto& bin : bins) {
    gap.add(absolute(bin.accuracy - bin.confidence));
    if (bin.weight > T(0)) {
      bin.confidence /= bin.weight;
      bin.accuracy /= bin.weight;
    }
    bin.weight /= all;
  }
  out.calibration_error = gap.value() / all;
  return Status::converged;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
