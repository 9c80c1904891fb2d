// Blondel et al.'s (2013) algorithms against what the paper says, done anew from scratch at each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"
#include "tamis/solver/as_printed/line_search.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"

namespace {

using namespace tamis;
using tamis::testing::Compressed;
using tamis::testing::Generator;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

// ---- losses and penalties

TEST(SecondDerivatives, EqualDifferencesOfTheGradient) {
  Generator generator(7);
  const auto check = [&](const auto& loss, const auto& any) {
    for (int round = 0; round < 100; ++round) {
      const Index classes = 2 + generator.draw(6);
      const auto y = static_cast<Label>(generator.draw(classes));
      std::vector<double> z(classes), u(classes), h(classes), of_any(classes), up(classes), down(classes);
      for (double& score : z) score = 2 * generator.uniform() + 1e-4;  // off the kinks: those are multiples of 1/512
      loss.gradient(z.data(), classes, y, 1.0, 3.0, u.data());
      loss.second_derivatives(u.data(), classes, y, 3.0, h.data());
      any.second_derivatives(u.data(), classes, y, 3.0, of_any.data());
      EXPECT_EQ(h, of_any);
      double largest_sum = 0;
      for (Index k = 0; k < classes; ++k) {
        const double step = 1e-6;
        auto there = z;
        there[k] += step;
        loss.gradient(there.data(), classes, y, 1.0, 3.0, up.data());
        there[k] -= 2 * step;
        loss.gradient(there.data(), classes, y, 1.0, 3.0, down.data());
        const bool kinked = std::abs(z[k] - z[y]) > 0.999 && std::abs(z[k] - z[y]) < 1.001;
        if (!kinked && k != y) {
          EXPECT_NEAR(h[k], (up[k] - down[k]) / (2 * step), 1e-6);
        }
        largest_sum += h[k];
      }
      EXPECT_GE(largest_sum, 0);
    }
  };
  check(SquaredHinge{}, AnyLoss<double>(LossKind::squared_hinge));
  check(OneVsRestSquaredHinge{}, AnyLoss<double>(LossKind::one_vs_rest_squared_hinge));
  check(Logistic{}, AnyLoss<double>(LossKind::logistic));
}

TEST(SecondDerivatives, OfTheLabelEqualDifferencesOfTheGradient) {
  const double z[] = {0.3, -0.2, 1.1, 0.15};
  const auto check = [&](const auto& loss) {
    for (Label y = 0; y < 4; ++y) {
      double u[4], h[4], up[4], down[4], there[4];
      loss.gradient(z, 4, y, 1.0, 2.0, u);
      loss.second_derivatives(u, 4, y, 2.0, h);
      std::copy_n(z, 4, there);
      there[y] += 1e-6;
      loss.gradient(there, 4, y, 1.0, 2.0, up);
      there[y] -= 2e-6;
      loss.gradient(there, 4, y, 1.0, 2.0, down);
      EXPECT_NEAR(h[y], (up[y] - down[y]) / 2e-6, 1e-6);
    }
  };
  check(SquaredHinge{});
  check(OneVsRestSquaredHinge{});
  check(Logistic{});
}

/// At w = prox(v) the row is optimal for g = w − v; away from there the violation is between the length of the proximal
/// step and the distance of g from such a gradient.
template <class P>
void expect_violation(const P& penalty) {
  Generator generator(3);
  const double lambda = 0.4;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> v(4), w(4), g(4), other(4), moved(4);
    for (Index k = 0; k < 3; ++k) v[k] = generator.uniform() * (round % 3 == 0 ? 0.4 : 2);
    w = v;
    penalty.prox(Rows<double>{w.data(), 1, 3, 4}, lambda);
    double apart = 0, step = 0;
    for (Index k = 0; k < 3; ++k) g[k] = w[k] - v[k];
    const auto terms = as_printed::row_terms(penalty, Index(0), lambda);
    EXPECT_NEAR(as_printed::row_violation(terms, w.data(), g.data(), 3), 0, 1e-12);
    for (Index k = 0; k < 3; ++k) {
      const double e = 0.3 * generator.uniform();
      other[k] = g[k] + e;
      apart += e * e;
      moved[k] = w[k] - other[k];
    }
    penalty.prox(Rows<double>{moved.data(), 1, 3, 4}, lambda);
    for (Index k = 0; k < 3; ++k) step += (moved[k] - w[k]) * (moved[k] - w[k]);
    const double violation = as_printed::row_violation(terms, w.data(), other.data(), 3);
    EXPECT_LE(violation, std::sqrt(apart) + 1e-12);
    EXPECT_GE(violation, std::sqrt(step) - 1e-12);
  }
}
TEST(Violation, IsTheDistanceToTheSubdifferential) {
  expect_violation(L1{});
  expect_violation(Ridge{});
  expect_violation(ElasticNet<double>{0.3});
  expect_violation(GroupL2{});
  expect_violation(SparseGroup<double>{Groups::rows(), {0.3}});
  const double weights[] = {0.5, 2, 1, 0};
  expect_violation(WeightedL1<double>{weights, 4});
}
TEST(Violation, IsNotThatOfEquation9) {
  const double w[] = {1, 0}, g[] = {0, 0.4};  // ‖g‖ = λ, and yet w is not optimal
  EXPECT_NEAR(as_printed::row_violation(as_printed::row_terms(GroupL2{}, Index(0), 0.4), w, g, 2), 0.4 * std::sqrt(2.0),
              1e-15);
}

