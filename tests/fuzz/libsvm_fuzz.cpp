// LIBSVM text. What is accepted and written again is read as the same.
#include <optional>

#include "readers.hpp"
#include "tables.hpp"

namespace {

using namespace tamis;
using namespace tamis::fuzz;

std::string in_libsvm(const cli::Table& t) {
  std::vector<std::string> lines = t.labels;
  for (std::size_t j = 0; j < t.features; ++j)
    for (auto e = t.starts[j]; e < t.starts[j + 1]; ++e)
      lines[t.rows[e]] += " " + std::to_string(j + 1) + ":" + in_text(t.values[e]);
  std::string text = "\xEF\xBB\xBF";
  for (const auto& line : lines) text += line + " \n";  // a label may end in CR
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  Bytes bytes(data, size);
  cli::ReadOptions options;
  const std::uint8_t choices = bytes.byte();
  options.multilabel = choices & 1;
  if (choices & 2) options.scale = 0.1;
  if (choices & 4) options.labels_file = "elsewhere";
  const cli::Wanted wanted{choices & 8 ? 1 + bytes.below(8) : 0, cli::Labels::required};
  file.set(bytes.rest());
  const auto read = [&](const cli::Wanted& how) {
    return accepted(file, [&] {
      cli::TextFile text(file.path(), small_buffer);
      return cli::read_libsvm(text, options, how);
    });
  };

  const auto table = read(wanted);
  if (!table) return 0;
  check_table(*table);
  expect(table->sparse && (wanted.features == 0 || table->features == wanted.features),
         "there are as many features as wanted");
  // A sample without label and without entries would be a blank line.
  if (std::count(table->labels.begin(), table->labels.end(), "") > 0) return 0;
  file.set(in_libsvm(*table));
  options.scale = 1;
  const auto reread = read({table->features, cli::Labels::required});
  expect(reread && same_samples(*table, *reread), "samples that are written are read as the same");
  return 0;
}
