#include "problem.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <random>

#include "tamis/features/column_statistics.hpp"

namespace tamis::cli {

namespace {

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string> class_names(const std::vector<std::string>& labels) {
  std::vector<std::string> names = labels;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const auto x = as_number(a), y = as_number(b);
    return x && y ? *x < *y : x.has_value() && !y.has_value();
  });
  return names;
}

std::vector<Label> encode_known(const Table& table, const std::vector<std::string>& classes) {
  std::map<std::string, Label> number;
  for (std::size_t k = 0; k < classes.size(); ++k) number[classes[k]] = static_cast<Label>(k);
  std::vector<Label> encoded(table.samples, static_cast<Label>(classes.size()));
  for (std::size_t i = 0; i < table.samples; ++i)
    if (const auto found = number.find(table.labels[i]); found != number.end()) encoded[i] = found->second;
  return encoded;
}

std::vector<Label> encode(const Table& table, const std::vector<std::string>& classes) {
  auto encoded = encode_known(table, classes);
  const auto unknown = std::find(encoded.begin(), encoded.end(), static_cast<Label>(classes.size()));
  if (unknown == encoded.end()) return encoded;
  std::string known;
  for (std::size_t k = 0; k < std::min<std::size_t>(classes.size(), 10); ++k) known += (k ? ", " : "") + classes[k];
  if (classes.size() > 10) known += ", …";
  const auto i = static_cast<std::size_t>(unknown - encoded.begin());
  throw DataError(table.path + ", line " + std::to_string(table.lines[i]) + ": label '" + table.labels[i] +
                  "' is none of the classes trained on (" + known + ")");
}

std::vector<LabelSet> encode_sets(const Table& table, const std::vector<std::string>& classes) {
  std::map<std::string, Label> number;
  for (std::size_t k = 0; k < classes.size(); ++k) number[classes[k]] = static_cast<Label>(k);
  std::vector<LabelSet> out;
  for (const auto& labels : table.label_sets) {
    LabelSet& set = out.emplace_back();
    for (const auto& label : labels) {
      if (const auto found = number.find(label); found != number.end()) set.classes.push_back(found->second);
      else ++set.unknown;
    }
    std::sort(set.classes.begin(), set.classes.end());
  }
  return out;
}

bool list_sets(const std::vector<LabelSet>& samples, LabelSetList& list, std::vector<Label>& labels) {
  std::map<std::vector<Label>, std::size_t> number;
  for (const auto& set : samples) number[set.classes] = 0;
  if (number.size() > 65536) return false;
  std::size_t next = 0;
  for (auto& [set, place] : number) {
    place = next++;
    list.members.insert(list.members.end(), set.begin(), set.end());
    list.starts.push_back(static_cast<Index>(list.members.size()));
  }
  for (const auto& set : samples) labels.push_back(static_cast<Label>(number[set.classes]));
  return true;
}

Table select_rows(const Table& table, const std::vector<std::size_t>& rows) {
  Table out;
  out.path = table.path;
  out.samples = rows.size();
  out.features = table.features;
  out.sparse = table.sparse;
  out.feature_names = table.feature_names;
  out.text_column = table.text_column;
  for (const std::size_t row : rows) {
    if (!table.labels.empty()) out.labels.push_back(table.labels[row]);
    if (!table.label_sets.empty()) out.label_sets.push_back(table.label_sets[row]);
    if (!table.subjects.empty()) out.subjects.push_back(table.subjects[row]);
    if (!table.texts.empty()) out.texts.push_back(table.texts[row]);
    out.lines.push_back(table.lines[row]);
  }
  if (!table.sparse) {
    out.values.reserve(rows.size() * table.features);
    for (std::size_t j = 0; j < table.features; ++j)
      for (const std::size_t row : rows) out.values.push_back(table.values[j * table.samples + row]);
    return out;
  }
  constexpr auto absent = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> place(table.samples, absent);
  for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<std::uint32_t>(i);
  out.starts.push_back(0);
  std::vector<std::pair<std::uint32_t, double>> column;
  for (std::size_t j = 0; j < table.features; ++j) {
    column.clear();
    for (std::uint32_t e = table.starts[j]; e < table.starts[j + 1]; ++e)
      if (place[table.rows[e]] != absent) column.emplace_back(place[table.rows[e]], table.values[e]);
    std::sort(column.begin(), column.end());  // rows may come in any order, and entries of a column are ascending
    for (const auto& [row, value] : column) {
      out.rows.push_back(row);
      out.values.push_back(value);
    }
    out.starts.push_back(static_cast<std::uint32_t>(out.values.size()));
  }
  return out;
}

