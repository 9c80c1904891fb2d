#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"
#include "tamis/certificate/make_dual_feasible.hpp"

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

TEST(Logistic, HasTheValueOfTheFormula) {
  const double z[] = {0.5, 2.0, 1.8};
  EXPECT_NEAR(Logistic{}.value(z, 3, Label(1), 0.0), std::log(1 + std::exp(-1.5) + std::exp(-0.2)), 1e-15);
  EXPECT_NEAR(Logistic{}.value(z, 3, Label(0), 1.0), std::log(1 + std::exp(2.5) + std::exp(2.3)), 1e-15);
  const double far[] = {-800, 900};  // neither overflows nor loses the difference
  EXPECT_DOUBLE_EQ(Logistic{}.value(far, 2, Label(0), 0.0), 1700);
  EXPECT_DOUBLE_EQ(Logistic{}.value(far, 2, Label(1), 0.0), 0);
}

/// Losses far below the precision of the type beside 1, of scores and of duals, one by one and many at once.
template <class T>
void expect_digits_of_small_losses() {
  constexpr Index classes = 3, stride = padded<T>(classes), samples = 12;
  std::vector<T> z(samples * stride), u(z.size()), scratch(2 * (z.size() + 16));
  std::vector<Label> labels(samples, Label(1));
  for (Index i = 0; i < samples; ++i) z[i * stride + 1] = T(4 + 2 * i);
  Targets<T> targets{labels, classes};
  targets.common_margin = T(0);
  targets.normalise();
  const double weight = 1.0 / samples;
  double losses = 0, duals = 0;
  for (Index i = 0; i < samples; ++i) {
    const double others = 2 * std::exp(-static_cast<double>(z[i * stride + 1])), loss = std::log1p(others);
    const T* row = &z[i * stride];
    EXPECT_NEAR(static_cast<double>(Logistic{}.value(row, classes, Label(1), T(0))), loss,
                8 * double(epsilon<T>) * loss);
    const T again = Logistic{}.gradient(row, classes, Label(1), T(0), T(weight), &u[i * stride]);
    EXPECT_EQ(again, Logistic{}.value(row, classes, Label(1), T(0)));
    const double p = others / (1 + others), dual = weight * (-p * std::log(p / 2) - (1 - p) * std::log1p(-p));
    EXPECT_NEAR(static_cast<double>(Logistic{}.dual_value(&u[i * stride], classes, Label(1), T(0), T(weight), T(1))),
                dual, 32 * double(epsilon<T>) * dual);
    losses += weight * loss;
    duals += dual;
  }
  Sum<T> loss_sum, dual_sum;
  Logistic{}.gradients(targets, z.data(), 0, samples, stride, u.data(), scratch.data(), loss_sum);
  EXPECT_NEAR(static_cast<double>(loss_sum.value()), losses, 8 * double(epsilon<T>) * losses);
  Logistic{}.dual_values(targets, u.data(), 0, samples, stride, T(1), scratch.data(), dual_sum);
  EXPECT_NEAR(static_cast<double>(dual_sum.value()), duals, 32 * double(epsilon<T>) * duals);
}
TEST(Logistic, KeepsTheDigitsOfSmallLosses) {
  expect_digits_of_small_losses<float>();
  expect_digits_of_small_losses<double>();
}

TEST(OneVsRestSquaredHinge, HasTheValueOfTheFormula) {
  const double z[] = {0.5, -2.0, 1.8};
  EXPECT_DOUBLE_EQ(OneVsRestSquaredHinge{}.value(z, 3, Label(0), 1.0), 0.5 * 0.5 + 2.8 * 2.8);
  EXPECT_DOUBLE_EQ(OneVsRestSquaredHinge{}.value(z, 3, Label(1), 1.0), 1.5 * 1.5 + 3 * 3 + 2.8 * 2.8);
}

template <class T>
class RowsTogether : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RowsTogether, Scalars);