// ---- the algorithms, without their implementation

/// Squared hinge with group-ℓ2 rows, no intercept, by the formulas of the paper.
struct ByHand {
  const Made<double>& made;
  double lambda;
  std::size_t p = made.features, K = made.classes;
  using Matrix = std::vector<double>;  // p × K

  Matrix zeros() const { return Matrix(p * K); }
  double violation(const Matrix& W, Index i, Index r) const {  // A(W)_ir
    double a = 1;
    for (std::size_t j = 0; j < p; ++j)
      a -= (W[j * K + made.labels[i]] - W[j * K + r]) * made.values[i + j * made.samples];
    return a;
  }
  double loss(const Matrix& W) const {
    double total = 0;
    for (Index i = 0; i < made.samples; ++i)
      for (Index r = 0; r < K; ++r)
        if (r != made.labels[i]) total += std::pow(std::max(violation(W, i, r), 0.0), 2);
    return total / made.samples;
  }
  double norm(const double* row) const {
    double square = 0;
    for (std::size_t k = 0; k < K; ++k) square += row[k] * row[k];
    return std::sqrt(square);
  }
  double objective(const Matrix& W) const {
    double total = 0;
    for (std::size_t j = 0; j < p; ++j) total += norm(&W[j * K]);
    return loss(W) + lambda * total;
  }
  /// Equations (5) and (6).
  Matrix gradient(const Matrix& W, Matrix* h = nullptr) const {
    Matrix G = zeros();
    if (h) *h = zeros();
    for (Index i = 0; i < made.samples; ++i)
      for (Index r = 0; r < K; ++r) {
        const Label y = made.labels[i];
        const double a = violation(W, i, r);
        if (r == y || !(a > 0)) continue;
        for (std::size_t j = 0; j < p; ++j) {
          const double x = made.values[i + j * made.samples];
          G[j * K + y] -= 2 * a * x / made.samples;
          G[j * K + r] += 2 * a * x / made.samples;
          if (!h) continue;
          (*h)[j * K + y] += 2 * x * x / made.samples;
          (*h)[j * K + r] += 2 * x * x / made.samples;
        }
      }
    return G;
  }
  /// prox_{λ/L}(W_j − G_j/L)
  std::vector<double> target(const double* w, const double* g, double L) const {
    std::vector<double> v(K);
    for (std::size_t k = 0; k < K; ++k) v[k] = w[k] - g[k] / L;
    const double size = norm(v.data());
    for (double& entry : v) entry *= std::max(1 - lambda / L / size, 0.0);
    return v;
  }
  double violation_of_row(const double* w, const double* g) const {
    const double size = norm(w);
    if (size == 0) return std::max(norm(g) - lambda, 0.0);
    std::vector<double> sum(K);
    for (std::size_t k = 0; k < K; ++k) sum[k] = g[k] + lambda * w[k] / size;
    return norm(sum.data());
  }

