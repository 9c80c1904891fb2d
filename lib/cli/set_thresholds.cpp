#include "set_thresholds.hpp"

#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "fitting.hpp"

namespace tamis::cli {

nlohmann::ordered_json to_json(const StoredThresholds& thresholds) {
  return {{"kind", name(thresholds.kind)}, {"slopes", thresholds.slopes}, {"offsets", thresholds.offsets}};
}

StoredThresholds choose_thresholds(ThresholdKind kind, const std::vector<double>& scores, const LabelSetList& sets,
                                   const std::vector<Label>& labels, std::size_t classes) {
  const auto samples = static_cast<Index>(labels.size()), count = static_cast<Index>(classes);
  ThresholdChoice<double> choice(kind, samples, count);
  const ArenaMemory memory(ThresholdChoice<double>::requirement(kind, samples, count).bytes);
  const Status status = choice.choose(scores.data(), classes, sets.view(), labels.data(), memory.span());
  if (status != Status::converged) throw ArgumentError(std::string("--thresholds: ") + describe(status));
  const auto found = choice.thresholds();
  return {kind, {found.slopes, found.slopes + classes}, {found.offsets, found.offsets + classes}};
}

SetEvaluation evaluate_sets(const std::vector<LabelSet>& truth, const std::vector<double>& scores,
                            const SetThresholds<double>& thresholds) {
  SetEvaluation out;
  out.samples = truth.size();
  std::size_t wrong = 0, hits = 0, named = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    std::vector<bool> predicted(thresholds.classes);
    std::size_t size = 0, right = 0;
    thresholds.for_each_label(scores.data() + i * thresholds.classes, [&](Index k) {
      predicted[k] = true;
      ++size;
    });
    for (const Label k : truth[i].classes) right += predicted[k];
    const std::size_t members = truth[i].classes.size(), off = (size - right) + (members - right);
    out.exact += off == 0 && truth[i].unknown == 0;
    wrong += off;
    hits += right;
    named += size + members + truth[i].unknown;
  }
  const auto memberships = static_cast<double>(truth.size() * thresholds.classes);
  out.hamming_loss = memberships > 0 ? static_cast<double>(wrong) / memberships : 0;
  out.micro_f1 = named > 0 ? 2 * static_cast<double>(hits) / static_cast<double>(named) : 0;
  return out;
}

}  // namespace tamis::cli
