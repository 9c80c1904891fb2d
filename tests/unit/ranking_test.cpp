// The ranking squared hinge: its values, its slopes, its conjugate, the repair of its dual points.
#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/label_sets.hpp"
#include "tamis/any_multilabel.hpp"
#include "tamis/certificate/make_dual_feasible.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"

namespace {

using namespace tamis;
using tamis::testing::Generator;
using tamis::testing::Made;
using tamis::testing::MadeSets;
using tamis::testing::ranking_by_pairs;

/// All subsets of K classes, numbered by their bits.
struct AllSets {
  std::vector<Index> starts{0};
  std::vector<Label> members;

  explicit AllSets(Index classes) {
    for (Index bits = 0; bits < 1u << classes; ++bits) {
      for (Index k = 0; k < classes; ++k)
        if (bits >> k & 1) members.push_back(static_cast<Label>(k));
      starts.push_back(static_cast<Index>(members.size()));
    }
  }
  Index count() const { return static_cast<Index>(starts.size() - 1); }
  RankingSquaredHinge loss() const { return {{starts.data(), members.data(), count()}}; }
  std::vector<Label> set(Label y) const { return {members.begin() + starts[y], members.begin() + starts[y + 1]}; }
};

template <class T>
std::vector<T> draw_scores(Generator& generator, Index classes, double size) {
  std::vector<T> z(classes);
  for (T& score : z) score = static_cast<T>(size * generator.uniform());
  return z;
}

TEST(LabelSets, SayWhatTheyHold) {
  const Index starts[] = {0, 2, 2, 5, 6, 5};
  const Label members[] = {1, 3, 0, 1, 2, 4};
  const LabelSets sets{starts, members, 5};
  EXPECT_TRUE(sets.contains(0, 3) && !sets.contains(0, 2) && !sets.contains(1, 0));
  EXPECT_TRUE(sets.has_pairs(0, 4) && !sets.has_pairs(1, 4) && sets.has_pairs(2, 4) && !sets.has_pairs(2, 3));
  EXPECT_FALSE(sets.has_pairs(9, 4)) << "no such set";
  EXPECT_TRUE(sets.valid(0, 4) && sets.valid(1, 4) && sets.valid(3, 5));
  EXPECT_FALSE(sets.valid(0, 3)) << "3 is no class";
  EXPECT_FALSE(sets.valid(4, 5)) << "it ends before it begins";
  EXPECT_FALSE(sets.valid(5, 5)) << "no such set";
  const Label twice[] = {1, 1}, turned[] = {2, 1};
  EXPECT_FALSE((LabelSets{starts, twice, 1}.valid(0, 4)));
  EXPECT_FALSE((LabelSets{starts, turned, 1}.valid(0, 4)));
}

TEST(RankingSquaredHinge, HasTheValueOfTheFormula) {
  const double z[] = {0.5, 2.0, 1.75};
  const AllSets all(3);
  EXPECT_DOUBLE_EQ(all.loss().value(z, 3, Label(0b110), 1.0), 0) << "1 and 2 lie more than 1 above 0";
  EXPECT_DOUBLE_EQ(all.loss().value(z, 3, Label(0b011), 1.0), 2.25 * 2.25 + 0.75 * 0.75);
  EXPECT_DOUBLE_EQ(all.loss().value(z, 3, Label(0b001), 1.0), 2.5 * 2.5 + 2.25 * 2.25);
  for (const Index none : {0b000, 0b111}) {
    double u[] = {7, 7, 7};
    EXPECT_EQ(all.loss().gradient(z, 3, static_cast<Label>(none), 1.0, 1.0, u), 0);
    for (const double entry : u) EXPECT_EQ(entry, 0);
  }
}

template <class T>
class Ranking : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Ranking, Scalars);

TYPED_TEST(Ranking, AgreesWithAllPairsOfAllSets) {
  for (const Index classes : {2, 3, 4, 5, 7, 9}) {
    const AllSets all(classes);
    Generator generator(classes);
    for (Label y = 0; y < all.count(); ++y) {
      const auto z = draw_scores<TypeParam>(generator, classes, 2);
      std::vector<TypeParam> u(classes);
      const TypeParam value = all.loss().value(z.data(), classes, y, TypeParam(0.75));
      EXPECT_EQ(value, all.loss().gradient(z.data(), classes, y, TypeParam(0.75), TypeParam(3), u.data()))
          << "to the bit";
      const double exact = ranking_by_pairs({z.begin(), z.end()}, all.set(y), 0.75);
      EXPECT_NEAR(value, exact, (sizeof(TypeParam) == 4 ? 1e-5 : 1e-13) * (1 + exact));
    }
  }
}

