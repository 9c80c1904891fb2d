#include <algorithm>
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

cli::Table reordered(const cli::Table& table, const std::vector<std::size_t>& order) {
  cli::Table out = table;
  for (std::size_t j = 0; j < order.size(); ++j)
    std::copy_n(table.values.begin() + static_cast<std::ptrdiff_t>(order[j] * table.samples), table.samples,
                out.values.begin() + static_cast<std::ptrdiff_t>(j * table.samples));
  return out;
}

std::vector<std::size_t> patches(std::size_t side) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < side; row += 2)
    for (std::size_t column = 0; column < side; column += 2)
      for (const std::size_t pixel :
           {row * side + column, row * side + column + 1, (row + 1) * side + column, (row + 1) * side + column + 1})
        order.push_back(pixel);
  return order;
}

}  // namespace tamis::paper_a
