#include "data.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>
#include <system_error>
#include <utility>

namespace tamis::cli {
namespace {

enum class Labels { required, optional };

/// What the data must look like.
struct Wanted {
  std::size_t features;  // 0: any number
  Labels labels;
};

std::string in_words(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string found_expected(std::size_t found, std::size_t expected, const std::string& what) {
  return in_words(found, what) + " found, " + std::to_string(expected) + " expected";
}

void check_features(const TextFile& file, std::size_t found, const Wanted& wanted) {
  if (wanted.features != 0 && found != wanted.features) file.fail(found_expected(found, wanted.features, "feature"));
}

void check_size(const TextFile& file, std::size_t count, const std::string& what) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (count > most) file.fail("more than " + std::to_string(most) + " " + what);
}

/// `rows` is samples × features, row-major; goes by blocks that fit in the cache.
template <class T, class Convert>
std::vector<double> column_major(const std::vector<T>& rows, std::size_t samples, std::size_t features,
                                 const Convert& convert) {
  constexpr std::size_t block = 64;
  std::vector<double> result(samples * features);
  for (std::size_t first = 0; first < samples; first += block)
    for (std::size_t left = 0; left < features; left += block)
      for (std::size_t j = left; j < std::min(left + block, features); ++j)
        for (std::size_t i = first; i < std::min(first + block, samples); ++i)
          result[j * samples + i] = convert(rows[i * features + j]);
  return result;
}

// CSV

/// The rows of a CSV file one by one, all with as many fields as the first (or as given).
class CsvRows {
 public:
  explicit CsvRows(TextFile& file, std::size_t columns = 0) : file_(file), columns_(columns) {}

  bool next() {
    if (!file_.next_line(line_)) return false;
    split();
    if (columns_ == 0) columns_ = fields_.size();
    if (fields_.size() != columns_) file_.fail_at_line("", found_expected(fields_.size(), columns_, "field"));
    return true;
  }

  std::size_t columns() const { return columns_; }
  std::span<const std::string_view> fields() const { return fields_; }

  /// Makes the current row the names of the columns.
  void take_header() { names_.assign(fields_.begin(), fields_.end()); }
  const std::vector<std::string>& names() const { return names_; }

  double number(std::size_t column, double scale) const {
    double value = 0;
    auto kind = parse_number(fields_[column], value);
    if (kind == NumberKind::finite && !std::isfinite(value /= scale)) kind = NumberKind::too_large;
    if (kind != NumberKind::finite) file_.fail_at_line(place(column), refusal(kind, fields_[column]));
    return value;
  }

  std::string label(std::size_t column) const {
    if (fields_[column].empty()) file_.fail_at_line(place(column), "missing label, remove the row");
    return std::string(fields_[column]);
  }

 private:
  std::string place(std::size_t column) const {
    const std::string number = ", column " + std::to_string(column + 1);
    return column < names_.size() ? number + " (" + printable(names_[column]) + ")" : number;
  }

  void split() {
    fields_.clear();
    char* at = line_.data();
    char* const end = at + line_.size();
    for (;; ++at) {
      at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\t'; });
      if (at != end && *at == '"') {
        at = take_quoted(at + 1, end);
      } else {
        char* const stop = std::find(at, end, ',');
        fields_.push_back(trimmed({at, static_cast<std::size_t>(stop - at)}));
        at = stop;
      }
      if (at == end) return;
    }
  }

  /// From behind the opening quote to the comma or end that follows; doubled quotes are contracted in place.
  char* take_quoted(char* at, char* end) {
    char* const start = at;
    char* out = at;
    for (;; ++at) {
      if (at == end) file_.fail_at_line(place(fields_.size()), "the closing quote is missing");
      if (*at == '"' && (++at == end || *at != '"')) break;
      *out++ = *at;
    }
    at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\t'; });
    if (at != end && *at != ',') file_.fail_at_line(place(fields_.size()), "text follows the closing quote");
    fields_.push_back(trimmed({start, static_cast<std::size_t>(out - start)}));
    return at;
  }