TYPED_TEST(Ranking, OfOneLabelIsTheSquaredHingeToTheBit) {
  using T = TypeParam;
  for (const Index classes : {2, 3, 4, 6, 9}) {
    const AllSets all(classes);
    Generator generator(classes);
    for (int round = 0; round < 50; ++round) {
      const auto y = static_cast<Label>(generator.draw(classes));
      const auto set = static_cast<Label>(1u << y);
      const auto z = draw_scores<T>(generator, classes, 2);
      std::vector<T> u(classes), v(classes), a(classes), b(classes);
      EXPECT_EQ(all.loss().gradient(z.data(), classes, set, T(1), T(0.3), u.data()),
                SquaredHinge{}.gradient(z.data(), classes, y, T(1), T(0.3), v.data()));
      EXPECT_EQ(u, v);
      const auto terms = all.loss().dual_terms(u.data(), classes, set, T(1), T(0.3), a.data(), b.data());
      const auto same = SquaredHinge{}.dual_terms(v.data(), classes, y, T(1), T(0.3));
      EXPECT_EQ(terms.linear, same.linear);
      EXPECT_EQ(terms.quadratic, same.quadratic);
    }
  }
}

TEST(RankingSquaredHinge, GradientEqualsFiniteDifferences) {
  const Index classes = 6;
  const AllSets all(classes);
  Generator generator(5);
  for (int round = 0; round < 200; ++round) {
    const auto y = static_cast<Label>(generator.draw(all.count()));
    const auto z = draw_scores<double>(generator, classes, 2);
    std::vector<double> u(classes);
    all.loss().gradient(z.data(), classes, y, 0.7, 3.0, u.data());
    for (Index k = 0; k < classes; ++k) {
      auto up = z, down = z;
      up[k] += 1e-6;
      down[k] -= 1e-6;
      const double slope = 3 * (ranking_by_pairs(up, all.set(y), 0.7) - ranking_by_pairs(down, all.set(y), 0.7)) / 2e-6;
      EXPECT_NEAR(u[k], slope, 2e-6);
    }
  }
}

TEST(RankingSquaredHinge, LiesAboveItsTangentByItsExcessWhichItsCurvatureBounds) {
  const Index classes = 6;
  const AllSets all(classes);
  Generator generator(8);
  double tightest = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto y = static_cast<Label>(generator.draw(all.count()));
    const double size = round % 2 ? 1 : 0.01;
    const auto from = draw_scores<double>(generator, classes, 2);
    auto to = from;
    std::vector<double> u(classes);
    double square = 0, tangent = all.loss().gradient(from.data(), classes, y, 1.0, 1.0, u.data());
    for (Index k = 0; k < classes; ++k) {
      const double step = size * generator.uniform();
      to[k] += step;
      square += step * step;
      tangent += step * u[k];
    }
    const double excess = ranking_by_pairs(to, all.set(y), 1.0) - tangent;
    EXPECT_GE(excess, -1e-12);
    EXPECT_LE(excess, classes * square + 1e-12);
    EXPECT_NEAR(all.loss().bregman_divergence(from.data(), to.data(), classes, y, 1.0, u.data()), excess, 1e-12);
    tightest = std::max(tightest, excess / (classes * square));
  }
  EXPECT_GT(tightest, 0.5) << "the bound is not idle";
}

/// The largest eigenvalue of Σ over active pairs of 2(e_r − e_k)(e_r − e_k)ᵀ, by power iterations.
double largest_eigenvalue(const std::vector<std::vector<double>>& hessian) {
  const std::size_t n = hessian.size();
  std::vector<double> v(n);
  for (std::size_t a = 0; a < n; ++a) v[a] = 1 + 0.37 * static_cast<double>(a * a % 5);
  double value = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> next(n);
    double length = 0, before = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) next[a] += hessian[a][b] * v[b];
    for (std::size_t a = 0; a < n; ++a) {
      length += next[a] * next[a];
      before += v[a] * v[a];
    }
    if (length == 0) return 0;
    value = std::sqrt(length / before);
    for (std::size_t a = 0; a < n; ++a) v[a] = next[a] / std::sqrt(length);
  }
  return value;
}