  struct Descent {
    Matrix W;
    std::vector<double> sums, tops;  // of the violations of each pass
    int halvings = 0;
  };
  Descent descend(int passes, bool line_search, std::uint64_t seed) const {
    Descent out{zeros(), {}, {}, 0};
    Draws draws(seed);
    for (int pass = 0; pass < passes; ++pass) {
      double sum = 0, top = 0;
      for (std::size_t l = 0; l < p; ++l) {
        const std::size_t j = line_search ? l : draws.next(static_cast<Index>(p));
        Matrix h;
        const Matrix G = gradient(out.W, &h);
        double* w = &out.W[j * K];
        double L = 0;
        if (line_search) L = *std::max_element(&h[j * K], &h[j * K] + K);
        else
          for (Index i = 0; i < made.samples; ++i)
            L += 4.0 * static_cast<double>(K - 1) / made.samples * std::pow(made.values[i + j * made.samples], 2);
        const double v = violation_of_row(w, &G[j * K]);
        sum += v;
        top = std::max(top, v);
        const auto next = target(w, &G[j * K], L);
        const std::vector<double> from(w, w + K);
        const double before = objective(out.W);
        double model = lambda * (norm(next.data()) - norm(w));
        for (std::size_t k = 0; k < K; ++k) model += G[j * K + k] * (next[k] - from[k]);
        for (double alpha = 1;; alpha /= 2, ++out.halvings) {
          for (std::size_t k = 0; k < K; ++k) w[k] = from[k] + alpha * (next[k] - from[k]);
          if (!line_search || objective(out.W) - before <= 0.01 * alpha * model + 1e-15) break;
        }
      }
      out.sums.push_back(sum);
      out.tops.push_back(top);
    }
    return out;
  }

  Matrix step(const Matrix& from, const Matrix& G, double L) const {
    Matrix out;
    for (std::size_t j = 0; j < p; ++j)
      for (const double entry : target(&from[j * K], &G[j * K], L)) out.push_back(entry);
    return out;
  }
  double square(const Matrix& a, const Matrix& b) const {
    double total = 0;
    for (std::size_t e = 0; e < a.size(); ++e) total += (a[e] - b[e]) * (a[e] - b[e]);
    return total;
  }
  double first_curvature() const { return square(gradient(zeros()), zeros()) / (2 * loss(zeros())); }
  Matrix fista(int iterations) const {
    Matrix x = zeros(), y = zeros();
    double L = first_curvature(), t = 1;
    while (iterations-- > 0) {
      const Matrix G = gradient(y);
      Matrix next;
      for (;; L *= 2) {
        next = step(y, G, L);
        double model = loss(y) + L / 2 * square(next, y);
        for (std::size_t e = 0; e < y.size(); ++e) model += G[e] * (next[e] - y[e]);
        if (loss(next) <= model) break;
      }
      const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
      for (std::size_t e = 0; e < y.size(); ++e) y[e] = next[e] + (t - 1) / next_t * (next[e] - x[e]);
      x = next;
      t = next_t;
    }
    return x;
  }
  Matrix sparsa(int iterations, bool& climbed) const {
    Matrix x = zeros(), G = gradient(x);
    std::vector<double> history{objective(x)};
    double a = first_curvature();
    while (iterations-- > 0) {
      const double highest = *std::max_element(history.end() - std::min<long>(6, long(history.size())), history.end());
      Matrix next;
      for (;; a *= 2) {
        next = step(x, G, a);
        if (objective(next) <= highest - 0.01 * a / 2 * square(next, x)) break;
      }
      const Matrix there = gradient(next);
      double product = 0;
      for (std::size_t e = 0; e < x.size(); ++e) product += (next[e] - x[e]) * (there[e] - G[e]);
      a = product / square(next, x);
      climbed |= objective(next) > history.back();
      history.push_back(objective(next));
      x = next;
      G = there;
    }
    return x;
  }
};

/// A solver that has been run to its end, and the memory of its model.
template <class Solver>
struct Ended {
  std::unique_ptr<GuardedMemory> memory;
  Solver solver;
};
template <class Solver, class T, class Design, class Set>
Ended<Solver> ended(const Design& design, const Targets<T>& targets, const Options<T>& options, Set set) {
  const Shape shape{targets.samples(), design.features(), targets.classes};
  Ended<Solver> out{std::make_unique<GuardedMemory>(Solver::requirement(shape).bytes),
                    Solver(design, targets, {}, {}, options)};
  set(out.solver);
  out.solver.start(out.memory->span());
  while (out.solver.step()) {
  }
  return out;
}
constexpr auto as_it_is = [](auto&) {};