  TextFile& file_;
  std::size_t columns_;
  std::string line_;
  std::vector<std::string_view> fields_;  // views of line_
  std::vector<std::string> names_;
};

bool has_label_column(const TextFile& file, std::size_t columns, const ReadOptions& options, const Wanted& wanted) {
  if (!options.labels_file.empty()) {
    check_features(file, columns, wanted);
    return false;
  }
  if (wanted.labels == Labels::required) {
    if (columns == 1)
      file.fail(
          "only one column found, but CSV data are a label and features separated by ',' (LIBSVM data are "
          "recognised by the ending .svm, .libsvm or .txt)");
    check_features(file, columns - 1, wanted);
    return true;
  }
  if (columns != wanted.features && columns != wanted.features + 1)
    file.fail(in_words(columns, "column") + " found, " + std::to_string(wanted.features) + " expected or " +
              std::to_string(wanted.features + 1) + " with the label");
  return columns == wanted.features + 1;
}

std::optional<std::size_t> parse_index(const std::string& text) {
  std::size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || stop != end) return {};
  return index;
}

std::string listed(std::span<const std::string_view> names) {
  constexpr std::size_t most = 10;
  std::string result;
  for (const auto name : names.first(std::min(names.size(), most)))
    result += (result.empty() ? "" : ", ") + printable(name);
  return names.size() > most ? result + ", ..." : result;
}

/// What the first row tells about a CSV file.
struct Layout {
  bool header;
  std::size_t label;  // the number of columns if there is no label column
};

Layout find_layout(const TextFile& file, std::span<const std::string_view> first, const ReadOptions& options,
                   bool labelled) {
  const std::size_t columns = first.size();
  std::size_t index = columns, named = columns;
  if (labelled && options.label) {
    index = parse_index(*options.label).value_or(columns);
    named = static_cast<std::size_t>(std::find(first.begin(), first.end(), *options.label) - first.begin());
  } else if (labelled) {
    index = 0;
  }

  const auto is_word = [&](std::size_t column) {
    double ignored;
    return column != index && parse_number(first[column], ignored) == NumberKind::word;
  };
  bool header = options.header == Header::present;
  for (std::size_t column = 0; column < columns && options.header == Header::automatic; ++column)
    header = header || is_word(column);

  if (!labelled) return {header, columns};
  if (header && named < columns) return {header, named};
  if (index < columns) return {header, index};
  const std::string wanted = "no column '" + printable(*options.label) + "'";
  if (header) file.fail_at_line("", wanted + " among " + in_words(columns, "column") + ": " + listed(first));
  file.fail_at_line("", wanted + " in a file without header, its columns are 0 to " + std::to_string(columns - 1));
}

Table read_csv(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  CsvRows rows(file);
  bool more = rows.next();
  if (!more) file.fail("holds no samples");
  const bool labelled = has_label_column(file, rows.columns(), options, wanted);
  const auto [header, label] = find_layout(file, rows.fields(), options, labelled);

  Table table;
  table.features = rows.columns() - (labelled ? 1 : 0);
  check_size(file, table.features, "features");
  if (header) {
    rows.take_header();
    for (std::size_t column = 0; column < rows.columns(); ++column)
      if (column != label) table.feature_names.push_back(rows.names()[column]);
    more = rows.next();
    if (!more) file.fail("holds no samples");
  }

  std::vector<double> values;
  for (; more; more = rows.next()) {
    for (std::size_t column = 0; column < rows.columns(); ++column)
      if (column != label) values.push_back(rows.number(column, options.scale));
    if (labelled) table.labels.push_back(rows.label(label));
    table.lines.push_back(file.line());
    check_size(file, values.size(), "entries");
  }
  table.samples = table.lines.size();
  table.values = column_major(values, table.samples, table.features, [](double value) { return value; });
  return table;
}

// LIBSVM

struct Entry {
  std::uint32_t feature;
  double value;
};

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

/// Fills rows, values and starts from entries given sample by sample; sample i ends at `ends[i]`.
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
    if (token.find(':') != std::string_view::npos) file.fail_at_line("", "the label is missing");
    table.labels.emplace_back(token);
    table.lines.push_back(file.line());

