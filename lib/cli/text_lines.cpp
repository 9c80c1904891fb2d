#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

bool is_csv(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.ends_with(".csv");
}

/// Lines of a label, a tab and a text, or of texts alone.
Table read_lines(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  for (const auto& [option, given] : {std::pair{"--label", options.label.has_value()},
                                      {"--text-column", options.text_column.has_value()},
                                      {"--subject-column", !options.subject.empty()}})
    if (given)
      throw ArgumentError(std::string(option) + ": only CSV has columns, recognised by the ending .csv; lines of " +
                          file.path() + " are a label, a tab and a text");
  Table table;
  std::string line;
  if (options.header == Header::present) file.next_line(line);
  bool labelled = options.labels_file.empty();
  while (file.next_line(line)) {
    check_utf8(file, line);
    const auto tab = line.find('\t');
    if (table.lines.empty() && wanted.labels == Labels::optional && tab == std::string::npos) labelled = false;
    if (labelled && tab == std::string::npos)
      file.fail_at_line("", "there is no tab between a label and a text; CSV is recognised by the ending .csv");
    if (labelled) {
      const std::string label(trimmed(std::string_view(line).substr(0, tab)));
      if (label.empty() && !options.multilabel) file.fail_at_line("", "missing label, remove the line");
      table.labels.push_back(label);
      if (options.multilabel)
        table.label_sets.push_back(split_labels(label, ';', file.path() + ", line " + std::to_string(file.line())));
    }
    table.texts.push_back(labelled ? line.substr(tab + 1) : line);
    table.lines.push_back(file.line());
  }
  return table;
}

}  // namespace

void check_utf8(const TextFile& file, std::string_view text, const std::string& place) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    bool valid = length > 0 && first < 0xf5;
    for (std::size_t i = 1; i < length; ++i) valid &= (byte(at + i) & 0xc0) == 0x80;
    if (first == 0xe0) valid &= byte(at + 1) >= 0xa0;  // shorter sequences say the same
    if (first == 0xed) valid &= byte(at + 1) < 0xa0;   // surrogates
    if (first == 0xf0) valid &= byte(at + 1) >= 0x90;
    if (first == 0xf4) valid &= byte(at + 1) < 0x90;
    if (!valid)
      file.fail_at_line(
          place, "byte " + std::to_string(at + 1) + " of the text is not UTF-8: convert the file, with iconv say");
    at += length;
  }
}

Table read_texts(TextFile& file, const ReadOptions& options, const Wanted& wanted) {
  Table table = is_csv(file.path()) ? read_csv_texts(file, options, wanted) : read_lines(file, options, wanted);
  table.sparse = true;
  table.starts = {0};
  table.samples = table.texts.size();
  if (table.samples == 0) file.fail("holds no samples");
  check_size(file, table.samples, "samples");
  return table;
}

}  // namespace tamis::cli
