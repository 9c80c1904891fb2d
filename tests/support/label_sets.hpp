#pragma once
/// Samples with several labels, made on the spot.

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "support/problems.hpp"

namespace tamis::testing {

/// Samples with the classes that a linear teacher on the first half of the features scores above a level, one
/// membership in seven samples flipped: from the linear congruential generator of tests/reference, all values dyadic. x
/// = (draw(17) − 8)/8, row by row; then the teacher, row by row, draw(5) − 2; then for samples 0, 7, 14, … a class
/// draw(K) changes sides. Some samples may have no label, and some all.
template <class T>
struct MadeSets {
  Index samples, features, classes;
  std::vector<T> values;  // column-major
  std::vector<std::vector<Label>> of;
  std::vector<Index> starts{0};
  std::vector<Label> members, labels;
  std::vector<T> weights, margins;

  MadeSets(Index n, Index p, Index K, std::uint32_t seed, double level = 1)
      : samples(n), features(p), classes(K), values(n * p), of(n) {
    Generator generator(seed);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < p; ++j) values[i + j * n] = (T(generator.draw(17)) - T(8)) / T(8);
    const Index informative = (p + 1) / 2;
    std::vector<double> teacher(informative * K);
    for (double& w : teacher) w = static_cast<double>(generator.draw(5)) - 2;
    for (Index i = 0; i < n; ++i) {
      const Index flipped = i % 7 == 0 ? generator.draw(K) : K;
      for (Index k = 0; k < K; ++k) {
        double score = 0;
        for (Index j = 0; j < informative; ++j) score += static_cast<double>(values[i + j * n]) * teacher[j * K + k];
        if ((score > level) != (k == flipped)) of[i].push_back(static_cast<Label>(k));
      }
    }
    number_sets();
  }

  /// Lists the distinct sets of `of`, after a change as well.
  void number_sets() {
    std::map<std::vector<Label>, Label> number;
    for (const auto& set : of) number[set] = 0;
    starts = {0};
    members.clear();
    labels.clear();
    Label next = 0;
    for (auto& [set, place] : number) {
      place = next++;
      members.insert(members.end(), set.begin(), set.end());
      starts.push_back(static_cast<Index>(members.size()));
    }
    for (const auto& set : of) labels.push_back(number[set]);
  }

  LabelSets sets() const { return {starts.data(), members.data(), static_cast<Index>(starts.size() - 1)}; }
  RankingSquaredHinge loss() const { return {sets()}; }
  DenseDesign<T> design() const { return {values.data(), samples, features}; }
  Targets<T> targets() const {
    return {labels, classes, weights.empty() ? nullptr : weights.data(), margins.empty() ? nullptr : margins.data()};
  }
  Shape shape() const { return {samples, features, classes}; }

  /// As LIBSVM text; classes are called by their numbers.
  std::string text() const {
    std::string out;
    for (Index i = 0; i < samples; ++i) {
      for (std::size_t e = 0; e < of[i].size(); ++e) out += (e ? "," : "") + std::to_string(of[i][e]);
      for (Index j = 0; j < features; ++j) {
        if (values[i + j * samples] == T(0)) continue;
        char entry[48];
        std::snprintf(entry, sizeof entry, "%s%u:%g", out.empty() || out.back() == '\n' ? "" : " ", j + 1,
                      static_cast<double>(values[i + j * samples]));
        out += entry;
      }
      out += '\n';
    }
    return out;
  }
};

/// Σ over the pairs of a set and its complement, by the formula alone.
inline double ranking_by_pairs(const std::vector<double>& z, const std::vector<Label>& set, double margin) {
  std::vector<bool> inside(z.size());
  for (const Label r : set) inside[r] = true;
  double total = 0;
  for (std::size_t r = 0; r < z.size(); ++r)
    for (std::size_t k = 0; k < z.size(); ++k)
      if (inside[r] && !inside[k]) {
        const double violation = std::max(margin - (z[r] - z[k]), 0.0);
        total += violation * violation;
      }
  return total;
}

}  // namespace tamis::testing
