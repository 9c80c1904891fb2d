#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "experiments.hpp"

namespace tamis::paper_d {

namespace {

/// How many of the people on board, by class, age and sex, died and survived: Dawson (1995), The 'unusual episode' data
/// revisited, Journal of Statistics Education 3(3).
struct Cell {
  int travel_class;  ///< 1, 2, 3; 4: crew
  bool adult, male;
  Index died, survived;
};
constexpr Cell cells[] = {
    {1, true, true, 118, 57},  {1, true, false, 4, 140}, {1, false, true, 0, 5},   {1, false, false, 0, 1},
    {2, true, true, 154, 14},  {2, true, false, 13, 80}, {2, false, true, 0, 11},  {2, false, false, 0, 13},
    {3, true, true, 387, 75},  {3, true, false, 89, 76}, {3, false, true, 35, 13}, {3, false, false, 17, 14},
    {4, true, true, 670, 192}, {4, true, false, 3, 20},
};

/// Each feature of mean 0 and variance 1, with n − 1 in the variance as the benchmark has it.
void standardise(Samples& samples) {
  const std::size_t p = samples.features;
  for (std::size_t j = 0; j < p; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < samples.count; ++i) mean += samples.x[i * p + j] / samples.count;
    for (std::size_t i = 0; i < samples.count; ++i)
      square += (samples.x[i * p + j] - mean) * (samples.x[i * p + j] - mean) / (samples.count - 1);
    for (std::size_t i = 0; i < samples.count; ++i)
      samples.x[i * p + j] = (samples.x[i * p + j] - mean) / std::sqrt(square);
  }
}

}  // namespace

Samples Samples::select(const std::vector<Index>& rows) const {
  Samples out;
  out.count = static_cast<Index>(rows.size());
  out.features = features;
  out.classes = classes;
  for (const std::size_t row : rows) {
    for (std::size_t j = 0; j < features; ++j) out.x.push_back(x[row * features + j]);
    out.labels.push_back(labels[row]);
  }
  return out;
}

std::vector<Index> shuffled(Index count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<Index> order(count);
  for (Index i = 0; i < count; ++i) order[i] = i;
  for (Index left = count; left > 1; --left) std::swap(order[draws.next(left)], order[left - 1]);
  return order;
}

Parts split(const Samples& all, Index train, Index test, std::uint64_t seed) {
  const auto order = shuffled(all.count, seed);
  const auto middle = order.begin() + train;
  return {all.select({order.begin(), middle}), all.select({middle, middle + test})};
}

Samples read(const std::string& path) {
  const cli::Table table = cli::read_table(path, {});
  const auto classes = cli::class_names(table.labels);
  Samples out;
  out.labels = cli::encode(table, classes);
  out.count = static_cast<Index>(table.samples);
  out.features = static_cast<Index>(table.features);
  out.classes = static_cast<Index>(classes.size());
  for (std::size_t i = 0; i < table.samples; ++i)
    for (std::size_t j = 0; j < table.features; ++j) out.x.push_back(table.values[i + j * table.samples]);
  return out;
}

Parts read_parts(const Run& run, const std::string& name) {
  const std::string train = name + "/" + name + "_train.csv.gz", test = name + "/" + name + "_test.csv.gz";
  if (run.data.empty() || !std::filesystem::exists(run.path(train)) || !std::filesystem::exists(run.path(test))) {
    std::printf("%s skipped: set TAMIS_DATA to a folder that has %s and %s\n", name.c_str(), train.c_str(),
                test.c_str());
    return {};
  }
  return {read(run.path(train)), read(run.path(test))};
}

Samples read_digits() { return read(TAMIS_TEST_DATA "/digits.csv"); }

Samples histograms(Samples digits) {
  const std::size_t p = digits.features;
  for (std::size_t i = 0; i < digits.count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < p; ++j) sum += digits.x[i * p + j];
    for (std::size_t j = 0; j < p; ++j) digits.x[i * p + j] *= 8 / sum;
  }
  return digits;
}

Samples projections(const Samples& digits) {
  constexpr std::size_t side = 8;
  Samples out = digits;
  out.features = 2 * side;
  out.x.assign(std::size_t{out.count} * out.features, 0);
  for (std::size_t i = 0; i < digits.count; ++i)
    for (std::size_t pixel = 0; pixel < side * side; ++pixel) {
      const double intensity = digits.x[i * side * side + pixel];
      out.x[i * out.features + pixel / side] += intensity;
      out.x[i * out.features + side + pixel % side] += intensity;
    }
  return out;
}

Samples passengers() {
  Samples out;
  out.features = 3;
  for (const Cell& cell : cells)
    for (Index person = 0; person < cell.died + cell.survived; ++person) {
      out.x.insert(out.x.end(), {double(cell.travel_class), cell.adult ? 0.0 : 1.0, cell.male ? 1.0 : 0.0});
      out.labels.push_back(person >= cell.died);
      ++out.count;
    }
  standardise(out);
  return out;
}

}  // namespace tamis::paper_d