/// Rows with entries far apart, close to each other, tied and zero.
template <class T>
std::vector<T> assorted_rows(Index rows, Index classes, Generator& generator) {
  const Index stride = padded<T>(classes);
  std::vector<T> out(rows * stride);
  for (Index i = 0; i < rows; ++i) {
    const T size = std::pow(T(10), T(int(generator.draw(5)) - 3));
    for (Index k = 0; k < classes; ++k)
      out[i * stride + k] =
          generator.draw(3) ? size * static_cast<T>(generator.uniform()) : size * T(generator.draw(2));
  }
  return out;
}

TYPED_TEST(RowsTogether, AreProjectedToTheSameBitsAsOneByOne) {
  using T = TypeParam;
  Generator generator(3);
  for (const Index classes : {1u, 2u, 3u, 4u, 5u, 10u, 31u, 32u, 33u, 40u}) {
    const Index rows = 401, stride = padded<T>(classes);
    const auto start = assorted_rows<T>(rows, classes, generator);
    auto one_by_one = start, together = start;
    const auto radius = [](Index i) { return T(1) / T(1 + i % 7); };
    for (Index i = 0; i < rows; ++i) project_simplex(&one_by_one[i * stride], classes, radius(i));
    project_simplex_rows(together.data(), rows, classes, stride, radius);
    EXPECT_EQ(together, one_by_one) << classes;
  }
}

TYPED_TEST(RowsTogether, HaveTheDualProxOfTheHingeToTheSameBitsAsOneByOne) {
  using T = TypeParam;
  Generator generator(4);
  for (const Index classes : {2u, 3u, 4u, 5u, 10u, 26u, 32u})
    for (int round = 0; round < 100; ++round) {
      const Index stride = padded<T>(classes);
      const auto start = assorted_rows<T>(lanes<T>, classes, generator);
      auto one_by_one = start, together = start;
      const T sigma = static_cast<T>(0.1 * generator.draw(4));
      Label y[lanes<T>];
      T margin[lanes<T>], weight[lanes<T>];
      for (Index r = 0; r < lanes<T>; ++r) {
        y[r] = static_cast<Label>(generator.draw(classes));
        margin[r] = T(generator.draw(3));
        weight[r] = T(generator.draw(4)) / T(16);
        if (round % 5 == 0) together[r * stride + y[r]] = one_by_one[r * stride + y[r]] = T(100);  // stands above
        Hinge{}.dual_prox(&one_by_one[r * stride], classes, y[r], margin[r], weight[r], sigma);
      }
      Hinge::dual_prox_rows(together.data(), stride, classes, y, margin, weight, sigma);
      EXPECT_EQ(together, one_by_one) << classes << " " << round;
    }
}

template <class Loss>
class SmoothLosses : public ::testing::Test {};
using AllSmoothLosses = ::testing::Types<SquaredHinge, Logistic, OneVsRestSquaredHinge>;
TYPED_TEST_SUITE(SmoothLosses, AllSmoothLosses);

TYPED_TEST(SmoothLosses, GradientEqualsFiniteDifferences) {
  const TypeParam loss;
  Generator generator(5);
  for (int round = 0; round < 200; ++round) {
    const Index classes = 2 + generator.draw(6);
    const auto label = static_cast<Label>(generator.draw(classes));
    std::vector<double> z(classes), gradient(classes);
    for (double& score : z) score = 2 * generator.uniform();
    const double value = loss.gradient(z.data(), classes, label, 0.7, 3.0, gradient.data());
    EXPECT_DOUBLE_EQ(value, loss.value(z.data(), classes, label, 0.7));
    for (Index k = 0; k < classes; ++k) {
      const double h = 1e-6;
      auto up = z, down = z;
      up[k] += h;
      down[k] -= h;
      const double slope =
          3 * (loss.value(up.data(), classes, label, 0.7) - loss.value(down.data(), classes, label, 0.7)) / (2 * h);
      EXPECT_NEAR(gradient[k], slope, 1e-6);
    }
  }
}

