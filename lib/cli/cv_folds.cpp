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
  const std::size_t samples = p.labels.size();
  const auto subjects = a.subjects.empty() ? p.train.subjects : read_subjects(a.subjects, samples);
  const Index folds = a.dealt_folds();
  if (subjects.empty() && p.sets && a.stratified && folds >= 2 && folds <= samples)
    return a.held_out(deal_label_sets(p, folds, a.samples.seed));
  return a.HoldOutArguments::deal(
      {p.labels, p.classes, subjects, samples, a.samples.seed, p.sets ? p.sets->view().count : 0});
}

}  // namespace tamis::cli