template <class T, class P = GroupL2, class D = DenseDesign<T>, class L = SquaredHinge>
using LineSearch = as_printed::BcdLineSearch<T, L, P, D>;
template <class T, class P = GroupL2, class D = DenseDesign<T>, class L = SquaredHinge>
using ConstantStep = as_printed::BcdConstantStep<T, L, P, D>;
using Fista2 = as_printed::FistaLineSearch<double, SquaredHinge, GroupL2>;
using Sparsa = as_printed::Sparsa<double, SquaredHinge, GroupL2>;

void expect_coefficients(const LinearModel<double>& model, const std::vector<double>& W, double within) {
  for (Index j = 0; j < model.features; ++j)
    for (Index k = 0; k < model.classes; ++k) EXPECT_NEAR(model(j, k), W[j * model.classes + k], within) << j;
}

TEST(AsPrinted, IterationsAreThoseOfThePaper) {
  const Made<double> made(24, 6, 3, 11);
  const ByHand hand{made, 0.03};
  Options<double> options{.lambda = 0.03, .tolerance = 1e-12, .max_iterations = 7, .intercept = false};
  for (const Index classes : {2, 3}) {
    const Made<double> other(24, 6, classes, 11);
    const auto searched = ByHand{other, 0.03}.descend(7, true, 0);
    EXPECT_EQ(searched.halvings > 0, classes == 2);
    expect_coefficients(ended<LineSearch<double>>(other.design(), other.targets(), options, as_it_is).solver.model(),
                        searched.W, 1e-12);
  }
  const auto constant = hand.descend(7, false, 5);
  const auto seeded = [](auto& solver) { solver.set_seed(5); };
  expect_coefficients(ended<ConstantStep<double>>(made.design(), made.targets(), options, seeded).solver.model(),
                      constant.W, 1e-12);
  options.max_iterations = 25;
  expect_coefficients(ended<Fista2>(made.design(), made.targets(), options, as_it_is).solver.model(), hand.fista(25),
                      1e-11);
  bool climbed = false;
  const auto found = hand.sparsa(25, climbed);
  EXPECT_TRUE(climbed) << "acceptance is not monotone";
  expect_coefficients(ended<Sparsa>(made.design(), made.targets(), options, as_it_is).solver.model(), found, 1e-9);
}

TEST(AsPrinted, TheLineSearchIsNeeded) {
  // With d = w₀ − w₁, F = ¾(10 − d)₊² + ¼(10 + d)₊² has twice the curvature of its largest second derivative: the whole
  // step leads to d = 10, as high as d = 0, and half of it to the minimum.
  const double x[] = {1, 1}, weights[] = {3, 1};
  const Label labels[] = {0, 1};
  const DenseDesign<double> design(x, 2, 1);
  const Targets<double> targets{labels, 2, weights};
  const auto run = ended<LineSearch<double, L1>>(
      design, targets, {.lambda = 0, .max_iterations = 1, .margin = 10, .intercept = false}, as_it_is);
  EXPECT_DOUBLE_EQ(run.solver.report().objective, 75);
  EXPECT_DOUBLE_EQ(run.solver.model()(0, 0), 2.5);
}

TEST(AsPrinted, EndsByTheViolationsOfEquation10) {
  const Made<double> made(24, 6, 3, 11);
  const ByHand hand{made, 0.03};
  const Options<double> options{.lambda = 0.03, .tolerance = 1e-9, .intercept = false};
  for (const bool search : {true, false}) {
    const auto passes = hand.descend(60, search, 0);
    for (const StoppingRule rule : {StoppingRule::violation_sum, StoppingRule::violation_max})
      for (const double threshold : {0.5, 0.05}) {
        const auto& seen = rule == StoppingRule::violation_sum ? passes.sums : passes.tops;
        const auto first = std::find_if(seen.begin(), seen.end(), [&](double v) { return v < threshold * seen[0]; });
        ASSERT_NE(first, seen.end());
        const auto expect = [&](const auto& solver) {
          EXPECT_EQ(solver.report().iterations, first - seen.begin() + 1);
          EXPECT_EQ(solver.report().status, Status::stopped);
          EXPECT_EQ(solver.certificates(), 1u) << "at the end alone";
          EXPECT_GT(solver.report().relative_gap, 1e-9);
        };
        const auto set = [&](auto& solver) { solver.set_stopping({rule, threshold}); };
        if (search) expect(ended<LineSearch<double>>(made.design(), made.targets(), options, set).solver);
        else expect(ended<ConstantStep<double>>(made.design(), made.targets(), options, set).solver);
      }
  }
  const auto far = [](auto& solver) { solver.set_stopping({StoppingRule::violation_sum, 1e-7}); };
  const auto run = ended<LineSearch<double>>(made.design(), made.targets(),
                                             {.lambda = 0.03, .tolerance = 1e-4, .intercept = false}, far);
  EXPECT_EQ(run.solver.report().status, Status::converged) << "the gap has the last word";
  EXPECT_EQ(run.solver.certificates(), 1u);
}

