#include <cmath>
#include <filesystem>
#include <numbers>

#include "experiments.hpp"

namespace tamis::paper_c {

namespace {

/// Numbers that are the same on every machine, up to the last bits of the logarithm and the cosine.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draws_(seed) {}
  std::uint32_t below(std::uint32_t count) { return draws_.next(count); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  double sign() { return below(2) ? 1 : -1; }

 private:
  double uniform() { return (below(1u << 30) + 0.5) / (1u << 30); }

  Draws draws_;
};

}  // namespace

InteractionTargets<double> Samples::targets() const {
  InteractionTargets<double> out;
  if (classes > 1) {
    out.labels = labels;
    out.classes = classes;
  } else {
    out.values = y.data();
  }
  return out;
}

Samples Samples::select(const std::vector<std::size_t>& rows) const {
  Samples out;
  out.count = static_cast<Index>(rows.size());
  out.features = features;
  out.classes = classes;
  for (Index j = 0; j < features; ++j)
    for (const std::size_t row : rows) out.x.push_back(x[row + std::size_t{j} * count]);
  for (const std::size_t row : rows) {
    if (!y.empty()) out.y.push_back(y[row]);
    if (!labels.empty()) out.labels.push_back(labels[row]);
  }
  return out;
}

Parts make(const Design& design, std::uint64_t truth, std::uint64_t seed) {
  Generator generator(truth);
  const Index p = design.features;
  std::vector<double> v(p), theta(std::size_t{p} * p);
  for (Index j = 0; j < design.active; ++j) v[j] = generator.sign() * (1 + generator.below(5));
  for (Index placed = 0; placed < design.pairs;) {
    const Index j = generator.below(design.active), l = generator.below(design.active);
    if (j == l || theta[std::size_t{j} * p + l] != 0) continue;
    theta[std::size_t{j} * p + l] = theta[std::size_t{l} * p + j] = generator.sign() * 2 * (1 + generator.below(5));
    ++placed;
  }
  generator = Generator(1000 + seed);
  Samples all;
  all.count = 3 * design.count;
  all.features = p;
  for (std::size_t e = 0; e < std::size_t{all.count} * p; ++e) all.x.push_back(generator.normal());
  double mean = 0, square = 0;
  for (Index i = 0; i < all.count; ++i) {
    const auto x = [&](Index j) { return all.x[i + std::size_t{j} * all.count]; };
    double signal = 0;
    for (Index j = 0; j < design.active; ++j) {
      double slope = v[j];
      for (Index l = 0; l < design.active; ++l) slope += design.share * theta[std::size_t{j} * p + l] * x(l);
      signal += slope * x(j);
    }
    all.y.push_back(signal);
    mean += signal / all.count;
    square += signal * signal / all.count;
  }
  const double noise = std::sqrt((square - mean * mean) / std::pow(10, 0.5));
  for (double& y : all.y) y += noise * generator.normal();
  std::vector<std::size_t> rows[3];
  for (std::size_t i = 0; i < all.count; ++i) rows[i / design.count].push_back(i);
  return {all.select(rows[0]), all.select(rows[1]), all.select(rows[2])};
}

std::vector<Design> designs_of(const Run& run) {
  if (run.quick) return {small_design};
  std::vector<Design> out;
  for (const Design& design : designs)
    if (run.only.empty() || run.only == design.name) out.push_back(design);
  return out;
}

double scale_targets(Parts& parts) {
  double mean = 0, square = 0;
  const std::size_t count = parts.train.y.size();
  for (const double y : parts.train.y) mean += y / static_cast<double>(count);
  for (const double y : parts.train.y) square += (y - mean) * (y - mean) / static_cast<double>(count);
  const double deviation = std::sqrt(square);
  for (Samples* part : {&parts.train, &parts.validation, &parts.test})
    for (double& y : part->y) y /= deviation;
  return deviation;
}

std::vector<std::vector<std::size_t>> divide(std::size_t rows, std::size_t parts, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<std::size_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = i;
  for (std::size_t left = rows; left > 1; --left)
    std::swap(order[draws.next(static_cast<Index>(left))], order[left - 1]);
  std::vector<std::vector<std::size_t>> out(parts);
  for (std::size_t i = 0; i < rows; ++i) out[i * parts / rows].push_back(order[i]);
  return out;
}

Samples read(const Run& run, const std::string& name, const std::string& file) {
  Samples out;
  if (run.data.empty() || !std::filesystem::exists(run.path(file))) {
    std::printf("%s skipped: set TAMIS_DATA to a folder that has %s\n", name.c_str(), file.c_str());
    return out;
  }
  const cli::Table table = cli::read_table(run.path(file), {});
  out.x = table.values;
  out.count = static_cast<Index>(table.samples);
  out.features = static_cast<Index>(table.features);
  for (const std::string& label : table.labels) out.y.push_back(std::stod(label));
  std::printf("%s: %u samples, %u features\n", name.c_str(), out.count, out.features);
  return out;
}

}  // namespace tamis::paper_c
