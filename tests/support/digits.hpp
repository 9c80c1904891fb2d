#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "problems.hpp"

namespace tamis::testing {

/// Handwritten digits, pixels in [0, 1]: every third row, or the others.
inline Made<double> digits(bool third) {
  Made<double> out(0, 64, 10, 1);
  std::ifstream file(TAMIS_TEST_DATA "/digits.csv");
  std::string line, cell;
  std::getline(file, line);
  std::vector<double> rows;
  out.labels.clear();
  for (Index i = 0; std::getline(file, line); ++i) {
    if ((i % 3 == 2) != third) continue;
    std::stringstream cells(line);
    std::getline(cells, cell, ',');
    out.labels.push_back(static_cast<Label>(std::stoi(cell)));
    while (std::getline(cells, cell, ',')) rows.push_back(std::stod(cell) / 16);
  }
  out.samples = static_cast<Index>(out.labels.size());
  for (Index j = 0; j < 64; ++j)
    for (Index i = 0; i < out.samples; ++i) out.values.push_back(rows[i * 64 + j]);
  return out;
}

/// `count` of every third row's, from that one on.
inline Made<double> some_digits(Index first, Index count) {
  const Made<double> all = digits(true);
  Made<double> out(0, all.features, all.classes, 1);
  out.samples = count;
  out.labels.assign(all.labels.begin() + first, all.labels.begin() + first + count);
  for (Index j = 0; j < all.features; ++j) {
    const auto column = all.values.begin() + std::ptrdiff_t(j) * all.samples + first;
    out.values.insert(out.values.end(), column, column + count);
  }
  return out;
}

}  // namespace tamis::testing
