#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "readers.hpp"

namespace tamis::cli {

namespace {

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
  void take_header() {
    for (std::size_t column = 0; column < fields_.size(); ++column) check_utf8(file_, fields_[column], place(column));
    names_.assign(fields_.begin(), fields_.end());
  }
  const std::vector<std::string>& names() const { return names_; }

  /// `missing`: NaN for a missing value, which otherwise is refused. `hint` is said of what is not a number.
  double number(std::size_t column, double scale, bool missing = false, const char* hint = "") const {
    double value = 0;
    auto kind = parse_number(fields_[column], value);
    if (missing && (kind == NumberKind::missing || fields_[column] == "nan" || fields_[column] == "NaN"))
      return std::numeric_limits<double>::quiet_NaN();
    if (kind == NumberKind::finite && !std::isfinite(value /= scale)) kind = NumberKind::too_large;
    if (kind == NumberKind::missing) hint = " (tamis train has --missing mean)";
    else if (kind != NumberKind::word) hint = "";
    if (kind != NumberKind::finite) file_.fail_at_line(place(column), refusal(kind, fields_[column]) + hint);
    return value;
  }

  /// Complains about the first feature whose name is not the wanted one; "" is any.
  void check_names(std::size_t label, std::size_t subject, const std::vector<std::string>& wanted) const {
    const std::size_t found = columns_ - (label < columns_ ? 1 : 0) - (subject < columns_ ? 1 : 0);
    std::string must = ", the features must be those of the training data in their order";
    if (found != wanted.size()) must += ": " + found_expected(found, wanted.size(), "feature");
    std::size_t feature = 0;
    for (std::size_t column = 0; column < columns_; ++column) {
      if (column == label || column == subject) continue;
      if (feature == wanted.size()) file_.fail_at_line(place(column), "not trained on" + must);
      const std::string& name = wanted[feature++];
      if (!name.empty() && names_[column] != name)
        file_.fail_at_line(place(column), "'" + printable(name) + "' is expected here" + must);
    }
    if (feature < wanted.size()) file_.fail_at_line("", "'" + printable(wanted[feature]) + "' is missing" + must);
  }

  std::string label(std::size_t column, bool empty = false) const {
    if (fields_[column].empty() && !empty) file_.fail_at_line(place(column), "missing label, remove the row");
    check_utf8(file_, fields_[column], place(column));
    return std::string(fields_[column]);
  }

  std::string place(std::size_t column) const {
    const std::string number = ", column " + std::to_string(column + 1);
    return column < names_.size() ? number + " (" + printable(names_[column]) + ")" : number;
  }

 private:
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
  if (!options.subject.empty() && columns > 1) --columns;
  if (!options.labels_file.empty()) return false;
  if (wanted.labels == Labels::required) {
    if (columns == 1)
      file.fail(
          "only one column found, but CSV data are a label and features separated by ',' (LIBSVM data are "
          "recognised by the ending .svm, .libsvm or .txt)");
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
  bool header = options.header == Header::present || !options.subject.empty();
  for (std::size_t column = 0; column < columns && options.header == Header::automatic; ++column)
    header = header || is_word(column);

  if (!labelled) return {header, columns};
  if (header && named < columns) return {header, named};
  if (index < columns) return {header, index};
  const std::string wanted = "no column '" + printable(*options.label) + "'";
  if (header) file.fail_at_line("", wanted + " among " + in_words(columns, "column") + ": " + listed(first));
  file.fail_at_line("", wanted + " in a file without header, its columns are 0 to " + std::to_string(columns - 1));
}

}  // namespace

Table read_csv(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  CsvRows rows(file);
  bool more = rows.next();
  if (!more) file.fail("holds no samples");
  const bool labelled = has_label_column(file, rows.columns(), options, wanted);
  const auto [header, label] = find_layout(file, rows.fields(), options, labelled);
  const char* hint = labelled && !options.label ? "; the label is the first column unless --label names another" : "";

  std::size_t subject = rows.columns();
  if (!options.subject.empty()) {
    const auto fields = rows.fields();
    subject = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), options.subject) - fields.begin());
    if (subject == rows.columns() || subject == label)
      file.fail_at_line("", "no column of subjects '" + printable(options.subject) + "' among " +
                                in_words(rows.columns(), "column") + ": " + listed(fields));
  }

  Table table;
  table.features = rows.columns() - (labelled ? 1 : 0) - (subject < rows.columns() ? 1 : 0);
  check_size(file, table.features, "features");
  if (header) {
    rows.take_header();
    for (std::size_t column = 0; column < rows.columns(); ++column)
      if (column != label && column != subject) table.feature_names.push_back(rows.names()[column]);
    if (!options.names.empty()) rows.check_names(label, subject, options.names);
  }
  check_features(file, table.features, wanted);
  if (header) more = rows.next();
  if (!more) file.fail("holds no samples");

  std::vector<double> values;
  for (; more; more = rows.next()) {
    for (std::size_t column = 0; column < rows.columns(); ++column)
      if (column != label && column != subject)
        values.push_back(rows.number(column, options.scale, options.missing, column + 1 == rows.columns() ? hint : ""));
    if (labelled) table.labels.push_back(rows.label(label, options.multilabel));
    if (labelled && options.multilabel)
      table.label_sets.push_back(split_labels(
          table.labels.back(), ';', file.path() + ", line " + std::to_string(file.line()) + rows.place(label)));
    if (subject < rows.columns()) table.subjects.push_back(rows.label(subject));
    table.lines.push_back(file.line());
    check_size(file, values.size(), "entries");
  }
  table.samples = table.lines.size();
  table.values = column_major(values, table.samples, table.features, [](double value) { return value; });
  return table;
}