TEST(RankingSquaredHinge, CurvatureBoundsAllHessians) {
  for (const Index classes : {2, 3, 5, 7}) {
    const AllSets all(classes);
    const double bound = all.loss().curvature<double>(classes);
    Generator generator(classes);
    double largest = 0;
    for (Label y = 0; y < all.count(); ++y)
      for (const double size : {2.0, 0.1}) {  // some pairs active, all of them
        const auto z = draw_scores<double>(generator, classes, size);
        std::vector<std::vector<double>> hessian(classes, std::vector<double>(classes));
        for (Index r = 0; r < classes; ++r)
          for (Index k = 0; k < classes; ++k)
            if ((y >> r & 1) && !(y >> k & 1) && z[r] - z[k] < 1) {
              hessian[r][r] += 2;
              hessian[k][k] += 2;
              hessian[r][k] -= 2;
              hessian[k][r] -= 2;
            }
        largest = std::max(largest, largest_eigenvalue(hessian));
        EXPECT_LE(largest, bound * (1 + 1e-12));
      }
    EXPECT_NEAR(largest, bound, 1e-6) << "where all pairs of a set are active it is reached";
  }
}

// ---- the conjugate -------------------------------------------------------------------------------------------------

/// The least Σβ² by another method: Dykstra's projections of zero onto the rows' sums, the columns' sums and β ≥ 0.
double least_square_by_projections(const std::vector<double>& row, const std::vector<double>& column) {
  const std::size_t s = row.size(), m = column.size();
  std::vector<double> x(s * m), correction(s * m);
  for (int round = 0; round < 20000; ++round) {
    for (std::size_t r = 0; r < s; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < m; ++k) sum += x[r * m + k];
      for (std::size_t k = 0; k < m; ++k) x[r * m + k] += (row[r] - sum) / static_cast<double>(m);
    }
    for (std::size_t k = 0; k < m; ++k) {
      double sum = 0;
      for (std::size_t r = 0; r < s; ++r) sum += x[r * m + k];
      for (std::size_t r = 0; r < s; ++r) x[r * m + k] += (column[k] - sum) / static_cast<double>(s);
    }
    for (std::size_t e = 0; e < x.size(); ++e) {  // affine sets need no correction, the cone does
      const double before = x[e] + correction[e];
      x[e] = std::max(before, 0.0);
      correction[e] = before - x[e];
    }
  }
  double square = 0;
  for (const double entry : x) square += entry * entry;
  return square;
}

TYPED_TEST(Ranking, CouplingHasTheLeastSquares) {
  using T = TypeParam;
  Generator generator(3);
  for (const auto& [s, m] : {std::pair<Index, Index>{1, 1}, {1, 4}, {2, 2}, {3, 1}, {2, 5}, {4, 3}, {5, 6}})
    for (int round = 0; round < 4; ++round) {
      std::vector<double> row(s), column(m);
      for (Index r = 0; r < s; ++r)
        for (Index k = 0; k < m; ++k) {
          const double entry = generator.draw(3) ? 0 : 0.125 * (1 + generator.draw(64));
          row[r] += entry;
          column[k] += entry;
        }
      std::vector<T> rows(row.begin(), row.end()), columns(column.begin(), column.end()), a(s), b(m);
      const auto found =
          static_cast<double>(least_squares_coupling(rows.data(), s, columns.data(), m, a.data(), b.data()));
      const double exact = least_square_by_projections(row, column);
      const double slack = sizeof(T) == 4 ? 1e-5 : 1e-9;
      EXPECT_GE(found, exact * (1 - slack)) << "no coupling has less";
      EXPECT_LE(found, exact * (1 + slack) + 1e-12);
    }
}

TYPED_TEST(Ranking, CouplingOfNothingIsNothing) {
  TypeParam row[] = {0, 0}, a[2], b[3];
  const TypeParam column[] = {0, 0, 0};
  EXPECT_EQ(least_squares_coupling(row, 2, column, 3, a, b), 0);
}