TYPED_TEST(SmoothLosses, LieAboveTheirTangentByAtMostTheirCurvature) {
  const TypeParam loss;
  Generator generator(8);
  double tightest = 0;
  for (int round = 0; round < 2000; ++round) {
    const Index classes = 2 + generator.draw(5);
    const auto label = static_cast<Label>(generator.draw(classes));
    const double size = round % 2 ? 1 : 0.01;
    std::vector<double> from(classes), to(classes), gradient(classes);
    for (double& score : from) score = 2 * generator.uniform();
    double square = 0, tangent = loss.gradient(from.data(), classes, label, 1.0, 1.0, gradient.data());
    for (Index k = 0; k < classes; ++k) {
      const double step = size * generator.uniform();
      to[k] = from[k] + step;
      square += step * step;
      tangent += step * gradient[k];
    }
    const double excess = loss.value(to.data(), classes, label, 1.0) - tangent;
    const double bound = 0.5 * loss.template curvature<double>(classes) * square;
    EXPECT_GE(excess, -1e-14);
    EXPECT_LE(excess, bound + 1e-14);
    if (bound > 0) tightest = std::max(tightest, excess / bound);
    if constexpr (std::is_same_v<TypeParam, Logistic>) {
      const double precise = loss.bregman_divergence(from.data(), to.data(), classes, label, 1.0, gradient.data());
      EXPECT_NEAR(precise, excess, 1e-14 + 1e-4 * excess);
    }
  }
  EXPECT_GT(tightest, 0.5) << "the bound is not idle";
}

/// −(cℓ)*(s·u).
template <class L>
double dual_value(L loss, const std::vector<double>& u, Label y, double margin, double c, double s = 1) {
  const auto classes = static_cast<Index>(u.size());
  if constexpr (QuadraticDual<L, double>) {
    const auto terms = loss.dual_terms(u.data(), classes, y, margin, c);
    return s * terms.linear - s * s * terms.quadratic;
  } else {
    return loss.dual_value(u.data(), classes, y, margin, c, s);
  }
}

/// Fenchel: ⟨u, z⟩ ≤ cℓ(z) + (cℓ)*(u), with equality where u is a gradient.
template <class L>
void expect_fenchel(L loss, const std::vector<double>& z, const std::vector<double>& u, Label y, double margin,
                    double c, bool equality) {
  const auto classes = static_cast<Index>(z.size());
  double inner = 0;
  for (Index k = 0; k < classes; ++k) inner += u[k] * z[k];
  const double right = c * loss.value(z.data(), classes, y, margin) - dual_value(loss, u, y, margin, c);
  if (equality) EXPECT_NEAR(inner, right, 1e-10);
  else EXPECT_LE(inner, right + 1e-10);
}

TYPED_TEST(SmoothLosses, ConjugateFollowsFenchel) {
  Generator generator(6);
  for (int round = 0; round < 300; ++round) {
    const Index classes = 2 + generator.draw(5);
    const auto y = static_cast<Label>(generator.draw(classes));
    std::vector<double> z(classes), other(classes), u(classes);
    for (double& score : z) score = 2 * generator.uniform();
    for (double& score : other) score = 2 * generator.uniform();
    TypeParam{}.gradient(z.data(), classes, y, 1.3, 0.2, u.data());
    expect_fenchel(TypeParam{}, z, u, y, 1.3, 0.2, true);
    expect_fenchel(TypeParam{}, other, u, y, 1.3, 0.2, false);
    const double scale = generator.draw(101) / 100.0;  // s·u stays in the domain, and its value is that of the ray
    const double on_the_ray = dual_value(TypeParam{}, u, y, 1.3, 0.2, scale);
    for (double& entry : u) entry *= scale;
    EXPECT_NEAR(on_the_ray, dual_value(TypeParam{}, u, y, 1.3, 0.2), 1e-14);
    expect_fenchel(TypeParam{}, other, u, y, 1.3, 0.2, false);
  }
}

TEST(Logistic, ConjugateAtTheCornersOfTheSimplex) {
  for (const double margin : {0.0, 1.5}) {
    const std::vector<double> on_the_label{0, 0, 0}, on_another{0.5, -0.5, 0};
    EXPECT_EQ(dual_value(Logistic{}, on_the_label, 1, margin, 0.5), 0);
    EXPECT_EQ(dual_value(Logistic{}, on_another, 1, margin, 0.5), 0.5 * margin);
    EXPECT_EQ(Logistic{}.dual_value(on_another.data(), 3, Label(1), margin, 0.0, 1.0), 0) << "no weight, no value";
  }
}

