#pragma once
/// Sets of labels from the scores of models that rank: thresholds as training, models and predictions hold them.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "problem.hpp"
#include "tamis/selection/set_thresholds.hpp"

namespace tamis::cli {

/// A class belongs to a sample when its score is above ⟨slopes, scores⟩ + its offset.
struct StoredThresholds {
  ThresholdKind kind = ThresholdKind::linear;
  std::vector<double> slopes, offsets;  // one per class

  SetThresholds<double> view() const { return {slopes.data(), offsets.data(), static_cast<Index>(offsets.size())}; }
};
nlohmann::ordered_json to_json(const StoredThresholds& thresholds);

/// Those of the training samples: their scores, samples × classes, and their sets. Throws ArgumentError.
StoredThresholds choose_thresholds(ThresholdKind kind, const std::vector<double>& scores, const LabelSetList& sets,
                                   const std::vector<Label>& labels, std::size_t classes);

/// How predicted sets compare with the true ones. Labels that were not trained on are never predicted.
struct SetEvaluation {
  std::size_t exact = 0;  // samples whose set is right, of all
  std::size_t samples = 0;
  double hamming_loss = 0;  // wrong memberships, of samples · classes
  double micro_f1 = 0;      // 2 hits / (memberships + predictions)
};
SetEvaluation evaluate_sets(const std::vector<LabelSet>& truth, const std::vector<double>& scores,
                            const SetThresholds<double>& thresholds);

}  // namespace tamis::cli
