#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "readers.hpp"

namespace tamis::cli {

namespace {

/// Takes the text up to the next blank; empty at the end.
std::string_view next_token(std::string_view& rest) {
  rest = trimmed(rest);
  const auto token = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(token.size());
  return token;
}

/// The index and value of field number `field` of a line; `last` is the index before it, `features` the largest
/// allowed.
Entry read_entry(const TextFile& file, std::string_view token, std::size_t field, std::size_t last,
                 std::size_t features, double scale) {
  const auto colon = token.find(':');
  const auto index_text = token.substr(0, colon);
  if (index_text == "qid" && colon != std::string_view::npos) file.fail_at_line("", "qid is not supported");
  std::size_t index = 0;
  const char* end = index_text.data() + index_text.size();
  const auto [stop, error] = std::from_chars(index_text.data(), end, index);
  if (colon == std::string_view::npos || stop != end || error == std::errc::invalid_argument)
    file.fail_at_line(", column " + std::to_string(field), "'" + printable(token) + "' is not of the form index:value");

  const std::string place = ", index " + printable(index_text);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (error != std::errc() || index > most) file.fail_at_line(place, "the largest index is " + std::to_string(most));
  if (index == 0) file.fail_at_line(place, "indices start at 1");
  if (index <= last) file.fail_at_line(place, "indices must ascend, but it follows index " + std::to_string(last));
  if (features != 0 && index > features)
    file.fail_at_line(place, "only " + in_words(features, "feature") + " expected");

  double value = 0;
  const auto text = token.substr(colon + 1);
  auto kind = parse_number(text, value);
  if (kind == NumberKind::finite && !std::isfinite(value /= scale)) kind = NumberKind::too_large;
  if (kind != NumberKind::finite) file.fail_at_line(place, refusal(kind, text));
  return {static_cast<std::uint32_t>(index - 1), value};
}

}  // namespace

void compress_columns(const std::vector<Entry>& entries, const std::vector<std::size_t>& ends, Table& table) {
  table.starts.assign(table.features + 1, 0);
  for (const auto& entry : entries) ++table.starts[entry.feature + 1];
  std::partial_sum(table.starts.begin(), table.starts.end(), table.starts.begin());

  table.rows.resize(entries.size());
  table.values.resize(entries.size());
  auto next = table.starts;
  std::size_t at = 0;
  for (std::size_t sample = 0; sample < ends.size(); ++sample)
    for (; at < ends[sample]; ++at) {
      const auto position = next[entries[at].feature]++;
      table.rows[position] = static_cast<std::uint32_t>(sample);
      table.values[position] = entries[at].value;
    }
}

Table read_libsvm(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  Table table;
  table.sparse = true;
  std::vector<Entry> entries;
  std::vector<std::size_t> ends;
  std::string line;
  std::size_t largest = 0;
  while (file.next_line(line)) {
    auto rest = std::string_view(line).substr(0, line.find('#'));
    auto token = next_token(rest);
    if (token.empty()) continue;
    const bool labelled = token.find(':') == std::string_view::npos;
    if (!options.multilabel && !labelled)
      file.fail_at_line("",
                        "the label is missing; samples without labels are for the loss ranking-squared-hinge alone");
    const auto labels = labelled ? token : std::string_view();
    check_utf8(file, labels, ", column 1");
    if (options.multilabel)
      table.label_sets.push_back(split_labels(labels, ',', file.path() + ", line " + std::to_string(file.line())));
    else if (labels.find(',') != std::string_view::npos && options.labels_file.empty())
      file.fail_at_line(
          "", "'" + printable(labels) + "' are several labels, which are for the loss ranking-squared-hinge alone");
    table.labels.emplace_back(labels);
    table.lines.push_back(file.line());

    std::size_t last = 0;
    if (labelled) token = next_token(rest);
    for (std::size_t field = labelled ? 2 : 1; !token.empty(); ++field, token = next_token(rest)) {
      const auto entry = read_entry(file, token, field, last, wanted.features, options.scale);
      last = std::size_t{entry.feature} + 1;
      if (entry.value != 0) entries.push_back(entry);
    }
    largest = std::max(largest, last);
    ends.push_back(entries.size());
    check_size(file, ends.size(), "samples");
    check_size(file, entries.size(), "entries");
  }
  table.samples = ends.size();
  table.features = wanted.features != 0 ? wanted.features : largest;
  if (table.samples == 0) file.fail("holds no samples");
  if (table.features == 0) file.fail("holds no features");
  compress_columns(entries, ends, table);
  return table;
}

bool is_libsvm(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.ends_with(".svm") || path.ends_with(".libsvm") || path.ends_with(".txt");
}

}  // namespace tamis::cli