TEST(AsPrinted, EndsByTheChangeOfTheIterates) {
  const Made<double> made(40, 8, 3, 2);
  const Options<double> options{.lambda = 0.02, .tolerance = 1e-12};
  const auto set = [](auto& solver) { solver.set_stopping({StoppingRule::iterates, 1e-3}); };
  using Forward = as_printed::ForwardBackward<double, SquaredHinge, L1>;
  const auto run = ended<Forward>(made.design(), made.targets(), options, set);
  EXPECT_EQ(run.solver.report().status, Status::stopped);
  EXPECT_EQ(run.solver.certificates(), 1u);
  const auto iterate = [&](std::uint32_t number) {  // its objectives fall: the best model is the last
    Options<double> limited = options;
    limited.max_iterations = number;
    const auto part = ended<Forward>(made.design(), made.targets(), limited, as_it_is);
    const double* first = part.solver.model().coefficients;
    return std::vector<double>(first, first + 9 * padded<double>(3));
  };
  const auto change = [&](std::uint32_t number) {
    const auto now = iterate(number), before = iterate(number - 1);
    double moved = 0, size = 0;
    for (std::size_t e = 0; e < now.size(); ++e) {
      moved += (now[e] - before[e]) * (now[e] - before[e]);
      size += now[e] * now[e];
    }
    return std::sqrt(moved / size);
  };
  const auto last = run.solver.report().iterations;
  EXPECT_LE(change(last), 1e-3);
  EXPECT_GT(change(last - 1), 1e-3);

  const auto others = [&]<class Solver>(double loose, double tight) {
    double gap = 1e9;
    std::uint32_t iterations = 0;
    for (const double threshold : {loose, tight}) {
      const auto by = [&](auto& solver) { solver.set_stopping({StoppingRule::iterates, threshold}); };
      const auto other = ended<Solver>(made.design(), made.targets(), options, by);
      EXPECT_EQ(other.solver.report().status, Status::stopped);
      EXPECT_EQ(other.solver.certificates(), 1u);
      EXPECT_GT(other.solver.report().iterations, iterations);
      EXPECT_LT(other.solver.report().relative_gap, gap);
      gap = other.solver.report().relative_gap;
      iterations = other.solver.report().iterations;
    }
    EXPECT_LT(gap, 0.05);
  };
  others.operator()<as_printed::PrimalDual<double, Hinge, L1>>(1e-2, 1e-5);
  others.operator()<as_printed::FistaConstantStep<double, Logistic, L1>>(1e-2, 1e-5);
  others.operator()<as_printed::FistaLineSearch<double, Logistic, L1>>(1e-2, 1e-5);
  others.operator()<as_printed::Sparsa<double, Logistic, L1>>(1e-1, 1e-5);
}

TEST(AsPrinted, StoppedByHandTheReportIsThatOfTheModel) {
  const Made<double> made(30, 6, 3, 4);
  const auto check = [&]<class Solver>(StoppingRule rule, auto loss) {
    GuardedMemory memory(Solver::requirement(made.shape()).bytes);
    Solver solver(made.design(), made.targets(), {}, {}, {.lambda = 0.02, .tolerance = 1e-9});
    solver.set_stopping({rule, 1e-6});
    ASSERT_TRUE(solver.start(memory.span()));
    EXPECT_NEAR(solver.report().objective, tamis::testing::objective(made, solver.model(), loss, GroupL2{}, 0.02),
                1e-12);
    const double start = solver.report().objective;
    while (solver.report().iterations < 5) ASSERT_TRUE(solver.step());
    EXPECT_EQ(solver.certificates(), 0u) << "none on the way";
    solver.stop();
    EXPECT_EQ(solver.report().status, Status::stopped);
    EXPECT_LT(solver.report().objective, start);
    EXPECT_NEAR(solver.report().objective, tamis::testing::objective(made, solver.model(), loss, GroupL2{}, 0.02),
                1e-12);
    EXPECT_GT(solver.report().relative_gap, 0);
    EXPECT_FALSE(solver.step());
  };
  check.operator()<LineSearch<double>>(StoppingRule::violation_max, SquaredHinge{});
  check.operator()<Sparsa>(StoppingRule::iterates, SquaredHinge{});
}

