#include "sample_steps.hpp"

#include <numeric>

#include "arguments.hpp"
#include "errors.hpp"
#include "readers.hpp"
#include "tamis/features/column_statistics.hpp"

namespace tamis::cli {

const char* name(SampleNorm norm) {
  switch (norm) {
    case SampleNorm::l1: return "l1";
    case SampleNorm::l2: return "l2";
    case SampleNorm::max: return "max";
    default: return "";
  }
}

SampleNorm norm_named(const std::string& text) {
  for (const SampleNorm norm : {SampleNorm::none, SampleNorm::l1, SampleNorm::l2, SampleNorm::max})
    if (text == name(norm)) return norm;
  throw ArgumentError("--normalise: '" + text + "' is not one of l1, l2, max");
}

LogClip<double> parse_log(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos)
    throw ArgumentError("--log: '" + text + "' is not of the form LOW:HIGH, such as 1:16000");
  const LogClip<double> log{parse_number("--log", text.substr(0, colon)),
                            parse_number("--log", text.substr(colon + 1))};
  if (!log.valid()) throw ArgumentError("--log: '" + text + "' is not LOW:HIGH with 0 < LOW < HIGH");
  return log;
}

namespace {

/// Each sample of a sparse table divided by its norm.
void normalise_sparse(Table& table, SampleNorm norm) {
  std::vector<std::size_t> starts(table.samples + 1);
  for (const auto row : table.rows) ++starts[row + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<double> by_sample(table.values.size());
  auto next = starts;
  for (std::size_t e = 0; e < table.values.size(); ++e) by_sample[next[table.rows[e]]++] = table.values[e];
  for (std::size_t i = 0; i < table.samples; ++i)
    normalise(by_sample.data() + starts[i], static_cast<Index>(starts[i + 1] - starts[i]), norm);
  next = starts;
  for (std::size_t e = 0; e < table.values.size(); ++e) table.values[e] = by_sample[next[table.rows[e]]++];
}

}  // namespace

void StoredSteps::apply(Table& table) const {
  if (text) text->apply(table);
  if (table.sparse) {
    if (fills_missing() || takes_log() || transforms())
      throw DataError(table.path + ": the samples are sparse, but " +
                      (takes_log()       ? "--log"
                       : fills_missing() ? "--missing mean"
                       : scattering      ? "--scattering"
                                         : "--windows") +
                      " would fill their zeros: give them as CSV");
    return normalise_sparse(table, norm);
  }
  const SampleSteps<double> steps{.means = fills_missing() ? missing_means.data() : nullptr, .log = log, .norm = norm};
  for (std::size_t j = 0; j < table.features && (fills_missing() || takes_log()); ++j)
    for (std::size_t i = 0; i < table.samples; ++i) {
      double& x = table.values[j * table.samples + i];
      x = steps.entry(x, static_cast<Index>(j));
    }
  for (std::size_t i = 0; i < table.samples && norm != SampleNorm::none; ++i)
    normalise(table.values.data() + i, static_cast<Index>(table.features), norm, table.samples);
  if (scattering) scattering->apply(table);
  if (windows) windows->apply(table);
}

std::vector<double> means_of_present(const Table& table) {
  std::vector<double> means;
  for (std::size_t j = 0; j < table.features; ++j) {
    ColumnStatistics<double> column;
    for (std::size_t i = 0; i < table.samples; ++i) column.add(table.values[j * table.samples + i]);
    if (!column.count())
      throw DataError(table.path + ", feature " + std::to_string(j + 1) +
                      (table.feature_names.empty() ? "" : " (" + printable(table.feature_names[j]) + ")") +
                      ": no training sample has a value, so there is no mean: remove the column");
    means.push_back(column.mean());
  }
  return means;
}

}  // namespace tamis::cli