Table read_csv_texts(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  CsvRows rows(file);
  if (!rows.next()) file.fail("holds no samples");
  const std::size_t columns = rows.columns();
  const bool header = options.header != Header::absent;
  const auto first = rows.fields();
  const auto named = [&](const std::string& name) {
    return header ? static_cast<std::size_t>(std::find(first.begin(), first.end(), name) - first.begin()) : columns;
  };
  const auto asked = [&](const std::string& what) {
    if (const std::size_t column = named(what); column < columns) return column;
    if (const auto index = parse_index(what); index && *index < columns) return *index;
    file.fail_at_line("", "no column '" + printable(what) + "' among " + in_words(columns, "column") +
                              (header ? ": " + listed(first) : ", which are numbered from 0"));
  };

  const std::size_t subject = options.subject.empty() ? columns : asked(options.subject);
  std::size_t label = columns, text = columns;
  if (options.labels_file.empty() && (wanted.labels == Labels::required || columns > 1))
    label = options.label ? asked(*options.label) : 0;
  if (options.text_column) text = asked(*options.text_column);
  else if (!options.usual_text_column.empty()) text = named(options.usual_text_column);
  if (text == columns) {
    std::size_t others = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      if (column == label || column == subject) continue;
      text = column;
      ++others;
    }
    if (others != 1)
      file.fail_at_line(
          "", in_words(columns, "column") + " found, name that of the texts with --text-column: " + listed(first));
  }
  if (text == label && wanted.labels == Labels::optional && !options.label) label = columns;
  if (text == label || text == subject || (label < columns && label == subject))
    file.fail_at_line(rows.place(text == label || text == subject ? text : label),
                      "the column cannot be two of the label, the text and the subject: name another with --label, "
                      "--text-column or --subject-column");

  Table table;
  if (header) {
    rows.take_header();
    table.text_column = rows.names()[text];
    if (!rows.next()) file.fail("holds no samples");
  }
  do {
    table.texts.push_back(rows.label(text, true));
    if (label < columns) table.labels.push_back(rows.label(label, options.multilabel));
    if (label < columns && options.multilabel)
      table.label_sets.push_back(split_labels(
          table.labels.back(), ';', file.path() + ", line " + std::to_string(file.line()) + rows.place(label)));
    if (subject < columns) table.subjects.push_back(rows.label(subject));
    table.lines.push_back(file.line());
  } while (rows.next());
  return table;
}

std::vector<std::string> read_csv_column(TextFile& file, bool header, bool empty) {
  CsvRows rows(file, 1);
  std::vector<std::string> fields;
  if (header) rows.next();
  while (rows.next()) fields.push_back(rows.label(0, empty));
  return fields;
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
