#include <array>
#include <numeric>
#include <span>

#include "readers.hpp"

namespace tamis::cli {

namespace {

struct Idx {
  std::size_t rank = 0, samples = 0, features = 1;
  std::vector<unsigned char> bytes;  // samples × features, row-major
};

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

}  // namespace

bool is_idx(TextFile& file) { return file.peek(2) == std::string_view("\0\0", 2); }

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

}  // namespace tamis::cli
