// CSV as the command reads it: samples, texts, a column alone. What is accepted and written again is read as the same.
#include <optional>

#include "readers.hpp"
#include "tables.hpp"

namespace {

using namespace tamis;
using namespace tamis::fuzz;

/// Fields as the command writes them. A mark at the beginning keeps one that is the first name.
std::string in_csv(const cli::Table& t, bool labelled) {
  std::string text = "\xEF\xBB\xBF";
  const auto line = [&](const std::string& subject, const std::string& label, const auto& field) {
    std::string fields;
    if (!t.subjects.empty()) fields += ',' + cli::csv_field(subject);
    if (labelled) fields += ',' + cli::csv_field(label);
    for (std::size_t j = 0; j < t.features; ++j) fields += ',' + field(j);
    text += (fields == "," ? "\"\"" : fields.substr(1)) + '\n';  // an empty line would be none
  };
  if (!t.feature_names.empty())
    line("subject", "label", [&](std::size_t j) { return cli::csv_field(t.feature_names[j]); });
  for (std::size_t i = 0; i < t.samples; ++i)
    line(t.subjects.empty() ? "" : t.subjects[i], labelled ? t.labels[i] : "",
         [&](std::size_t j) { return in_text(t.values[j * t.samples + i]); });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  Bytes bytes(data, size);
  const std::uint32_t what = bytes.below(8);
  cli::ReadOptions options{.header = static_cast<cli::Header>(bytes.below(3))};
  const std::uint8_t choices = bytes.byte();
  options.missing = choices & 1;
  options.multilabel = choices & 2;
  if (choices & 4) options.label = choices & 8 ? "1" : "label";
  if (choices & 16) options.subject = "subject";
  if (choices & 32) options.labels_file = "elsewhere";
  if (choices & 64) options.scale = 16;
  if (choices & 128) options.text_column = "2";
  const bool optional = what & 1;
  const cli::Wanted wanted{optional ? 1 + bytes.below(4) : 0, optional ? cli::Labels::optional : cli::Labels::required};
  file.set(bytes.rest());

  const auto open = [&](const auto& read) {
    return accepted(file, [&] {
      cli::TextFile text(file.path(), small_buffer);
      return read(text);
    });
  };
  if (what == 6) {
    const auto column = open([&](cli::TextFile& f) { return cli::read_csv_column(f, choices & 1, choices & 2); });
    if (column && !(choices & 2))
      for (const auto& field : *column) expect(!field.empty(), "no field is empty");
    return 0;
  }
  if (what == 7) {
    const auto numbers = accepted(file, [&] { return cli::read_numbers(file.path(), choices % 8); });
    if (numbers) {
      expect(numbers->size() == choices % 8, "there are as many numbers as expected");
      for (const double x : *numbers) expect(std::isfinite(x), "numbers are finite");
    }
    return 0;
  }
  if (what >= 4) {
    auto texts = open([&](cli::TextFile& f) { return cli::read_csv_texts(f, options, wanted); });
    if (texts) {
      texts->samples = texts->texts.size();
      check_table(*texts);
    }
    return 0;
  }

  const auto table = open([&](cli::TextFile& f) { return cli::read_csv(f, options, wanted); });
  if (!table) return 0;
  check_table(*table, options.missing);
  expect(table->subjects.empty() || table->subjects.size() == table->samples, "each sample is someone's");
  if (options.multilabel && std::count(table->labels.begin(), table->labels.end(), "") > 0) return 0;
  const bool labelled = table->has_labels();
  if (table->features + labelled == 0 || (!table->subjects.empty() && table->feature_names.empty())) return 0;
  cli::ReadOptions again{.header = table->feature_names.empty() ? cli::Header::absent : cli::Header::present};
  if (!table->subjects.empty()) {  // otherwise the label is the first column
    again.subject = "subject";
    again.label = "label";
  }
  again.missing = options.missing;
  again.multilabel = options.multilabel;
  file.set(in_csv(*table, labelled));
  const auto reread = open([&](cli::TextFile& f) {
    return cli::read_csv(f, again, {table->features, labelled ? cli::Labels::required : cli::Labels::optional});
  });
  expect(reread && same_samples(*table, *reread), "samples that are written are read as the same");
  return 0;
}