    std::size_t last = 0;
    for (std::size_t field = 2; !(token = next_token(rest)).empty(); ++field) {
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

// idx

struct Idx {
  std::size_t rank = 0, samples = 0, features = 1;
  std::vector<unsigned char> bytes;  // samples × features, row-major
};

bool is_idx(TextFile& file) { return file.peek(2) == std::string_view("\0\0", 2); }

Idx read_idx(TextFile& file) {
  const auto read = [&](std::span<unsigned char> to) {
    if (file.read(to.data(), to.size()) != to.size()) file.fail("the idx header is cut off");
  };
  std::array<unsigned char, 4> word;  // two zeros, type, rank; then sizes, the high byte first
  if (!is_idx(file)) file.fail("is not an idx file");
  read(word);
  if (word[2] != 0x08) file.fail("idx type " + std::to_string(word[2]) + " is not supported, only 8 (unsigned byte)");
  Idx idx;
  idx.rank = word[3];
  if (idx.rank == 0) file.fail("idx rank 0 found, at least 1 expected");
  for (std::size_t dimension = 0; dimension < idx.rank; ++dimension) {
    read(word);
    const std::size_t size =
        std::size_t{word[0]} << 24 | std::size_t{word[1]} << 16 | std::size_t{word[2]} << 8 | word[3];
    if (dimension == 0) {
      idx.samples = size;
    } else {
      idx.features *= size;
      check_size(file, idx.features, "features");
    }
  }
  if (idx.samples == 0) file.fail("holds no samples");
  if (idx.features == 0) file.fail("holds no features");
  const std::size_t promised = idx.samples * idx.features;
  check_size(file, promised, "entries");

  constexpr std::size_t chunk = 1 << 24;  // a wrong header must not make us ask for much memory
  std::size_t found = 0;
  while (found < promised && found == idx.bytes.size()) {
    idx.bytes.resize(std::min(promised, found + chunk));
    found += file.read(idx.bytes.data() + found, idx.bytes.size() - found);
  }
  if (found < promised) file.fail(found_expected(found, promised, "data byte"));
  if (!file.peek(1).empty()) file.fail("bytes follow the " + std::to_string(promised) + " data bytes expected");
  return idx;
}

std::vector<std::string> read_idx_labels(TextFile& file) {
  const auto idx = read_idx(file);
  if (idx.rank != 1) file.fail("idx rank " + std::to_string(idx.rank) + " found, 1 expected for labels");
  std::vector<std::string> labels;
  for (const auto byte : idx.bytes) labels.push_back(std::to_string(byte));
  return labels;
}

Table read_images(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  const auto idx = read_idx(file);
  check_features(file, idx.features, wanted);
  Table table;
  table.samples = idx.samples;
  table.features = idx.features;
  table.values = column_major(idx.bytes, idx.samples, idx.features,
                              [&](unsigned char byte) { return static_cast<double>(byte) / options.scale; });
  table.lines.resize(idx.samples);
  std::iota(table.lines.begin(), table.lines.end(), std::size_t{1});
  return table;
}

// Any format

std::vector<std::string> read_labels(const std::string& path, Header header) {
  TextFile file(path);
  if (is_idx(file)) return read_idx_labels(file);
  CsvRows rows(file, 1);
  std::vector<std::string> labels;
  if (header == Header::present) rows.next();
  while (rows.next()) labels.push_back(rows.label(0));
  return labels;
}

/// Splits `IMAGES,LABELS`; the second part is empty if the path is that of a single file.
std::pair<std::string, std::string> split_pair(const std::string& path) {
  const auto is_file = [](const std::string& name) {
    std::error_code ignored;
    return std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored);
  };
  if (!is_file(path))
    for (auto comma = path.find(','); comma != std::string::npos; comma = path.find(',', comma + 1))
      if (comma + 1 < path.size() && is_file(path.substr(0, comma)))
        return {path.substr(0, comma), path.substr(comma + 1)};
  return {path, ""};
}

Table read_any(const std::string& path, const ReadOptions& options, const Wanted& wanted) {
  const auto [data_path, pair_labels] = split_pair(path);
  TextFile file(data_path);
  const bool images = is_idx(file) || !pair_labels.empty();
  if (!pair_labels.empty() && !options.labels_file.empty())
    file.fail("its labels are given twice, by " + pair_labels + " and by " + options.labels_file);
  const std::string& labels_path = pair_labels.empty() ? options.labels_file : pair_labels;
  if (images && labels_path.empty() && wanted.labels == Labels::required)
    file.fail("idx images have no labels, name both files as IMAGES,LABELS");

  auto table = images                 ? read_images(file, options, wanted)
               : is_libsvm(data_path) ? read_libsvm(file, options, wanted)
                                      : read_csv(file, options, wanted);
  table.path = data_path;
  if (!labels_path.empty()) {
    table.labels = read_labels(labels_path, options.header);
    if (table.labels.size() != table.samples)
      throw DataError(labels_path + ": " + in_words(table.labels.size(), "label") + " found for the " +
                      in_words(table.samples, "sample") + " of " + data_path);
  }
  return table;
}

}  // namespace

Table read_table(const std::string& path, const ReadOptions& options, std::size_t features) {
  return read_any(path, options, {features, Labels::required});
}

Table read_samples(const std::string& path, const ReadOptions& options, std::size_t features) {
  return read_any(path, options, {features, Labels::optional});
}

std::vector<double> read_numbers(const std::string& path, std::size_t count) {
  TextFile file(path);
  CsvRows rows(file, 1);
  std::vector<double> numbers;
  while (rows.next()) numbers.push_back(rows.number(0, 1));
  if (numbers.size() != count) file.fail(found_expected(numbers.size(), count, "number"));
  return numbers;
}

}  // namespace tamis::cli