/// Fenchel: ⟨u, z⟩ ≤ cℓ(z) + (cℓ)*(u), with equality where u is a gradient.
TYPED_TEST(Ranking, ConjugateFollowsFenchel) {
  using T = TypeParam;
  const Index classes = 7;
  const AllSets all(classes);
  const auto loss = all.loss();
  const double slack = sizeof(T) == 4 ? 2e-5 : 1e-12;
  Generator generator(6);
  const T c = T(0.2), margin = T(1.25);
  for (int round = 0; round < 600; ++round) {
    const auto y = static_cast<Label>(generator.draw(all.count()));
    const auto z = draw_scores<T>(generator, classes, round % 3 ? 2 : 0.5);
    const auto other = draw_scores<T>(generator, classes, 2);
    std::vector<T> u(classes), a(classes), b(classes);
    loss.gradient(z.data(), classes, y, margin, c, u.data());
    const auto expect_below = [&](const std::vector<T>& at, bool equal, double s) {
      const auto terms = loss.dual_terms(u.data(), classes, y, margin, c, a.data(), b.data());
      double inner = 0;
      for (Index k = 0; k < classes; ++k) inner += s * static_cast<double>(u[k]) * static_cast<double>(at[k]);
      const double value = s * (static_cast<double>(terms.linear) - s * static_cast<double>(terms.quadratic));
      const double right =
          static_cast<double>(c) * ranking_by_pairs({at.begin(), at.end()}, all.set(y), static_cast<double>(margin)) -
          value;
      EXPECT_LE(inner, right + slack * (1 + std::abs(right)));
      if (equal) {
        EXPECT_NEAR(inner, right, slack * (1 + std::abs(right))) << "nothing is given away at a gradient";
      }
    };
    expect_below(z, true, 1);
    expect_below(other, false, 1);
    expect_below(z, false, 0.01 * generator.draw(200));
    // Any point of the domain: the sum of two gradients is none.
    std::vector<T> more(classes);
    loss.gradient(other.data(), classes, y, margin, c, more.data());
    for (Index k = 0; k < classes; ++k) u[k] += more[k];
    expect_below(z, false, 0.5);
    expect_below(other, false, 0.5);
  }
}

// ---- the repair ----------------------------------------------------------------------------------------------------

/// Row by row in the domain, columns that sum to zero.
template <class T>
void expect_balanced(const MadeSets<T>& made, const std::vector<T>& u, double scale) {
  const Index stride = padded<T>(made.classes);
  const double rounding = (sizeof(T) == 4 ? 1e-6 : 1e-15) * scale;
  std::vector<double> columns(made.classes);
  for (Index i = 0; i < made.samples; ++i) {
    double row = 0;
    made.sets().for_each_class(made.labels[i], made.classes, [&](Index k, bool inside) {
      const double entry = static_cast<double>(u[i * stride + k]);
      EXPECT_TRUE(inside ? entry <= 0 : entry >= 0) << entry;
      row += entry;
      columns[k] += entry;
    });
    EXPECT_NEAR(row, 0, rounding);
  }
  for (const double column : columns) EXPECT_NEAR(column, 0, rounding);
}

/// Gradients at scores around `lead` in favour of the right classes, repaired; returns what is left of their size.
template <class T>
double repair(const MadeSets<T>& made, double lead, std::uint32_t seed) {
  auto targets = made.targets();
  targets.normalise();
  const Index stride = padded<T>(made.classes);
  std::vector<T> u(made.samples * stride), a(stride), b(stride);
  Generator generator(seed);
  double size = 0, left = 0;
  for (Index i = 0; i < made.samples; ++i) {
    auto z = draw_scores<T>(generator, made.classes, 0.5);
    for (const Label r : made.of[i]) z[r] += static_cast<T>(lead);
    made.loss().gradient(z.data(), made.classes, made.labels[i], targets.margin(i), targets.weight(i), &u[i * stride]);
  }
  for (const T entry : u) size += std::abs(static_cast<double>(entry));
  make_dual_feasible(made.loss(), targets, u.data(), stride, a.data(), b.data());
  expect_balanced(made, u, size);
  for (const T entry : u) left += std::abs(static_cast<double>(entry));
  return size > 0 ? left / size : 1;
}

