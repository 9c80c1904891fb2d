#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cv.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

/// The subject of each sample: the first field of each line of the file, after a header line if there is one line more.
std::vector<std::string> read_subjects(const std::string& path, std::size_t samples) {
  TextFile file(path);
  std::vector<std::string> names;
  for (std::string line; file.next_line(line);) {
    const std::string field = line.substr(0, line.find(','));
    names.emplace_back(trimmed(field));
  }
  if (names.size() == samples + 1) names.erase(names.begin());
  if (names.size() != samples)
    file.fail(found_expected(names.size(), samples, "subject") + ", one per training sample");
  return names;
}

/// Deals samples with several labels so that every fold has its share of each label: of the labels that still have
/// samples to be dealt, that of the fewest comes next, and each of its samples goes to the fold that has the fewest of
/// it, then the fewest samples; in an order drawn with the seed. Source: Sechidis, Tsoumakas and Vlahavas (2011).
std::vector<Index> deal_label_sets(const Prepared& p, Index folds, std::uint64_t seed) {
  const LabelSets sets = p.sets->view();
  const std::size_t samples = p.labels.size(), classes = p.classes.size();
  std::vector<std::size_t> order(samples);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Draws draws(seed);
  for (std::size_t left = samples; left > 1; --left)
    std::swap(order[left - 1], order[draws.next(static_cast<Index>(left))]);
  std::vector<Index> of(samples, no_fold), sizes(folds);
  std::vector<std::vector<Index>> counts(classes + 1, std::vector<Index>(folds));  // the last: of no label at all
  const auto deal_to = [&](std::size_t i, const std::vector<Index>& have) {
    Index best = 0;
    for (Index f = 1; f < folds; ++f)
      if (std::pair(have[f], sizes[f]) < std::pair(have[best], sizes[best])) best = f;
    of[i] = best;
    ++sizes[best];
    for (const Label k : sets[p.labels[i]]) ++counts[k][best];
  };
  for (;;) {
    std::vector<std::size_t> left(classes);
    for (const std::size_t i : order)
      if (of[i] == no_fold)
        for (const Label k : sets[p.labels[i]]) ++left[k];
    std::size_t rarest = classes;
    for (std::size_t k = 0; k < classes; ++k)
      if (left[k] > 0 && (rarest == classes || left[k] < left[rarest])) rarest = k;
    for (const std::size_t i : order)
      if (of[i] == no_fold && (rarest == classes || sets.contains(p.labels[i], static_cast<Index>(rarest))))
        deal_to(i, counts[rarest]);
    if (rarest == classes) return of;
  }
}

}  // namespace

Folds deal(const CvArguments& a, const Prepared& p) {
  const Index samples = static_cast<Index>(p.labels.size());
  const Index classes = p.sets ? p.sets->view().count : static_cast<Index>(p.classes.size());  // that `labels` number
  Index folds = a.folds;
  if (!a.validation.empty()) {  // a fold of that share of the samples, the others are never held out
    const double fraction = parse_number("--validation", a.validation);
    if (!(fraction > 0 && fraction <= 0.5))
      throw ArgumentError("--validation: the fraction must lie between 0 and 1/2");
    folds = static_cast<Index>(std::lround(1 / fraction));
  }
  Folds out{std::vector<Index>(samples), folds};
  std::vector<Index> order(samples + 1);
  const std::vector<std::string> names = a.subjects.empty() ? p.train.subjects : read_subjects(a.subjects, samples);
  if (!names.empty()) {
    std::map<std::string, Index> number;
    std::vector<Index> group;
    for (const auto& name : names)
      group.push_back(number.try_emplace(name, static_cast<Index>(number.size())).first->second);
    std::vector<Index> starts(samples + 1), counts(std::size_t(folds) * classes);
    if (!deal_groups(p.labels, classes, group.data(), folds, out.of.data(), order.data(), starts.data(), counts.data()))
      throw ArgumentError("--folds: " + std::to_string(folds) +
                          " folds of whole subjects need as many subjects, there are " + std::to_string(number.size()));
  } else if (p.sets && a.stratified && folds >= 2 && folds <= samples) {
    out.of = deal_label_sets(p, folds, a.samples.seed);
  } else {
    Index rare = 0;
    if (!deal_folds(p.labels, classes, folds, a.stratified, a.samples.seed, out.of.data(), order.data(), rare)) {
      if (rare < classes)
        throw ArgumentError("--folds: " + std::to_string(folds) +
                            " folds need as many samples of every class: class '" + p.classes[rare] + "' has " +
                            std::to_string(std::count(p.labels.begin(), p.labels.end(), rare)) +
                            "; take fewer folds, or --unstratified");
      throw ArgumentError("--folds: " + std::to_string(folds) + " folds of " + std::to_string(samples) +
                          " samples: there must be two at least, and no more than samples");
    }
  }
  if (!a.validation.empty()) {
    for (Index& fold : out.of)
      if (fold != 0) fold = no_fold;
    out.count = 1;
  }
  return out;
}

}  // namespace tamis::cli