TEST(AsPrinted, SparseIsDense) {
  Made<double> made(60, 9, 4, 6);
  for (std::size_t e = 0; e < made.values.size(); ++e)
    if (e % 3) made.values[e] = 0;
  made.weights.assign(60, 1);
  for (Index i = 0; i < 60; i += 4) made.weights[i] = 2.5;
  const Compressed<double> compressed(made.design());
  const Options<double> options{.lambda = 0.03, .tolerance = 1e-4};
  const auto check = [&]<class Dense, class Sparse>() {
    const auto dense = ended<Dense>(made.design(), made.targets(), options, as_it_is);
    const auto sparse = ended<Sparse>(compressed.design(), made.targets(), options, as_it_is);
    EXPECT_EQ(dense.solver.report().status, Status::converged);
    EXPECT_EQ(dense.solver.report().iterations, sparse.solver.report().iterations);
    EXPECT_NEAR(dense.solver.report().objective, sparse.solver.report().objective, 1e-12);
    for (Index j = 0; j < 9; ++j)
      for (Index k = 0; k < 4; ++k) EXPECT_NEAR(dense.solver.model()(j, k), sparse.solver.model()(j, k), 1e-9);
  };
  using S = SparseDesign<double>;
  check.operator()<LineSearch<double>, LineSearch<double, GroupL2, S>>();
  check.operator()<ConstantStep<double>, ConstantStep<double, GroupL2, S>>();
  check.operator()<as_printed::FistaLineSearch<double, Logistic, GroupL2>,
                   as_printed::FistaLineSearch<double, Logistic, GroupL2, S>>();
  check.operator()<as_printed::Sparsa<double, OneVsRestSquaredHinge, GroupL2>,
                   as_printed::Sparsa<double, OneVsRestSquaredHinge, GroupL2, S>>();
}

TEST(AsPrinted, ColumnsLongerThanABlockOfSamples) {
  const Made<double> made(600, 3, 3, 8);
  const Options<double> options{.lambda = 0.02, .tolerance = 1e-7};
  const auto best = tamis::testing::run_default(made, SquaredHinge{}, GroupL2{}, options);
  const auto run = ended<LineSearch<double>>(made.design(), made.targets(), options, as_it_is);
  EXPECT_EQ(run.solver.report().status, Status::converged);
  EXPECT_NEAR(run.solver.report().objective, best.fit.objective, 2e-7 * best.fit.objective);
}

TEST(AsPrinted, SeedsAreReproducible) {
  const Made<float> made(40, 12, 3, 9);
  const auto coefficients = [&](std::uint64_t seed, std::uint32_t passes) {
    const auto run = ended<ConstantStep<float, L1>>(
        made.design(), made.targets(), Options<float>{.lambda = 0.02f, .tolerance = 1e-4f, .max_iterations = passes},
        [=](auto& solver) { solver.set_seed(seed); });
    const float* first = run.solver.model().coefficients;
    return std::pair(std::vector<float>(first, first + 13 * padded<float>(3)), run.solver.report());
  };
  EXPECT_EQ(coefficients(1, 20).first, coefficients(1, 20).first);
  EXPECT_NE(coefficients(1, 20).first, coefficients(2, 20).first);
  EXPECT_NE(coefficients(1, 20).first, coefficients(1 + (std::uint64_t(1) << 40), 20).first) << "all bits count";
  const auto one = coefficients(1, 100000).second, two = coefficients(2, 100000).second;
  EXPECT_EQ(one.status, Status::converged);
  EXPECT_NEAR(one.objective, two.objective, 1e-4f * one.objective);
}