/// Repaired dual points stay in the domain of the loss, and their columns sum to zero.
TYPED_TEST(SmoothLosses, RepairZeroesTheColumnSums) {
  for (const Index classes : {2, 3, 7})
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      Made<double> made(60, 2, classes, seed);
      Generator generator(seed);
      for (Index i = 0; i < made.samples; ++i) made.weights.push_back(generator.draw(4));
      for (Index k = 0; k < classes; ++k) made.weights[made.samples - 1 - k] = 1;
      auto targets = made.targets();
      targets.normalise();
      const Index stride = padded<double>(classes);
      std::vector<double> u(made.samples * stride), z(classes), a(stride), b(stride);
      for (Index i = 0; i < made.samples; ++i) {
        for (double& score : z) score = 2 * generator.uniform();
        TypeParam{}.gradient(z.data(), classes, made.labels[i], 1.0, targets.weight(i), &u[i * stride]);
      }
      make_dual_feasible(TypeParam{}, targets, u.data(), stride, a.data(), b.data());
      std::vector<double> columns(classes);
      for (Index i = 0; i < made.samples; ++i) {
        const double c = targets.weight(i);
        double row = 0;
        for (Index k = 0; k < classes; ++k) {
          const double entry = u[i * stride + k];
          columns[k] += entry;
          row += entry;
          EXPECT_GE(k == made.labels[i] ? -entry : entry, -1e-16);
          EXPECT_TRUE(entry >= -c - 1e-15 || !(std::is_same_v<TypeParam, Logistic>));
        }
        EXPECT_TRUE(std::abs(row) < 1e-15 || separate_classes(TypeParam{}));
      }
      for (const double column : columns) EXPECT_NEAR(column, 0, 1e-14);
    }
}

