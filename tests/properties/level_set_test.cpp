// The projections of the constrained form against their variational inequalities, on random points.
#include "tamis/projection/level_set.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/projection/epigraph.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;

double shifted_maximum(const std::vector<double>& z, Index y, double margin) {
  double top = z[y];
  for (Index k = 0; k < z.size(); ++k) top = std::max(top, z[k] + (k == y ? 0 : margin));
  return top;
}

/// Random entries of random size; sometimes with many ties, sometimes all equal.
std::vector<double> random_point(Generator& generator, Index count) {
  const double size = std::pow(10.0, static_cast<double>(generator.draw(5)) - 2);
  const auto kind = generator.draw(6);
  std::vector<double> out(count);
  for (double& x : out)
    x = size * (kind == 0 ? 1 : kind == 1 ? static_cast<double>(generator.draw(3)) - 1 : generator.uniform());
  return out;
}

/// p is the projection of v iff p is in the set and ⟨v − p, q − p⟩ ≤ 0 for all q in it.
TEST(Epigraph, SolvesItsVariationalInequality) {
  Generator generator(71);
  int moved = 0;
  for (int round = 0; round < 4000; ++round) {
    const Index count = 1 + generator.draw(10);
    const Index y = generator.draw(count);
    const double margin = 0.25 * (1 + generator.draw(8));
    const auto z = random_point(generator, count);
    const double zeta = random_point(generator, 1)[0];
    auto p = z;
    double theta = zeta;
    project_hinge_epigraph(p.data(), theta, count, y, margin);
    double scale = 1 + zeta * zeta;
    for (const double x : z) scale += x * x;
    ASSERT_LE(shifted_maximum(p, y, margin), theta + 1e-13 * scale);
    if (shifted_maximum(z, y, margin) <= zeta) {
      EXPECT_EQ(p, z) << "points of the epigraph stay";
      EXPECT_EQ(theta, zeta);
    } else {
      ++moved;
    }
    for (int trial = 0; trial < 10; ++trial) {
      auto q = random_point(generator, count);
      if (trial > 4)
        for (Index k = 0; k < count; ++k) q[k] = p[k] + 0.01 * q[k];
      const double height = shifted_maximum(q, y, margin) + (trial % 2 ? 0 : std::abs(generator.uniform()));
      double product = (zeta - theta) * (height - theta), size = scale + height * height;
      for (Index k = 0; k < count; ++k) {
        product += (z[k] - p[k]) * (q[k] - p[k]);
        size += q[k] * q[k];
      }
      ASSERT_LE(product, 1e-12 * size) << "round " << round;
    }
  }
  EXPECT_GT(moved, 1000);
}

TEST(Epigraph, AgreesWithTheSortedFormula) {
  Generator generator(72);
  for (int round = 0; round < 2000; ++round) {
    const Index count = 1 + generator.draw(8);
    auto z = random_point(generator, count);
    double zeta = generator.uniform();
    auto sorted = z;
    for (Index k = 1; k < count; ++k) sorted[k] += 1;
    std::sort(sorted.begin(), sorted.end());
    double theta = NAN;  // θ = (ζ + Σ_{k ≥ k̄} ν_k)/(K − k̄ + 2) with ν_{k̄−1} < θ ≤ ν_k̄
    for (Index from = 0; from <= count; ++from) {
      double total = zeta;
      for (Index k = from; k < count; ++k) total += sorted[k];
      const double candidate = total / (count - from + 1);
      if ((from == 0 || sorted[from - 1] < candidate) && (from == count || candidate <= sorted[from]))
        theta = candidate;
    }
    project_hinge_epigraph(z.data(), zeta, count, 0, 1.0);
    ASSERT_NEAR(zeta, theta, 1e-12 * (1 + std::abs(theta)));
  }
}

TEST(LevelSet, SolvesItsVariationalInequality) {
  Generator generator(73);
  int on_the_boundary = 0;
  for (int round = 0; round < 1500; ++round) {
    const Index samples = 1 + generator.draw(8), classes = 2 + generator.draw(6);
    const Index stride = padded<double>(classes);
    std::vector<Label> labels(samples);
    std::vector<double> weights(samples), margins(samples), u(samples * stride), point(samples * stride);
    const double sigma = std::pow(10.0, static_cast<double>(generator.draw(5)) - 2);
    for (Index i = 0; i < samples; ++i) {
      labels[i] = static_cast<Label>(generator.draw(classes));
      weights[i] = i == 0 ? 1 : generator.draw(4);
      margins[i] = 0.5 * (1 + generator.draw(3));
      const auto row = random_point(generator, classes);
      std::copy(row.begin(), row.end(), u.begin() + i * stride);
    }
    Targets<double> targets{labels, classes, weights.data(), margins.data()};
    targets.normalise();
    const double eta = std::pow(10.0, static_cast<double>(generator.draw(4)) - 3) * (1 + generator.draw(9));
    const auto mean_loss = [&](const std::vector<double>& z) {
      double total = 0;
      for (Index i = 0; i < samples; ++i)
        total += targets.weight(i) * Hinge{}.value(z.data() + i * stride, classes, labels[i], margins[i]);
      return total;
    };
    const double start = generator.draw(3) == 0 ? 0 : std::pow(10.0, static_cast<double>(generator.draw(7)) - 3);
    const double nu = level_set_multiplier(Hinge{}, targets, u.data(), stride, sigma, eta, start);
    double scale = 1;
    for (Index i = 0; i < samples; ++i) {
      std::vector<double> row(u.begin() + i * stride, u.begin() + (i + 1) * stride);
      Hinge{}.dual_prox(row.data(), classes, labels[i], margins[i], nu * targets.weight(i), sigma);
      for (Index k = 0; k < classes; ++k) {
        point[i * stride + k] = (u[i * stride + k] - row[k]) / sigma;
        scale = std::max(scale, std::abs(u[i * stride + k]) / sigma);
      }
    }
    const double reached = mean_loss(point);
    ASSERT_LE(reached, eta + 1e-12 * scale) << "round " << round;
    if (nu > 0) {
      ++on_the_boundary;
      ASSERT_NEAR(reached, eta, 1e-11 * scale) << "round " << round << ", from " << start;
    }
    // A point far inside, so that random ones can be drawn into the set.
    std::vector<double> inside(samples * stride);
    for (Index i = 0; i < samples; ++i) inside[i * stride + labels[i]] = 10;
    for (int trial = 0; trial < 10; ++trial) {
      std::vector<double> q(samples * stride);
      for (Index i = 0; i < samples; ++i) {
        const auto row = random_point(generator, classes);
        for (Index k = 0; k < classes; ++k)
          q[i * stride + k] = trial > 4 ? point[i * stride + k] + 0.01 * row[k] : row[k];
      }
      for (int halving = 0; halving < 60 && mean_loss(q) > eta; ++halving)
        for (std::size_t e = 0; e < q.size(); ++e) q[e] += 0.25 * (inside[e] - q[e]);
      ASSERT_LE(mean_loss(q), eta);
      double product = 0, size = scale * scale;
      for (std::size_t e = 0; e < q.size(); ++e) {
        product += (u[e] / sigma - point[e]) * (q[e] - point[e]);
        size += q[e] * q[e];
      }
      ASSERT_LE(product, 1e-11 * size * samples * classes) << "round " << round;
    }
  }
  EXPECT_GT(on_the_boundary, 500);
}

}  // namespace
