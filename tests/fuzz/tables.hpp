#pragma once
/// What must hold of samples that a reader of the command has accepted.

#include <algorithm>
#include <cmath>

#include "data.hpp"
#include "errors.hpp"
#include "memory_file.hpp"

namespace tamis::fuzz {

/// What `read` returns; nothing where it refuses, with a sentence that says of which file.
template <class Read>
auto accepted(const MemoryFile& file, const Read& read) -> std::optional<decltype(read())> {
  try {
    const Bounded bounded;
    return read();
  } catch (const cli::DataError& error) {
    const std::string sentence = error.what();
    expect(sentence.starts_with(file.path()) && sentence.size() > file.path().size() + 4, "a refusal names its file");
    expect(sentence.find('\n') == std::string::npos, "a refusal is one line");
  } catch (const cli::ArgumentError&) {
  } catch (const std::bad_alloc&) {
  }
  return std::nullopt;
}

/// Counts that fit each other, columns in order, values that are finite (missing ones where they may be).
inline void check_table(const cli::Table& t, bool missing = false) {
  expect(t.samples > 0 && t.lines.size() == t.samples, "each sample is on a line");
  expect(std::is_sorted(t.lines.begin(), t.lines.end()), "samples are in the order of lines");
  expect(t.labels.empty() || t.labels.size() == t.samples, "each sample has a label, or none has");
  expect(t.label_sets.empty() || t.label_sets.size() == t.samples, "each sample has a set of labels, or none has");
  expect(t.feature_names.empty() || t.feature_names.size() == t.features, "each feature has a name, or none has");
  for (const double x : t.values) expect(std::isfinite(x) || (missing && std::isnan(x)), "values are finite");
  if (!t.sparse) {
    expect(t.values.size() == t.samples * t.features, "each sample has a value for each feature");
    return;
  }
  if (t.features == 0) return;  // texts, before they have features
  expect(t.starts.size() == t.features + 1 && t.starts.front() == 0 && t.starts.back() == t.values.size() &&
             t.rows.size() == t.values.size(),
         "columns cover the entries");
  for (std::size_t j = 0; j < t.features; ++j)
    for (auto e = t.starts[j]; e < t.starts[j + 1]; ++e)
      expect(t.rows[e] < t.samples && (e == t.starts[j] || t.rows[e - 1] < t.rows[e]) && t.values[e] != 0,
             "entries of a column ascend, and are not zero");
}

/// The same samples, wherever they were in their files.
inline bool same_samples(const cli::Table& a, const cli::Table& b) {
  return a.samples == b.samples && a.features == b.features && a.sparse == b.sparse && same_bits(a.values, b.values) &&
         a.rows == b.rows && a.starts == b.starts && a.feature_names == b.feature_names && a.labels == b.labels &&
         a.label_sets == b.label_sets && a.subjects == b.subjects && a.texts == b.texts;
}

/// The shortest text that reads as the same number.
inline std::string in_text(double value) {
  char text[40];
  if (std::isnan(value)) return "NaN";
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace tamis::fuzz