TYPED_TEST(SmoothLosses, GuessedInterceptsAreOptimalForEqualMargins) {
  for (const Index classes : {2, 3, 5}) {
    Made<double> made(70, 2, classes, classes);
    Generator generator(classes);
    for (Index i = 0; i < made.samples; ++i) made.weights.push_back(2 + generator.draw(3));
    auto targets = made.targets();
    targets.normalise();
    targets.common_margin = default_margin<double>(TypeParam{});
    std::vector<double> b(padded<double>(classes)), u(classes), total(classes);
    TypeParam{}.guess_intercepts(targets, b.data());
    for (Index i = 0; i < made.samples; ++i) {
      TypeParam{}.gradient(b.data(), classes, made.labels[i], targets.margin(i), targets.weight(i), u.data());
      for (Index k = 0; k < classes; ++k) total[k] += u[k];
    }
    for (const double slope : total) EXPECT_NEAR(slope, 0, 1e-14);
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

/// u = p + σ prox_{cℓ/σ}(u/σ), and the Jacobian that `stiffness` tells is that of finite differences.
TEST(SquaredHinge, DualProxIsThatOfMoreauWithTheJacobianItSays) {
  Generator generator(8);
  int checked = 0;
  for (int round = 0; round < 500; ++round) {
    const Index classes = 2 + generator.draw(6);
    const auto y = static_cast<Label>(generator.draw(classes));
    const double c = 0.05 + 0.1 * generator.draw(5), margin = 0.8, sigma = 0.5 + generator.draw(4);
    std::vector<double> v(classes), p, z(classes);
    for (double& entry : v) entry = 2 * generator.uniform();
    p = v;
    SquaredHinge{}.dual_prox(p.data(), classes, y, margin, c, sigma);
    for (Index k = 0; k < classes; ++k) z[k] = v[k] / sigma;
    SquaredHinge{}.prox(z.data(), classes, y, margin, sigma / c);
    for (Index k = 0; k < classes; ++k) EXPECT_NEAR(p[k], v[k] - sigma * z[k], 1e-12);
    expect_fenchel(SquaredHinge{}, z, p, y, margin, c, true);

    std::vector<double> r(classes), direction(classes);
    double total = 0;
    for (Index k = 0; k < classes; ++k) {
      r[k] = 1 / (1 + SquaredHinge{}.stiffness(p[k], k == y, c, sigma));
      total += r[k];
      direction[k] = generator.uniform();
    }
    constexpr double step = 1e-6;
    std::vector<double> forth = v, back = v;
    for (Index k = 0; k < classes; ++k) {
      forth[k] += step * direction[k];
      back[k] -= step * direction[k];
    }
    SquaredHinge{}.dual_prox(forth.data(), classes, y, margin, c, sigma);
    SquaredHinge{}.dual_prox(back.data(), classes, y, margin, c, sigma);
    double mean = 0;
    bool same_face = true;
    for (Index k = 0; k < classes; ++k) {
      mean += r[k] * direction[k] / total;
      same_face = same_face && (forth[k] != 0) == (p[k] != 0) && (back[k] != 0) == (p[k] != 0);
    }
    for (Index k = 0; k < classes && same_face; ++k)
      EXPECT_NEAR((forth[k] - back[k]) / (2 * step), r[k] * (direction[k] - mean), 1e-8);
    checked += same_face;
  }
  EXPECT_GT(checked, 400);
}

// ---- the model without coefficients
// ------------------------------------------------------------------------------------

/// F(0, b), by the formula.
template <class Loss>
double null_objective(const Made<double>& made, const std::vector<double>& b) {
  double total = 0, weight = 0;
  for (Index i = 0; i < made.samples; ++i) {
    const double w = made.weights.empty() ? 1 : made.weights[i];
    total += w * Loss{}.value(b.data(), made.classes, made.labels[i], made.margins.empty() ? 1.0 : made.margins[i]);
    weight += w;
  }
  return total / weight;
}

template <class Loss>
void expect_optimal_null_model(const Made<double>& made) {
  auto targets = made.targets();
  targets.normalise();
  const Index stride = padded<double>(made.classes);
  std::vector<double> b(stride), u(made.samples * stride);
  Loss{}.null_model(targets, true, b.data(), u.data(), stride);
  double dual = 0;
  std::vector<double> columns(made.classes);
  for (Index i = 0; i < made.samples; ++i) {
    const double c = targets.weight(i);
    double total = 0;
    for (Index k = 0; k < made.classes; ++k) {
      const double entry = u[i * stride + k];
      const bool bounded = k != made.labels[i] || Loss::label_mass_moves();
      EXPECT_GE(bounded ? entry + (k == made.labels[i] ? c : 0) : 0, -1e-12) << "in the dual domain";
      total += entry;
      columns[k] += entry;
    }
    EXPECT_NEAR(total, 0, 1e-12);
    const auto terms = Loss{}.dual_terms(&u[i * stride], made.classes, made.labels[i], targets.margin(i), c);
    dual += terms.linear - terms.quadratic;
  }
  for (const double column : columns) EXPECT_NEAR(column, 0, 1e-12) << "columns sum to zero";
  b.resize(made.classes);
  EXPECT_NEAR(null_objective<Loss>(made, b), dual, 1e-12) << "no gap: both are optimal";
}

template <class Loss>
void expect_optimal_null_models() {
  for (const Index classes : {2, 3, 5, 11})
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      Made<double> made(60, 2, classes, seed);
      expect_optimal_null_model<Loss>(made);
      Generator generator(seed);
      for (Index i = 0; i < made.samples; ++i) made.weights.push_back(generator.draw(5));
      for (Index k = 0; k < classes; ++k) made.weights[made.samples - 1 - k] = 1;
      expect_optimal_null_model<Loss>(made);
      for (Index i = 0; i < made.samples; ++i) made.margins.push_back(0.5 + 0.25 * generator.draw(4));
      expect_optimal_null_model<Loss>(made);
      for (Index i = 0; i + classes < made.samples; ++i)
        made.labels[i] = generator.draw(4) ? 1 : 0;  // a large majority
      expect_optimal_null_model<Loss>(made);
    }
}
TEST(HingeNullModel, IsOptimalForBalancedAndUnbalancedClasses) { expect_optimal_null_models<Hinge>(); }
TEST(SquaredHingeNullModel, IsOptimalForBalancedAndUnbalancedClasses) { expect_optimal_null_models<SquaredHinge>(); }

}  // namespace
