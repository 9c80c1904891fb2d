// idx files of images and of labels: what is accepted is, byte by byte, what the file holds.
#include <optional>

#include "readers.hpp"
#include "tables.hpp"

using namespace tamis;
using namespace tamis::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  Bytes bytes(data, size);
  const std::uint8_t choices = bytes.byte();
  const auto content = bytes.rest();
  file.set(content);
  const bool plain = content.size() > 1 && content[0] == 0;  // not gzipped
  cli::ReadOptions options;
  if (choices & 2) options.scale = 255;

  if (choices & 1) {
    const auto labels = accepted(file, [&] {
      cli::TextFile text(file.path(), small_buffer);
      return cli::read_idx_labels(text);
    });
    if (!labels || !plain) return 0;
    expect(content.size() == 8 + labels->size(), "there is a label for each byte after the header");
    for (std::size_t i = 0; i < labels->size(); ++i)
      expect((*labels)[i] == std::to_string(content[8 + i]), "labels are the bytes as numbers");
    return 0;
  }
  const cli::Wanted wanted{choices & 4 ? std::size_t(choices >> 3) : 0, cli::Labels::optional};
  const auto table = accepted(file, [&] {
    cli::TextFile text(file.path(), small_buffer);
    return cli::read_images(text, options, wanted);
  });
  if (!table) return 0;
  check_table(*table);
  expect(wanted.features == 0 || table->features == wanted.features, "there are as many features as wanted");
  if (!plain) return 0;
  const std::size_t head = 4 + 4 * std::size_t(content[3]), n = table->samples, p = table->features;
  expect(content.size() == head + n * p, "there is a value for each byte after the header");
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < p; ++j)
      expect(table->values[j * n + i] == content[head + i * p + j] / options.scale, "values are the bytes, scaled");
  return 0;
}