TYPED_TEST(Ranking, RepairZeroesTheColumnSums) {
  int repaired = 0;
  const auto check = [&](const MadeSets<TypeParam>& made, double lead, std::uint32_t seed) {
    for (Index k = 0; k < made.classes; ++k)
      if (!made.loss().has_samples(made.targets(), true, k)) return;  // solvers refuse that
    EXPECT_GT(repair(made, lead, seed), 0.05) << "something is left";
    ++repaired;
  };
  for (const Index classes : {3, 5, 12})
    for (std::uint32_t seed = 1; seed <= 8; ++seed)
      for (const double lead : {0.0, 0.5, 0.9}) {
        MadeSets<TypeParam> made(60, 4, classes, seed);
        check(made, lead, seed);
        Generator generator(seed);
        for (Index i = 0; i < made.samples; ++i) made.weights.push_back(static_cast<TypeParam>(generator.draw(4)));
        for (Index i = 0; i < made.samples; ++i)
          made.margins.push_back(static_cast<TypeParam>(0.5 + 0.5 * generator.draw(3)));
        check(made, lead, seed);
      }
  EXPECT_GT(repaired, 60);
}

TEST(RankingRepair, MovesNothingWhereNothingIsToBeMoved) {
  MadeSets<double> made(3, 1, 3, 1);
  made.of = {{0}, {1}, {2}};
  made.number_sets();
  auto targets = made.targets();
  targets.normalise();
  std::vector<double> u(3 * padded<double>(3)), a(4), b(4);
  for (Index i = 0; i < 3; ++i)
    for (Index k = 0; k < 3; ++k) u[i * 4 + k] = k == i ? -0.5 : 0.25;
  const auto before = u;
  make_dual_feasible(made.loss(), targets, u.data(), 4, a.data(), b.data());
  EXPECT_EQ(u, before);
}

TEST(RankingRepair, FindsWaysThroughOtherClasses) {
  // Column 0 has too much and column 1 too little, but no row can lower the one and raise the other: the first two have
  // nothing on 1 that could be taken back, the third has nothing on 0, the fourth neither. Class 2 goes between.
  MadeSets<double> made(4, 1, 3, 1);
  made.of = {{1, 2}, {0, 1}, {1}, {2}};
  made.number_sets();
  auto targets = made.targets();
  targets.normalise();
  std::vector<double> u{0.3, 0, -0.3, 0, -0.1, 0, 0.1, 0, 0, -0.2, 0.2, 0, 0, 0, 0, 0}, a(4), b(4);
  make_dual_feasible(made.loss(), targets, u.data(), 4, a.data(), b.data());
  expect_balanced(made, u, 1);
  double left = 0;
  for (const double entry : u) left += std::abs(entry);
  EXPECT_GT(left, 0.1);
}

TEST(RankingRepair, GivesZeroWhereNoPointIsBalanced) {
  MadeSets<double> made(2, 1, 3, 1);
  made.of = {{0}, {0, 1}};  // nothing ever ranks above 0
  made.number_sets();
  auto targets = made.targets();
  targets.normalise();
  std::vector<double> u{-0.5, 0.25, 0.25, 0, -0.25, -0.25, 0.5, 0}, a(4), b(4);
  make_dual_feasible(made.loss(), targets, u.data(), 4, a.data(), b.data());
  for (const double entry : u) EXPECT_EQ(entry, 0);
}

TEST(RankingSquaredHinge, GuessedInterceptsAreOptimalForSingleLabelsAndFiniteForOthers) {
  for (const Index classes : {2, 3, 5}) {
    MadeSets<double> made(70, 2, classes, classes);
    Generator generator(classes);
    for (Index i = 0; i < made.samples; ++i) made.weights.push_back(2 + generator.draw(3));
    std::vector<double> b(padded<double>(classes)), u(classes), total(classes);
    auto targets = made.targets();
    targets.normalise();
    made.loss().guess_intercepts(targets, b.data());
    for (const double intercept : b) EXPECT_LE(std::abs(intercept), 2);
    for (Index i = 0; i < made.samples; ++i) made.of[i] = {static_cast<Label>(generator.draw(classes))};
    made.number_sets();
    targets = made.targets();
    targets.normalise();
    made.loss().guess_intercepts(targets, b.data());
    for (Index i = 0; i < made.samples; ++i) {
      made.loss().gradient(b.data(), classes, made.labels[i], targets.margin(i), targets.weight(i), u.data());
      for (Index k = 0; k < classes; ++k) total[k] += u[k];
    }
    for (const double slope : total) EXPECT_NEAR(slope, 0, 1e-14);
  }
}