template <class Solver>
void expect_shrinking_changes_only_the_work(const Made<double>& made, double lambda) {
  for (const StoppingRule rule : {StoppingRule::gap, StoppingRule::violation_max}) {
    const Options<double> options{.lambda = lambda, .tolerance = 1e-5, .max_iterations = 20000};
    const auto whole = ended<Solver>(made.design(), made.targets(), options, [=](auto& solver) {
      solver.set_stopping({rule, 1e-6});
    });
    const auto shrunk = ended<Solver>(made.design(), made.targets(), options, [=](auto& solver) {
      solver.set_stopping({rule, 1e-6});
      solver.set_shrinking(true);
    });
    const auto &a = whole.solver.report(), &b = shrunk.solver.report();
    EXPECT_EQ(a.status, Status::converged);
    EXPECT_EQ(b.status, Status::converged);
    EXPECT_NEAR(a.objective, b.objective, 2e-5 * a.objective);
    EXPECT_LT(a.nonzero_rows, made.features / 2);
    EXPECT_LT(b.epochs / b.iterations, 0.9 * a.epochs / a.iterations) << "rows have been left out";
  }
}
TEST(AsPrinted, ShrinkingChangesOnlyTheWork) {
  const Made<double> made(80, 60, 3, 5);
  expect_shrinking_changes_only_the_work<LineSearch<double>>(made, 0.3);
  expect_shrinking_changes_only_the_work<ConstantStep<double>>(made, 0.3);
  expect_shrinking_changes_only_the_work<LineSearch<double, GroupLinf>>(made, 0.3);
  expect_shrinking_changes_only_the_work<LineSearch<double, L1, DenseDesign<double>, Logistic>>(made, 0.05);
}

TEST(AsPrinted, ShrinkingEndsWithAPassOverAllRows) {
  const Made<double> made(80, 60, 3, 5);
  using Solver = LineSearch<double>;
  GuardedMemory memory(Solver::requirement(made.shape()).bytes);
  Solver solver(made.design(), made.targets(), {}, {}, {.lambda = 0.4, .tolerance = 1e-9});
  solver.set_stopping({StoppingRule::violation_sum, 1e-4});
  solver.set_shrinking(true);
  solver.start(memory.span());
  std::vector<double> work;  // a look at all rows is half an epoch
  for (bool more = true; more;) {
    const double before = solver.report().epochs;
    more = solver.step();
    work.push_back(solver.report().epochs - before);
  }
  work.back() -= 1;  // the certificate
  EXPECT_EQ(work.size(), solver.report().iterations);
  EXPECT_LT(*std::min_element(work.begin(), work.end()), 0.4) << "rows have been left out";
  EXPECT_GE(work.back(), 0.5 - 1e-9);
}

TEST(AsPrinted, ConvergesInFloat) {
  const Made<float> made(120, 20, 4, 3);
  const auto check = [&]<class Solver>() {
    const auto run =
        ended<Solver>(made.design(), made.targets(), Options<float>{.lambda = 0.02f, .tolerance = 1e-4f}, as_it_is);
    EXPECT_EQ(run.solver.report().status, Status::converged);
  };
  check.operator()<LineSearch<float>>();
  check.operator()<LineSearch<float, L1>>();
  check.operator()<LineSearch<float, L1, DenseDesign<float>, OneVsRestSquaredHinge>>();
  check.operator()<ConstantStep<float, GroupLinf, DenseDesign<float>, Logistic>>();
  check.operator()<as_printed::FistaLineSearch<float, SquaredHinge, L1>>();
  check.operator()<as_printed::FistaLineSearch<float, OneVsRestSquaredHinge, L1>>();
  check.operator()<as_printed::Sparsa<float, SquaredHinge, ElasticNet<float>>>();
}

TEST(AsPrinted, RefusesWhatItDoesNotHave) {
  const Made<double> made(20, 6, 3, 1);
  const auto status = [&]<class Solver>(auto penalty, auto set) {
    GuardedMemory memory(Solver::requirement(made.shape()).bytes);
    Solver solver(made.design(), made.targets(), {}, penalty, {.lambda = 0.1});
    set(solver);
    EXPECT_FALSE(solver.start(memory.span()));
    EXPECT_TRUE(memory.untouched());
    return solver.report().status;
  };
  const auto rule = [](StoppingRule of, double threshold) {
    return [=](auto& solver) { solver.set_stopping({of, threshold}); };
  };
  EXPECT_EQ(status.operator()<LineSearch<double>>(GroupL2{Groups::blocks(2)}, as_it_is), Status::invalid_combination);
  EXPECT_EQ(status.operator()<ConstantStep<double>>(GroupL2{Groups::blocks(1)}, as_it_is), Status::invalid_combination);
  const Index order[] = {0, 1, 2, 3, 4, 5}, starts[] = {0, 3, 6};
  EXPECT_EQ(status.operator()<LineSearch<double>>(GroupL2{Groups::listed(order, starts, 2)}, as_it_is),
            Status::invalid_combination);
  EXPECT_EQ(status.operator()<LineSearch<double>>(GroupL2{}, rule(StoppingRule::iterates, 1e-3)),
            Status::invalid_option);
  for (const double threshold : {0.0, -1.0, std::nan(""), 1.0 / 0.0})
    EXPECT_EQ(status.operator()<LineSearch<double>>(GroupL2{}, rule(StoppingRule::violation_sum, threshold)),
              Status::invalid_option);
  EXPECT_EQ(status.operator()<Sparsa>(GroupL2{}, rule(StoppingRule::violation_sum, 1e-3)), Status::invalid_option);
  EXPECT_EQ(status.operator()<Fista2>(GroupL2{}, rule(StoppingRule::iterates, 0)), Status::invalid_option);
  const auto shrinking = [](auto& solver) { solver.set_shrinking(true); };
  EXPECT_EQ((status.operator()<LineSearch<double, Ridge>>(Ridge{}, shrinking)), Status::invalid_option);
  EXPECT_EQ((status.operator()<LineSearch<double, ElasticNet<double>>>(ElasticNet<double>{0}, shrinking)),
            Status::invalid_option);
  using OfHinge = as_printed::PrimalDual<double, Hinge, GroupL2>;
  EXPECT_EQ(status.operator()<OfHinge>(GroupL2{}, rule(StoppingRule::violation_max, 1e-3)), Status::invalid_option);
}

