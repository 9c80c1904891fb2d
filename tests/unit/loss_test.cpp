#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::Made;

TEST(Hinge, HasTheValueOfTheFormula) {
  const double z[] = {0.5, 2.0, 1.8};
  EXPECT_DOUBLE_EQ(Hinge{}.value(z, 3, Label(1), 1.0), 0.8);
  EXPECT_DOUBLE_EQ(Hinge{}.value(z, 3, Label(0), 1.0), 2.5);
  EXPECT_DOUBLE_EQ(Hinge{}.value(z, 3, Label(1), 0.1), 0.0);
}

TEST(SquaredHinge, HasTheValueOfTheFormula) {
  const double z[] = {0.5, 2.0, 1.8};
  EXPECT_DOUBLE_EQ(SquaredHinge{}.value(z, 3, Label(1), 1.0), 0.8 * 0.8);
  EXPECT_DOUBLE_EQ(SquaredHinge{}.value(z, 3, Label(0), 1.0), 2.5 * 2.5 + 2.3 * 2.3);
}

TEST(SquaredHinge, GradientEqualsFiniteDifferences) {
  Generator generator(5);
  for (int round = 0; round < 200; ++round) {
    const Index classes = 2 + generator.draw(6);
    const auto label = static_cast<Label>(generator.draw(classes));
    std::vector<double> z(classes), gradient(classes);
    for (double& score : z) score = 2 * generator.uniform();
    const double value = SquaredHinge{}.gradient(z.data(), classes, label, 0.7, 3.0, gradient.data());
    EXPECT_DOUBLE_EQ(value, SquaredHinge{}.value(z.data(), classes, label, 0.7));
    for (Index k = 0; k < classes; ++k) {
      const double h = 1e-6;
      auto up = z, down = z;
      up[k] += h;
      down[k] -= h;
      const double slope = 3 *
                           (SquaredHinge{}.value(up.data(), classes, label, 0.7) -
                            SquaredHinge{}.value(down.data(), classes, label, 0.7)) /
                           (2 * h);
      EXPECT_NEAR(gradient[k], slope, 1e-6);
    }
  }
}

/// Fenchel: ⟨u, z⟩ ≤ cℓ(z) + (cℓ)*(u), with equality where u is a gradient. Here −(cℓ)*(u) = linear − quadratic.
template <class L>
void expect_fenchel(L loss, const std::vector<double>& z, const std::vector<double>& u, Label y, double margin,
                    double c, bool equality) {
  const auto classes = static_cast<Index>(z.size());
  double inner = 0;
  for (Index k = 0; k < classes; ++k) inner += u[k] * z[k];
  const auto terms = loss.dual_terms(u.data(), classes, y, margin, c);
  const double right = c * loss.value(z.data(), classes, y, margin) - terms.linear + terms.quadratic;
  if (equality) EXPECT_NEAR(inner, right, 1e-10);
  else EXPECT_LE(inner, right + 1e-10);
}

TEST(SquaredHinge, ConjugateFollowsFenchel) {
  Generator generator(6);
  for (int round = 0; round < 300; ++round) {
    const Index classes = 2 + generator.draw(5);
    const auto y = static_cast<Label>(generator.draw(classes));
    std::vector<double> z(classes), other(classes), u(classes);
    for (double& score : z) score = 2 * generator.uniform();
    for (double& score : other) score = 2 * generator.uniform();
    SquaredHinge{}.gradient(z.data(), classes, y, 1.3, 0.2, u.data());
    expect_fenchel(SquaredHinge{}, z, u, y, 1.3, 0.2, true);
    expect_fenchel(SquaredHinge{}, other, u, y, 1.3, 0.2, false);
  }
}

TEST(Hinge, DualProxSolvesItsVariationalInequality) {
  // p = prox_{σ(cℓ)*}(v): (v − p)/σ is a point z at which p is a subgradient of cℓ.
  Generator generator(7);
  for (int round = 0; round < 500; ++round) {
    const Index classes = 2 + generator.draw(8);
    const auto y = static_cast<Label>(generator.draw(classes));
    const double c = 0.3, margin = 0.8, sigma = 0.5 + generator.draw(4);
    std::vector<double> v(classes), p, z(classes);
    for (double& entry : v) entry = generator.draw(3) ? 2 * generator.uniform() : 0.5;  // ties too
    p = v;
    Hinge{}.dual_prox(p.data(), classes, y, margin, c, sigma);
    double total = 0;
    for (Index k = 0; k < classes; ++k) {
      const double q = p[k] + (k == y ? c : 0);
      EXPECT_GE(q, 0);
      total += p[k];
      z[k] = (v[k] - p[k]) / sigma;
    }
    EXPECT_NEAR(total, 0, 1e-12);
    expect_fenchel(Hinge{}, z, p, y, margin, c, true);
  }
}

// ---- the model without coefficients
// ------------------------------------------------------------------------------------

/// F(0, b), by the formula.
double null_objective(const Made<double>& made, const std::vector<double>& b) {
  double total = 0, weight = 0;
  for (Index i = 0; i < made.samples; ++i) {
    const double w = made.weights.empty() ? 1 : made.weights[i];
    total += w * Hinge{}.value(b.data(), made.classes, made.labels[i], made.margins.empty() ? 1.0 : made.margins[i]);
    weight += w;
  }
  return total / weight;
}

void expect_optimal_null_model(const Made<double>& made) {
  auto targets = made.targets();
  targets.normalise();
  const Index stride = padded<double>(made.classes);
  std::vector<double> b(stride), u(made.samples * stride);
  Hinge{}.null_model(targets, true, b.data(), u.data(), stride);
  double dual = 0;
  std::vector<double> columns(made.classes);
  for (Index i = 0; i < made.samples; ++i) {
    const double c = targets.weight(i);
    double total = 0;
    for (Index k = 0; k < made.classes; ++k) {
      const double entry = u[i * stride + k];
      EXPECT_GE(entry + (k == made.labels[i] ? c : 0), -1e-12) << "in the dual domain";
      total += entry;
      columns[k] += entry;
    }
    EXPECT_NEAR(total, 0, 1e-12);
    dual += Hinge{}.dual_terms(&u[i * stride], made.classes, made.labels[i], targets.margin(i), c).linear;
  }
  for (const double column : columns) EXPECT_NEAR(column, 0, 1e-12) << "columns sum to zero";
  b.resize(made.classes);
  EXPECT_NEAR(null_objective(made, b), dual, 1e-12) << "no gap: both are optimal";
}

TEST(HingeNullModel, IsOptimalForBalancedAndUnbalancedClasses) {
  for (const Index classes : {2, 3, 5, 11})
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      Made<double> made(60, 2, classes, seed);
      expect_optimal_null_model(made);
      Generator generator(seed);
      for (Index i = 0; i < made.samples; ++i) made.weights.push_back(generator.draw(5));
      for (Index k = 0; k < classes; ++k) made.weights[made.samples - 1 - k] = 1;
      expect_optimal_null_model(made);
      for (Index i = 0; i < made.samples; ++i) made.margins.push_back(0.5 + 0.25 * generator.draw(4));
      expect_optimal_null_model(made);
      for (Index i = 0; i + classes < made.samples; ++i)
        made.labels[i] = generator.draw(4) ? 1 : 0;  // a large majority
      expect_optimal_null_model(made);
    }
}

}  // namespace