// ---- the doors -----------------------------------------------------------------------------------------------------

Status status_of(const MadeSets<double>& made, const LabelSets& sets, bool intercept) {
  return tamis::testing::run<Fista<double, RankingSquaredHinge, L1>, double>(
             made.design(), made.targets(), RankingSquaredHinge{sets}, L1{}, {.lambda = 0.1, .intercept = intercept})
      .fit.status;
}

TEST(RankingDoor, RefusesWrongSets) {
  MadeSets<double> made(4, 2, 3, 1);
  made.of = {{0}, {1, 2}, {2}, {0, 2}};
  made.number_sets();
  EXPECT_EQ(status_of(made, made.sets(), true), Status::converged);
  LabelSets sets = made.sets();
  sets.count = 3;
  EXPECT_EQ(status_of(made, sets, true), Status::invalid_label) << "a label of no set";
  auto members = made.members;
  members.back() = 3;
  EXPECT_EQ(status_of(made, {made.starts.data(), members.data(), 4}, true), Status::invalid_label) << "no class";
  members = {0, 2, 0, 1, 2, 2};  // the sets are {0}, {0, 2}, {1, 2}, {2}
  EXPECT_EQ(status_of(made, {made.starts.data(), members.data(), 4}, true), Status::invalid_label) << "not ascending";
  members = {0, 0, 0, 1, 2, 2};
  EXPECT_EQ(status_of(made, {made.starts.data(), members.data(), 4}, true), Status::invalid_label) << "twice";
}

TEST(RankingDoor, NeedsSamplesOnBothSidesOfEachInterceptAlone) {
  for (const bool none : {true, false}) {
    MadeSets<double> made(5, 2, 3, 1);
    if (none) made.of = {{0}, {1}, {0}, {1}, {0, 1, 2}};                 // 2 in no set with pairs
    else made.of = {{0, 2}, {1, 2}, {0, 2}, {2}, std::vector<Label>{}};  // 2 in all of them
    made.number_sets();
    EXPECT_EQ(status_of(made, made.sets(), true), Status::missing_class);
    EXPECT_EQ(status_of(made, made.sets(), false), Status::converged);
    made.of[3] = none ? std::vector<Label>{2} : std::vector<Label>{0, 1};
    made.number_sets();
    EXPECT_EQ(status_of(made, made.sets(), true), Status::converged);
    made.weights = {1, 1, 1, 0, 1};
    EXPECT_EQ(status_of(made, made.sets(), true), Status::missing_class) << "without weight it does not count";
  }
}

template <class T>
using AnyRanking = core::Training<T>;

template <class T, class Solver, class Penalty>
void expect_same_bits(const MadeSets<T>& made, const ProblemSpec& choice, Penalty penalty) {
  const Options<T> options{.lambda = T(0.02), .tolerance = T(1e-3), .max_iterations = 200};
  const auto design = made.design();
  tamis::testing::GuardedMemory memory(AnyRanking<T>::requirement(choice, made.shape()).bytes);
  AnyRanking<T> any(choice, AnyDesign<T>(design), made.targets(), options, {},
                    AnyMultilabelLoss<T>(choice.loss, made.sets()));
  any.start(memory.span());
  while (any.step()) {
  }
  const auto direct = tamis::testing::run<Solver, T>(design, made.targets(), made.loss(), penalty, options);
  ASSERT_TRUE(has_model(direct.fit.status)) << name(direct.fit.status);
  const auto* first = any.model().coefficients;
  EXPECT_EQ(std::vector<T>(first, first + direct.coefficients().size()), direct.coefficients());
  EXPECT_EQ(any.report().objective, direct.fit.objective);
  EXPECT_EQ(any.report().dual_objective, direct.fit.dual_objective);
  EXPECT_EQ(any.report().iterations, direct.fit.iterations);
}