TEST(AsPrinted, SettingsThroughTheDoorOfRunTimeChoices) {
  const Made<double> made(20, 6, 3, 1);
  const auto design = made.design();
  using Any = core::Training<double>;
  const auto training = [&](SolverKind kind, PenaltyKind penalty, auto visit) {
    Any any({.loss = LossKind::squared_hinge, .penalty = penalty, .solver = kind}, AnyDesign<double>(design),
            made.targets(), {.lambda = 0.1});
    visit(any);
  };
  training(SolverKind::fista, PenaltyKind::l1, [](Any& any) {
    EXPECT_TRUE(any.set_stopping({}));
    EXPECT_FALSE(any.set_stopping({StoppingRule::iterates, 1e-3}));
    EXPECT_FALSE(any.set_seed(3));
    EXPECT_TRUE(any.set_shrinking(false));
    EXPECT_FALSE(any.set_shrinking(true));
  });
  training(SolverKind::bcd_line_search_as_printed, PenaltyKind::l1, [](Any& any) {
    EXPECT_TRUE(any.set_stopping({StoppingRule::violation_sum, 1e-3}));
    EXPECT_FALSE(any.set_seed(3));
    EXPECT_TRUE(any.set_shrinking(true));
  });
  training(SolverKind::bcd_constant_step_as_printed, PenaltyKind::reweighted_l1, [&](Any& any) {
    EXPECT_FALSE(any.set_stopping({StoppingRule::violation_sum, 1e-3})) << "rounds end by the gap";
    EXPECT_TRUE(any.set_seed(3));
    EXPECT_TRUE(any.set_shrinking(true));
    GuardedMemory memory(Any::requirement({.loss = LossKind::squared_hinge,
                                           .penalty = PenaltyKind::reweighted_l1,
                                           .solver = SolverKind::bcd_constant_step_as_printed},
                                          made.shape())
                             .bytes);
    any.start(memory.span());
    while (any.step()) {
    }
    EXPECT_EQ(any.report().status, Status::converged);
  });
}

// Which solver knows what is said once, in catalogue.hpp; the types agree.
template <class Solver>
constexpr bool agrees = [] {
  const bool seeds = requires(Solver solver) { solver.set_seed(std::uint64_t(1)); };
  const bool shrinks = requires(Solver solver) { solver.set_shrinking(true); };
  const bool stops = requires(Solver solver) { solver.set_stopping(Stopping<double>{}); };
  bool any = false;
  for (const StoppingRule rule : all_stopping_rules)
    any = any || (rule != StoppingRule::gap && has_stopping(Solver::kind, rule));
  return seeds == is_random(Solver::kind) && shrinks == is_blockwise(Solver::kind) && stops == any;
}();
static_assert(agrees<LineSearch<double>> && agrees<ConstantStep<double>> && agrees<Sparsa> && agrees<Fista2>);
static_assert(agrees<as_printed::ForwardBackward<double, Logistic, L1>> && agrees<Fista<double, Logistic, L1>>);
static_assert(agrees<as_printed::PrimalDual<double, Hinge, L1>> && agrees<PrimalDual<double, Hinge, L1>>);

}  // namespace