void make_dense(Table& table) {
  if (!table.sparse) return;
  std::vector<double> values(table.samples * table.features);
  for (std::size_t j = 0; j < table.features; ++j)
    for (auto e = table.starts[j]; e < table.starts[j + 1]; ++e)
      values[table.rows[e] + j * table.samples] = table.values[e];
  table.values = std::move(values);
  table.rows.clear();
  table.starts.clear();
  table.sparse = false;
}

Split hold_out(const std::vector<std::string>& labels, double fraction, std::uint64_t seed) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < labels.size(); ++i) members[labels[i]].push_back(i);
  std::mt19937_64 generator(seed);
  Split split;
  for (auto& [label, rows] : members) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[generator() % i]);
    const auto held = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(rows.size())));
    split.test.insert(split.test.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(held));
    split.train.insert(split.train.end(), rows.begin() + static_cast<std::ptrdiff_t>(held), rows.end());
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

namespace {

/// Scales each column by what `measure(values, samples)` says about it.
template <class Measure>
Standardisation scale_columns(Table& table, const Measure& measure) {
  Standardisation by;
  by.centred = !table.sparse;
  by.columns.resize(table.features);
  const auto samples = static_cast<Index>(table.samples);
  std::vector<double> column;
  for (std::size_t j = 0; j < table.features; ++j) {
    if (!table.sparse) {
      double* values = table.values.data() + j * table.samples;
      by.columns[j] = measure(values, samples);
      standardise_column(values, samples, by.columns[j]);
      continue;
    }
    column.assign(table.samples, 0);
    for (std::uint32_t e = table.starts[j]; e < table.starts[j + 1]; ++e) column[table.rows[e]] = table.values[e];
    by.columns[j] = measure(column.data(), samples);
    for (std::uint32_t e = table.starts[j]; e < table.starts[j + 1]; ++e) table.values[e] /= by.columns[j].scale;
  }
  return by;
}

}  // namespace

Standardisation standardise(Table& table) {
  return scale_columns(table, [](const double* column, Index samples) { return measure_column(column, samples); });
}

Standardisation scale_to_unit_range(Table& table) {
  Standardisation by = scale_columns(table, [](const double* column, Index samples) {
    ColumnStatistics<double> statistics;
    for (Index i = 0; i < samples; ++i) statistics.add(column[i]);
    return statistics.min_max();
  });
  by.min_max = true;
  return by;
}

void standardise_by(Table& table, const std::vector<ColumnScale<double>>& columns) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    standardise_column(table.values.data() + j * table.samples, static_cast<Index>(table.samples), columns[j]);
}

bool Coefficients::uses(std::size_t feature) const {
  for (std::size_t k = 0; k < classes; ++k)
    if (weight(feature, k) != 0) return true;
  return false;
}

Index Coefficients::nonzeros() const {
  return static_cast<Index>(std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }));
}

Index Coefficients::kept() const {
  Index count = 0;
  for (std::size_t j = 0; j < features; ++j) count += uses(j);
  return count;
}

