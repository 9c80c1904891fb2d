#include <algorithm>
#include <filesystem>
#include <random>

#include "data.hpp"
#include "experiments.hpp"

namespace tamis::paper_a {

TrainAndTest read(const std::string& train, const std::string& test, double scale) {
  cli::ReadOptions options;
  options.scale = scale;
  TrainAndTest out;
  out.train.table = cli::read_table(train, options);
  const auto names = cli::class_names(out.train.table.labels);
  out.train.labels = cli::encode(out.train.table, names);
  out.test.table = cli::read_table(test, options, out.train.table.features);
  out.test.labels = cli::encode(out.test.table, names);
  out.train.classes = out.test.classes = static_cast<Index>(names.size());
  return out;
}

std::vector<std::size_t> draw(const Labelled& from, std::size_t per_class, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> members(from.classes);
  for (std::size_t i = 0; i < from.labels.size(); ++i) members[from.labels[i]].push_back(i);
  std::vector<std::size_t> rows;
  for (Index k = 0; k < from.classes; ++k) {
    auto& of_class = members[k];
    std::mt19937_64 generator(seed * 1000 + k);
    const std::size_t count = std::min(per_class, of_class.size());
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(of_class[i], of_class[i + generator() % (of_class.size() - i)]);
      rows.push_back(of_class[i]);
    }
  }
  return rows;
}

bool has_file(const Run& run, const std::string& file, const char* experiment) {
  if (!run.data.empty() && std::filesystem::exists(run.path(file))) return true;
  std::printf("%s skipped: set TAMIS_DATA to a folder that has %s\n", experiment, file.c_str());
  return false;
}

}  // namespace tamis::paper_a