TEST(AnyMultilabelLoss, GivesTheBitsOfTheDirectDoor) {
  const MadeSets<float> made(60, 9, 6, 4);
  constexpr LossKind loss = LossKind::ranking_squared_hinge;
  expect_same_bits<float, Fista<float, RankingSquaredHinge, L1>>(made, {loss, PenaltyKind::l1}, L1{});
  expect_same_bits<float, Fista<float, RankingSquaredHinge, GroupL2>>(made, {loss, PenaltyKind::group_l2}, GroupL2{});
  expect_same_bits<float, Fista<float, RankingSquaredHinge, Ridge>>(made, {loss, PenaltyKind::ridge}, Ridge{});
  expect_same_bits<float, as_printed::FistaPrintedStep<float, RankingSquaredHinge, L1>>(
      made, {loss, PenaltyKind::l1, {}, SolverKind::fista_constant_step_as_printed}, L1{});
  expect_same_bits<float, as_printed::ForwardBackward<float, RankingSquaredHinge, L1>>(
      made, {loss, PenaltyKind::l1, {}, SolverKind::forward_backward}, L1{});
}

TEST(AnyMultilabelLoss, LeavesTheOtherLossesTheirBits) {
  const Made<float> made(60, 9, 4, 3);
  const auto design = made.design();
  for (const LossKind loss :
       {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic, LossKind::one_vs_rest_squared_hinge}) {
    const ProblemSpec choice{
        loss, PenaltyKind::l1, {}, loss == LossKind::hinge ? SolverKind::primal_dual : SolverKind::fista};
    const auto result = [&]<class Any>() {
      tamis::testing::GuardedMemory memory(Any::requirement(choice, made.shape()).bytes);
      Any any(choice, AnyDesign<float>(design), made.targets(), {.lambda = 0.02f, .max_iterations = 200});
      any.start(memory.span());
      while (any.step()) {
      }
      const auto* first = any.model().coefficients;
      std::vector<float> out(first, first + 10 * padded<float>(4));
      out.push_back(any.report().objective);
      out.push_back(any.report().dual_objective);
      return out;
    };
    using Without = AnyTrainingOf<float, AnyLoss<float>, PrimalDual, Fista>;
    EXPECT_EQ(result.operator()<core::Training<float>>(), result.operator()<Without>());
  }
}

TEST(AnyMultilabelLoss, StreamsLearnFromTheGradientOfTheLoss) {
  const Index classes = 4;
  const AllSets all(classes);
  const AnyMultilabelLoss<double> any(LossKind::ranking_squared_hinge, all.loss().sets);
  const AnyMultilabelLoss<double> hinge(LossKind::hinge);
  Generator generator(7);
  for (int round = 0; round < 100; ++round) {
    const auto y = static_cast<Label>(generator.draw(all.count()));
    const auto z = draw_scores<double>(generator, classes, 2);
    std::vector<double> u(classes), expected(classes);
    const double loss = tamis::detail::stream_gradient(any, z.data(), classes, y, 0.7, 3.0, u.data());
    EXPECT_EQ(loss, all.loss().gradient(z.data(), classes, y, 0.7, 3.0, expected.data()));
    EXPECT_EQ(u, expected);
    const auto label = static_cast<Label>(y % classes);
    EXPECT_EQ(tamis::detail::stream_gradient(hinge, z.data(), classes, label, 0.7, 3.0, u.data()),
              Hinge{}.subgradient(z.data(), classes, label, 0.7, 3.0, expected.data()));
    EXPECT_EQ(u, expected);
  }
}

TEST(AnyMultilabelLoss, IsWhatRankingNeeds) {
  const MadeSets<double> made(40, 3, 4, 2);
  const auto design = made.design();
  const ProblemSpec choice{LossKind::ranking_squared_hinge, PenaltyKind::l1};
  AnyTrainingOf<double, AnyLoss<double>, Fista> without(choice, AnyDesign<double>(design), made.targets(),
                                                        {.lambda = 0.1});
  EXPECT_FALSE(without.start({}));
  EXPECT_EQ(without.report().status, Status::invalid_option) << "the loss is not in this build";
  core::Training<double> hinge_solver({LossKind::ranking_squared_hinge, PenaltyKind::l1, {}, SolverKind::primal_dual},
                                      AnyDesign<double>(design), made.targets(), {.lambda = 0.1});
  EXPECT_EQ(hinge_solver.report().status, Status::invalid_combination);
}

}  // namespace