Coefficients Coefficients::in_original_units(const Standardisation& by) const {
  Coefficients out = *this;
  for (std::size_t j = 0; j < features; ++j)
    for (std::size_t k = 0; k < classes; ++k) {
      double& w = out.weights[j * classes + k];
      w /= by.columns[j].scale;
      out.intercepts[k] -= by.offset(j) * w;
    }
  return out;
}

Coefficients Coefficients::in_standardised_units(const Standardisation& by) const {
  Coefficients out = *this;
  for (std::size_t j = 0; j < features; ++j)
    for (std::size_t k = 0; k < classes; ++k) {
      double& w = out.weights[j * classes + k];
      out.intercepts[k] += by.offset(j) * w;
      w *= by.columns[j].scale;
    }
  return out;
}

template <class T>
std::vector<double> scores(const Table& table, const Coefficients& coefficients) {
  const std::size_t classes = coefficients.classes;
  const Index stride = padded<T>(static_cast<Index>(classes));
  std::vector<T> weights((coefficients.features + 1) * stride);
  std::vector<Index> used;
  for (std::size_t j = 0; j < coefficients.features; ++j) {
    if (!coefficients.uses(j)) continue;
    used.push_back(static_cast<Index>(j));
    for (std::size_t k = 0; k < classes; ++k) weights[j * stride + k] = static_cast<T>(coefficients.weight(j, k));
  }
  T* intercepts = weights.data() + coefficients.features * stride;
  for (std::size_t k = 0; k < classes; ++k) intercepts[k] = static_cast<T>(coefficients.intercepts[k]);

  const Samples<T> samples(table);
  std::vector<T> padded_scores(table.samples * stride);
  samples.design().multiply(used.data(), static_cast<Index>(used.size()), weights.data(), stride, intercepts,
                            padded_scores.data());
  std::vector<double> out(table.samples * classes);
  for (std::size_t i = 0; i < table.samples; ++i)
    for (std::size_t k = 0; k < classes; ++k) out[i * classes + k] = static_cast<double>(padded_scores[i * stride + k]);
  return out;
}
template std::vector<double> scores<float>(const Table&, const Coefficients&);
template std::vector<double> scores<double>(const Table&, const Coefficients&);

double logistic_loss(const Targets<double>& targets, const std::vector<double>& scores) {
  constexpr Index block = 64;  // the gradients that come with them stay in the cache
  const std::size_t classes = targets.classes;
  std::vector<double> gradients(block * classes), scratch(block * (classes + 8));
  Sum<double> total;
  for (Index first = 0; first < targets.samples(); first += block) {
    Targets<double> here = targets;
    here.labels = targets.labels.subspan(first, std::min(block, targets.samples() - first));
    if (here.weights) here.weights += first;
    if (here.margins) here.margins += first;
    Logistic().gradients(here, scores.data() + first * classes, 0, here.samples(), here.classes, gradients.data(),
                         scratch.data(), total);
  }
  return total.value();
}

std::vector<Label> decide(const std::vector<double>& scores, std::size_t classes) {
  std::vector<Label> out(scores.size() / classes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
    out[i] = static_cast<Label>(std::max_element(row, row + static_cast<std::ptrdiff_t>(classes)) - row);
  }
  return out;
}

namespace {
const double* in_precision(const std::vector<double>& values, std::vector<double>&) { return values.data(); }
const float* in_precision(const std::vector<double>& values, std::vector<float>& copy) {
  copy.assign(values.begin(), values.end());
  return copy.data();
}
}  // namespace

template <class T>
Samples<T>::Samples(const Table& table)
    : entries_(table.values.size()),
      numbers_(in_precision(table.values, values_)),
      dense_(numbers_, static_cast<Index>(table.samples), static_cast<Index>(table.features)),
      sparse_(numbers_, table.rows.data(), table.starts.data(), static_cast<Index>(table.samples),
              static_cast<Index>(table.features)),
      any_(table.sparse ? AnyDesign<T>(sparse_) : AnyDesign<T>(dense_)) {}
template class Samples<float>;
template class Samples<double>;

}  // namespace tamis::cli
