// Several kernels with mixed norms: proximity operators against their variational inequality, dual norms and conjugates
// against the penalty, the solvers against certified optima, their certificates, memory and bad input.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/design/kernel_rows.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace tamis {
namespace {

using as_printed::KernelForwardBackward;
using testing::Generator;
using testing::GuardedMemory;

template <class Check>
void for_each_norm(Check check) {
  for (const int p : {1, 2})
    for (const int q : {1, 2})
      for (const int r : {1, 2}) check(p, q, r);
}
std::string text(int p, int q, int r) { return std::to_string(p) + std::to_string(q) + ";" + std::to_string(r); }

// ---- penalties ------------------------------------------------------------------------------------------------------

/// Coefficients of a few samples, kernels and classes; what is between the classes and the stride is never looked at.
struct Point {
  Index samples, kernels, classes, stride;
  std::vector<double> w;

  Point(Index n, Index t, Index k) : samples(n), kernels(t), classes(k), stride(padded<double>(k)), w(n * t * stride) {}
  Rows<double> rows() { return {w.data(), samples * kernels, classes, stride}; }
  Rows<const double> rows() const { return {w.data(), samples * kernels, classes, stride}; }
  template <class Draw>
  void draw(Draw draw) {
    for (Index j = 0; j < samples * kernels; ++j)
      for (Index k = 0; k < classes; ++k) w[j * stride + k] = draw();
  }
};
double inner(const Point& a, const Point& b) {
  double total = 0;
  for (std::size_t e = 0; e < a.w.size(); ++e) total += a.w[e] * b.w[e];
  return total;
}
/// The definition, group by group.
double by_definition(const MixedNorm<double>& norm, const Point& w) {
  double total = 0;
  for (Index g = 0; g < (norm.r == 1 ? w.samples : w.kernels); ++g) {
    double inside = 0;
    for (Index other = 0; other < (norm.r == 1 ? w.kernels : w.samples); ++other)
      for (Index k = 0; k < w.classes; ++k) {
        const Index l = norm.r == 1 ? g : other, t = norm.r == 1 ? other : g;
        inside += std::pow(std::abs(w.w[(t * w.samples + l) * w.stride + k]), norm.p);
      }
    total += std::pow(inside, double(norm.q) / norm.p);
  }
  return norm.lambda / norm.q * total;
}

template <class Check>
void for_random_points(std::uint32_t seed, Check check) {
  Generator generator(seed);
  for_each_norm([&](int p, int q, int r) {
    SCOPED_TRACE(text(p, q, r));
    for (int round = 0; round < 300; ++round) {
      Point x(1 + generator.draw(5), 1 + generator.draw(4), 1 + generator.draw(3));
      const bool ties = generator.draw(3) == 0;
      x.draw([&] { return ties ? double(generator.draw(3)) - 1 : 2 * generator.uniform(); });
      check(generator, MixedNorm<double>{p, q, r, generator.draw(12) / 8.0}, x);
    }
  });
}

TEST(MixedNorm, ValueIsTheDefinition) {
  for_random_points(1, [](Generator&, const MixedNorm<double>& norm, const Point& x) {
    EXPECT_NEAR(norm.value(x.rows(), x.kernels), by_definition(norm, x), 1e-12 * (1 + by_definition(norm, x)));
  });
}

// p = prox(x) iff Ω(u) ≥ Ω(p) + ⟨x − p, u − p⟩/t for every u.
TEST(MixedNorm, ProxSatisfiesItsVariationalInequality) {
  for_random_points(2, [](Generator& generator, const MixedNorm<double>& norm, const Point& x) {
    const double t = 0.25 + generator.draw(8) / 4.0;
    Point p = x, u = x, rest = x, way = x;
    norm.prox(p.rows(), p.kernels, t);
    const double value = norm.value(p.rows(), p.kernels);
    for (std::size_t e = 0; e < x.w.size(); ++e) rest.w[e] = (x.w[e] - p.w[e]) / t;
    for (int trial = 0; trial < 20; ++trial) {
      const double size = trial % 2 ? 0.01 : 2;
      u.draw([&] { return size * generator.uniform(); });
      for (std::size_t e = 0; e < u.w.size() && trial % 2; ++e) u.w[e] += p.w[e];
      for (std::size_t e = 0; e < u.w.size(); ++e) way.w[e] = u.w[e] - p.w[e];
      EXPECT_GE(norm.value(u.rows(), u.kernels), value + inner(rest, way) - 1e-12);
    }
  });
}

// ⟨g, u⟩ ≤ Ω(u) + Ω*(g) for every u (q = 1: where g is allowed), with equality for g = (x − p)/t at p = prox(x).
TEST(MixedNorm, GaugeAndConjugateAreThoseOfFenchelAndYoung) {
  int tight = 0;
  for_random_points(3, [&](Generator& generator, MixedNorm<double> norm, const Point& x) {
    norm.lambda += 0.125;
    const double t = 0.25 + generator.draw(8) / 4.0;
    Point p = x, g = x, u = x;
    norm.prox(p.rows(), p.kernels, t);
    for (std::size_t e = 0; e < x.w.size(); ++e) g.w[e] = (x.w[e] - p.w[e]) / t;
    const double value = norm.value(p.rows(), p.kernels);
    EXPECT_LE(norm.gauge(g.rows(), g.kernels), 1 + 1e-12);
    EXPECT_NEAR(inner(g, p), value + norm.conjugate(g.rows(), g.kernels), 1e-12 * (1 + value));
    if (norm.q == 1 && value > 0) {
      EXPECT_NEAR(norm.gauge(g.rows(), g.kernels), 1, 1e-12);  // what is not zero uses all that is allowed
      ++tight;
    }
    const double gauge = norm.gauge(x.rows(), x.kernels), conjugate = norm.conjugate(x.rows(), x.kernels);
    for (int trial = 0; trial < 20; ++trial) {
      u.draw([&] { return generator.draw(3) ? 0 : 2 * generator.uniform(); });
      const double other = norm.value(u.rows(), u.kernels);
      EXPECT_LE(inner(x, u), (norm.q == 1 ? gauge * other : other + conjugate) + 1e-12);
    }
  });
  EXPECT_GT(tight, 200);
}

TEST(MixedNorm, GradientIsThatOfDifferences) {
  int compared = 0;
  for_random_points(3, [&](Generator&, MixedNorm<double> norm, const Point& x) {
    norm.lambda += 0.125;
    Point gradient = x, there = x;
    norm.gradient(x.rows(), x.kernels, gradient.w.data());
    for (Index j = 0; j < x.rows().rows; ++j)
      for (Index k = 0; k < x.rows().classes; ++k) {
        const std::size_t e = std::size_t(j) * x.rows().stride + k;
        if (std::abs(x.w[e]) < 1e-3) {
          if (x.w[e] == 0) {
            EXPECT_EQ(gradient.w[e], 0);
          }
          continue;
        }
        const auto value_at = [&](double step) {
          there.w[e] = x.w[e] + step;
          return norm.value(there.rows(), there.kernels);
        };
        const double h = 1e-5, slope = (value_at(h) - value_at(-h)) / (2 * h);
        there.w[e] = x.w[e];
        EXPECT_NEAR(gradient.w[e], slope, 1e-6 * (1 + std::abs(slope)));
        ++compared;
      }
  });
  EXPECT_GT(compared, 1000);
}

// p = prox(z) iff ℓ(u) ≥ ℓ(p) + ρ(z − p)(u − p) for every u.
TEST(SquaredHingeOfOutputs, ProxOfOneScoreSatisfiesItsVariationalInequality) {
  const SquaredHingeOfOutputs loss{1};
  Generator generator(4);
  for (int round = 0; round < 2000; ++round) {
    const Label y = static_cast<Label>(generator.draw(2));
    const double rho = 0.1 + generator.draw(40) / 4.0, z = 3 * generator.uniform();
    double p = z;
    loss.prox(&p, 1, y, 1.0, rho);
    for (int trial = 0; trial < 10; ++trial) {
      const double u = trial % 2 ? p + 0.01 * generator.uniform() : 3 * generator.uniform();
      EXPECT_GE(loss.value(&u, 1, y, 1.0), loss.value(&p, 1, y, 1.0) + rho * (z - p) * (u - p) - 1e-12);
    }
  }
}

// ---- certified optima -----------------------------------------------------------------------------------------------

template <class T>
struct Kernels {
  Index samples = 0, kernels = 0;
  std::vector<T> values;
  std::vector<Label> labels;

  DenseDesign<T> design() const { return {values.data(), samples, samples * kernels}; }
};

std::vector<double> read_numbers(const std::string& name) {
  std::ifstream in(std::string(TAMIS_TEST_REFERENCE) + "/data/" + name);
  std::vector<double> out;
  std::string line, number;
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    while (std::getline(fields, number, ',')) out.push_back(std::stod(number));
  }
  return out;
}
template <class T>
Kernels<T> read_kernels(const std::string& name) {
  Kernels<T> out;
  for (const double y : read_numbers(name + "_y.csv")) out.labels.push_back(y > 0);
  out.samples = static_cast<Index>(out.labels.size());
  for (const char* kernel : {"_K1.csv", "_K2.csv", "_K3.csv"}) {
    const auto matrix = read_numbers(name + kernel);
    EXPECT_EQ(matrix.size(), std::size_t(out.samples) * out.samples);
    for (const double value : matrix) out.values.push_back(static_cast<T>(value));
    ++out.kernels;
  }
  return out;
}

struct ReferenceCase {
  std::string id, data;
  int p = 0, q = 0, r = 0;
  double lambda = 0, optimum = 0, lower_bound = 0;
};
std::vector<ReferenceCase> all_cases() {
  std::ifstream in(std::string(TAMIS_TEST_REFERENCE) + "/kernel_cases.csv");
  std::vector<ReferenceCase> out;
  std::string line, number;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    ReferenceCase c;
    std::getline(fields, c.id, ',');
    std::getline(fields, c.data, ',');
    const auto next = [&] {
      std::getline(fields, number, ',');
      return std::stod(number);
    };
    c.p = int(next());
    c.q = int(next());
    c.r = int(next());
    c.lambda = next();
    c.optimum = next();
    c.lower_bound = next();
    out.push_back(c);
  }
  return out;
}

template <class Solver, class T, class Look>
void solve(const Kernels<T>& problem, Index classes, const MixedNorm<T>& norm, const Options<T>& options, Look look) {
  const Index features = problem.samples * problem.kernels;
  GuardedMemory memory(Solver::requirement({problem.samples, features, classes}).bytes);
  Solver solver(problem.design(), problem.labels, problem.kernels, classes, norm, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  EXPECT_TRUE(memory.surroundings_intact());
  look(solver);
}

/// F by the formula, in double.
template <class T>
double objective(const Kernels<T>& problem, const KernelCoefficients<T>& model, int p, int q, int r, double lambda) {
  const Index n = problem.samples, tau = problem.kernels, outputs = model.outputs;
  double total = 0;
  Point w(n, tau, outputs);
  for (Index t = 0; t < tau; ++t)
    for (Index l = 0; l < n; ++l)
      for (Index k = 0; k < outputs; ++k) w.w[(t * n + l) * w.stride + k] = static_cast<double>(model(l, t, k));
  for (Index i = 0; i < n; ++i) {
    std::vector<double> f(outputs);
    for (Index k = 0; k < outputs; ++k) {
      f[k] = static_cast<double>(model.intercept(k));
      for (Index j = 0; j < n * tau; ++j)
        f[k] += static_cast<double>(problem.values[j * n + i]) * w.w[j * w.stride + k];
    }
    const Label y = problem.labels[i];
    if (outputs == 1) total += std::pow(std::max(1 - (y ? 1 : -1) * f[0], 0.0), 2);
    for (Index k = 0; k < outputs && outputs > 1; ++k)
      if (k != y) total += std::pow(std::max(1 + f[k] - f[y], 0.0), 2);
  }
  return total / n + by_definition({p, q, r, lambda}, w);
}

template <class Solver, class T>
void reaches_the_optima(double accuracy, const Options<T>& asked, const std::string& only = "") {
  std::map<std::string, Kernels<T>> data;
  const auto cases = all_cases();
  ASSERT_EQ(cases.size(), 18u);
  for (const auto& c : cases) {
    if (!only.empty() && c.data != only) continue;
    SCOPED_TRACE(c.id);
    if (!data.count(c.data)) data[c.data] = read_kernels<T>(c.data);
    const Kernels<T>& problem = data[c.data];
    const double n = problem.samples;
    Options<T> options = asked;
    options.lambda = T(c.lambda / n);
    options.intercept = false;
    for (const int r : {1, 2}) {
      if (c.p != c.q && r != c.r) continue;
      solve<Solver, T>(problem, 1, {c.p, c.q, r}, options, [&](const auto& solver) {
        const auto& report = solver.report();
        ASSERT_EQ(report.status, Status::converged) << report.relative_gap << ' ' << report.iterations;
        EXPECT_EQ(report.arena_bytes, report.arena_used_bytes);
        const double value = objective(problem, solver.model(), c.p, c.q, r, c.lambda / n);
        EXPECT_NEAR(value, static_cast<double>(report.objective), accuracy / 10 * value);
        EXPECT_LE(n * value, c.optimum * (1 + accuracy));
        EXPECT_GE(n * value, c.lower_bound * (1 - accuracy / 10));
        EXPECT_LE(n * static_cast<double>(report.dual_objective), c.optimum * (1 + accuracy / 10));
      });
    }
  }
}

TEST(KernelAdmm, ReachesTheCertifiedOptima) {
  reaches_the_optima<KernelAdmm<double>, double>(1e-6, {.tolerance = 1e-7});
}
TEST(KernelAdmm, ReachesTheCertifiedOptimaInFloat) {
  reaches_the_optima<KernelAdmm<float>, float>(1e-4, {.tolerance = 1e-4f});
}
TEST(KernelFista, ReachesTheCertifiedOptima) {
  reaches_the_optima<KernelFista<double>, double>(1e-6, {.tolerance = 1e-7}, "ker21");
  reaches_the_optima<KernelFista<double>, double>(1e-4, {.tolerance = 1e-4}, "keriris");
  reaches_the_optima<KernelFista<float>, float>(1e-3, {.tolerance = 1e-3f}, "ker21");
}
TEST(KernelForwardBackward, ReachesTheCertifiedOptima) {
  reaches_the_optima<KernelForwardBackward<double>, double>(1e-5, {.tolerance = 1e-5, .max_iterations = 3000000},
                                                            "ker21");
}

// ---- certificates, memory, refusals ---------------------------------------------------------------------------------

/// Kernels of made-up samples: linear, −|x − x'|² and one that is not symmetric.
template <class T>
Kernels<T> make_kernels(Index n, Index classes, std::uint32_t seed) {
  const testing::Made<double> made(n, 4, classes, seed);
  Kernels<T> out{n, 3, {}, made.labels};
  for (Index t = 0; t < 3; ++t)
    for (Index l = 0; l < n; ++l)
      for (Index i = 0; i < n; ++i) {
        double total = 0;
        for (Index j = 0; j < 4; ++j) {
          const double a = made.values[l + j * n], b = made.values[i + j * n];
          total += t == 0 ? a * b : t == 1 ? -(a - b) * (a - b) / 4 : j % 2 ? 0 : a * made.values[i + (j + 1) * n];
        }
        out.values.push_back(T(total));
      }
  return out;
}

// The objective is that of the model; no other model is better than the bound.
TEST(KernelAdmm, CertifiesWithClassesAndIntercepts) {
  for (const Index outputs : {1u, 2u, 3u}) {
    const auto problem = make_kernels<double>(23, std::max(outputs, 2u), 11);
    for (const bool intercept : {false, true})
      for_each_norm([&](int p, int q, int r) {
        SCOPED_TRACE(text(p, q, r) + (intercept ? " intercept " : " ") + std::to_string(outputs));
        solve<KernelAdmm<double>, double>(
            problem, outputs, {p, q, r}, {.lambda = 0.02, .tolerance = 1e-7, .intercept = intercept},
            [&](const auto& solver) {
              const auto& report = solver.report();
              ASSERT_EQ(report.status, Status::converged);
              EXPECT_LE(report.relative_gap, 1e-7);
              EXPECT_EQ(report.arena_bytes, report.arena_used_bytes);
              EXPECT_GT(report.nonzeros, 0u);
              const auto model = solver.model();
              const std::vector<double> w(model.coefficients, model.coefficients + 3 * 23 * model.stride());
              const std::vector<double> b(model.intercepts, model.intercepts + model.stride());
              EXPECT_NEAR(objective(problem, model, p, q, r, 0.02), report.objective, 1e-12);
              Generator generator(2);
              for (int trial = 0; trial < 60; ++trial) {
                auto other = w;
                auto shifted = b;
                const double size = std::pow(10, -1 - trial % 5);
                for (double& entry : other)
                  if (generator.draw(3) == 0) entry += size * generator.uniform();
                for (double& entry : shifted)
                  if (intercept) entry += size * generator.uniform();
                const KernelCoefficients<double> near{other.data(), shifted.data(), 23, 3, outputs};
                EXPECT_GE(objective(problem, near, p, q, r, 0.02), report.dual_objective - 1e-12);
              }
              if (!intercept) {
                for (const double constant : b) EXPECT_EQ(constant, 0);
              }
            });
      });
  }
}

// Without splitting, with a row for each coefficient from zeros; with one for each violation, or by conjugate
// gradients, from near the answer.
TEST(KernelNewton, ConvergesAlone) {
  for (const Index outputs : {1u, 3u, 5u}) {
    const auto problem = make_kernels<double>(17, std::max(outputs, 2u), 21);
    for (const bool intercept : {false, true})
      for_each_norm([&](int p, int q, int r) {
        if (p == 1 && q == 2 && r == 1 && outputs > 1) return;  // its models have more coefficients than fit
        SCOPED_TRACE(text(p, q, r) + (intercept ? " intercept " : " ") + std::to_string(outputs));
        const Options<double> options{.lambda = 0.05, .tolerance = 1e-6, .intercept = intercept};
        const Shape shape{17, 51, outputs};
        struct Memory {
          KernelWorkspace<double>::Memory common;
          KernelNewtonMemory<double> newton;
          double *z, *gradient;
          static Memory lay_out(Arena& arena, Shape shape) {
            Memory m{KernelWorkspace<double>::Memory::lay_out(arena, shape),
                     KernelNewtonMemory<double>::lay_out(arena, shape), nullptr, nullptr};
            for (double** all : {&m.z, &m.gradient})
              *all = arena.take<double>(std::size_t(shape.features) * padded<double>(shape.classes));
            return m;
          }
        };
        const auto bytes = count_bytes<Memory>(shape);
        GuardedMemory memory(bytes.bytes);
        KernelWorkspace<double> workspace(problem.design(), problem.labels, 3, outputs, {p, q, r}, options);
        ASSERT_TRUE(workspace.validate(memory.span(), bytes));
        Arena arena(memory.span());
        auto m = Memory::lay_out(arena, shape);
        workspace.bind(m.common, arena.used());
        workspace.certify_zero(m.z);
        ASSERT_TRUE(workspace.running());
        const auto expect_end = [&](auto newton) {
          newton.run(m.z, 1e9);
          EXPECT_EQ(workspace.report.status, Status::converged) << workspace.report.relative_gap;
          EXPECT_TRUE(newton.take_end());
        };
        if (p == 1) {
          expect_end(KernelEntriesNewton<double>(workspace, m.newton));
        } else {
          Options<double> rough = options;
          rough.tolerance = 1e-4;
          solve<KernelAdmm<double>, double>(problem, outputs, {p, q, r}, rough, [&](const auto& solver) {
            const auto model = solver.model();
            copy(model.coefficients, workspace.coefficients(), m.z);
            copy(model.intercepts, workspace.outputs, workspace.m.b);
          });
          for (Index i = 0; i < 17; ++i)
            for (Index j = 0; j < 17; ++j) {
              double& entry = m.newton.squares[i * 18 + j] = 0;
              for (Index e = 0; e < 51; ++e) entry += problem.design()(i, e) * problem.design()(j, e);
            }
          expect_end(KernelGroupsNewton<double>(workspace, m.newton, m.gradient, 1.0));
        }
        EXPECT_TRUE(memory.surroundings_intact());
      });
  }
}

TEST(KernelFista, AgreesWithSplitting) {
  for (const Index outputs : {1u, 3u}) {
    const auto problem = make_kernels<double>(19, std::max(outputs, 2u), 5);
    for (const bool intercept : {false, true})
      for_each_norm([&](int p, int q, int r) {
        SCOPED_TRACE(text(p, q, r) + (intercept ? " intercept " : " ") + std::to_string(outputs));
        const Options<double> options{.lambda = 0.05, .tolerance = 1e-6, .intercept = intercept};
        double optimum = 0;
        solve<KernelAdmm<double>, double>(problem, outputs, {p, q, r}, options,
                                          [&](const auto& solver) { optimum = solver.report().dual_objective; });
        solve<KernelFista<double>, double>(problem, outputs, {p, q, r}, options, [&](const auto& solver) {
          EXPECT_EQ(solver.report().status, Status::converged);
          EXPECT_NEAR(solver.report().objective, optimum, 2e-6 * optimum);
          EXPECT_NEAR(objective(problem, solver.model(), p, q, r, 0.05), optimum, 2e-6 * optimum);
        });
      });
  }
}

TEST(KernelFista, GoesOnWithAnotherLambda) {
  const auto problem = make_kernels<double>(19, 3, 5);
  const Options<double> options{.lambda = 0.2, .tolerance = 1e-6, .intercept = true};
  GuardedMemory memory(KernelFista<double>::requirement({19, 57, 3}).bytes);
  KernelFista<double> solver(problem.design(), problem.labels, 3, 3, {2, 1, 1}, options);
  EXPECT_FALSE(solver.warm_start(0.1));  // nothing was started
  solver.start(memory.span());
  while (solver.step()) {
  }
  for (const double lambda : {0.1, 0.05}) {
    ASSERT_TRUE(solver.warm_start(lambda));
    while (solver.step()) {
    }
    ASSERT_EQ(solver.report().status, Status::converged);
    Options<double> other = options;
    other.lambda = lambda;
    solve<KernelAdmm<double>, double>(problem, 3, {2, 1, 1}, other, [&](const auto& reference) {
      EXPECT_NEAR(solver.report().objective, reference.report().objective, 2e-6 * reference.report().objective);
    });
  }
  EXPECT_FALSE(solver.warm_start(-1));
}

// Values that are computed as they are needed lead to the same model as matrices.
TEST(KernelRows, AreTheMatricesThatAreNotStored) {
  const Index n = 21, features = 4;
  const testing::Made<double> made(n, features, 3, 8);
  const SampleTable<double> samples{made.values.data(), n, features, 1, n};
  const std::vector<Kernel<double>> kernels{
      {KernelKind::linear}, {KernelKind::gaussian, 1.5}, {KernelKind::sigmoid, 0.5, -0.25}};
  Kernels<double> problem{n, 3, std::vector<double>(3 * n * n), made.labels};
  KernelPair bad;
  for (Index t = 0; t < 3; ++t)
    ASSERT_TRUE(fill_kernel_matrix(kernels[t], samples, problem.values.data() + std::size_t(t) * n * n, bad));
  const KernelRows<double> rows(samples, kernels);
  const DenseDesign<double> design = problem.design();
  ASSERT_EQ(rows.samples(), design.samples());
  ASSERT_EQ(rows.features(), design.features());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < 3 * n; ++j) EXPECT_EQ(rows(i, j), design(i, j));
  Index sample = 0, feature = 0;
  EXPECT_FALSE(rows.find_bad_value(sample, feature));
  for_each_norm([&](int p, int q, int r) {
    SCOPED_TRACE(text(p, q, r));
    const Options<double> options{.lambda = 0.05, .tolerance = 1e-6, .intercept = true};
    const Shape shape{n, 3 * n, 3};
    using Solver = KernelFista<double, KernelRows<double>>;
    GuardedMemory memory(Solver::requirement(shape).bytes);
    Solver solver(rows, problem.labels, 3, 3, {p, q, r}, options);
    solver.start(memory.span());
    while (solver.step()) {
    }
    EXPECT_EQ(solver.report().status, Status::converged);
    EXPECT_TRUE(memory.surroundings_intact());
    solve<KernelFista<double>, double>(problem, 3, {p, q, r}, options, [&](const auto& dense) {
      EXPECT_NEAR(solver.report().objective, dense.report().objective, 2e-6 * dense.report().objective);
    });
  });
  auto negative = made.values;
  const std::vector<Kernel<double>> histogram{{KernelKind::linear}, {KernelKind::kl}};
  const SampleTable<double> table{negative.data(), n, features, 1, n};
  ASSERT_TRUE((KernelRows<double>(table, histogram).find_bad_value(sample, feature)));
  EXPECT_GE(feature, n);  // of the second kernel
}

TEST(KernelAdmm, IsZeroFromLambdaMaxOn) {
  for (const Index outputs : {1u, 3u}) {
    const auto problem = make_kernels<double>(20, std::max(outputs, 2u), 3);
    for (const bool intercept : {false, true})
      for_each_norm([&](int p, int q, int r) {
        SCOPED_TRACE(text(p, q, r) + (intercept ? " intercept " : " ") + std::to_string(outputs));
        double most = 0;
        solve<KernelAdmm<double>, double>(problem, outputs, {p, q, r}, {.lambda = 0.1, .intercept = intercept},
                                          [&](const auto& solver) { most = solver.report().lambda_max; });
        if (q == 2) {
          EXPECT_EQ(most, infinity<double>);
          return;
        }
        ASSERT_GT(most, 0);
        for (const double factor : {1.0001, 0.98})
          solve<KernelAdmm<double>, double>(problem, outputs, {p, q, r},
                                            {.lambda = factor * most, .tolerance = 1e-9, .intercept = intercept},
                                            [&](const auto& solver) {
                                              EXPECT_EQ(solver.report().status, Status::converged);
                                              EXPECT_EQ(solver.report().nonzeros == 0, factor > 1);
                                            });
      });
  }
}

// The same answer, sooner.
TEST(KernelAdmm, GoesOnWithAnotherLambda) {
  const auto problem = make_kernels<double>(30, 2, 5);
  const auto solver_for = [&](double lambda) {
    return KernelAdmm<double>(problem.design(), problem.labels, 3, 1, {2, 1, 1}, {.lambda = lambda, .tolerance = 1e-8});
  };
  GuardedMemory memory(KernelAdmm<double>::requirement({30, 90, 1}).bytes), other(memory.span().size());
  auto path = solver_for(100), alone = solver_for(0.01);
  EXPECT_FALSE(path.warm_start(0.01));
  EXPECT_FALSE(path.start(memory.span()));
  EXPECT_EQ(path.report().status, Status::converged);  // above the largest λ
  ASSERT_TRUE(path.warm_start(0.02));
  while (path.step()) {
  }
  EXPECT_FALSE(path.warm_start(-1));
  ASSERT_TRUE(path.warm_start(0.01));
  while (path.step()) {
  }
  alone.start(other.span());
  while (alone.step()) {
  }
  EXPECT_EQ(path.report().status, Status::converged);
  EXPECT_NEAR(path.report().objective, alone.report().objective, 1e-8);
}

TEST(KernelAdmm, FloatSaysHowFarItCertifies) {
  const auto problem = make_kernels<float>(40, 3, 11);
  for_each_norm([&](int p, int q, int r) {
    solve<KernelAdmm<float>, float>(problem, 3, {p, q, r}, {.lambda = 0.02f, .tolerance = 1e-12f},
                                    [&](const auto& solver) {
                                      EXPECT_EQ(solver.report().status, Status::precision_limit) << text(p, q, r);
                                      EXPECT_LT(solver.report().relative_gap, 1e-3f);
                                    });
  });
}

// One sample, one class, a kernel of zeros, samples that are there twice, sizes that differ wildly.
TEST(KernelAdmm, TakesDegenerateData) {
  const auto converges = [](const auto& solver) { EXPECT_EQ(solver.report().status, Status::converged); };
  for_each_norm([&](int p, int q, int r) {
    SCOPED_TRACE(text(p, q, r));
    for (const bool intercept : {false, true}) {
      const Options<double> options{.lambda = 0.05, .intercept = intercept};
      solve<KernelAdmm<double>, double>({1, 3, {1, -2, 0.5}, {1}}, 1, {p, q, r}, options, converges);
      auto problem = make_kernels<double>(20, 2, 9);
      for (Index e = 0; e < 400; ++e) problem.values[400 + e] = 0;
      for (const Index t : {0u, 2u})
        for (Index i = 0; i < 20; ++i) problem.values[t * 400 + 20 + i] = problem.values[t * 400 + i];
      for (const Index outputs : {1u, 2u})
        solve<KernelAdmm<double>, double>(problem, outputs, {p, q, r}, options, converges);
      auto alike = problem;
      std::fill(alike.labels.begin(), alike.labels.end(), Label(1));
      solve<KernelAdmm<double>, double>(alike, 1, {p, q, r}, options, converges);
      auto zeros = problem;
      std::fill(zeros.values.begin(), zeros.values.end(), 0.0);
      solve<KernelAdmm<double>, double>(zeros, 1, {p, q, r}, options, converges);
      for (Index e = 0; e < 400; ++e) problem.values[e] *= 1e4;
      solve<KernelAdmm<double>, double>(problem, 1, {p, q, r}, {.lambda = 0.05, .max_iterations = 3000},
                                        [](const auto& solver) {
                                          EXPECT_TRUE(has_model(solver.report().status));
                                          EXPECT_TRUE(std::isfinite(solver.report().objective));
                                        });
    }
  });
}

template <class Solver>
void refuses(bool has_intercept) {
  auto problem = make_kernels<double>(20, 2, 4);
  const auto status = [&](const Options<double>& asked, const MixedNorm<double>& norm, Index kernels = 3,
                          Index classes = 1, std::size_t less = 0) {
    Options<double> options = asked;
    options.intercept = has_intercept && asked.intercept;
    const std::size_t bytes = Solver::requirement({20, 60, classes}).bytes;
    GuardedMemory memory(bytes);
    Solver solver(problem.design(), problem.labels, kernels, classes, norm, options);
    const bool runs = solver.start({memory.span().data(), bytes - less});
    EXPECT_EQ(runs, solver.report().status == Status::running);
    if (!has_model(solver.report().status)) {
      EXPECT_FALSE(solver.step());
      EXPECT_EQ(solver.model().samples, 0u);
      EXPECT_TRUE(memory.untouched());
      EXPECT_EQ(solver.report().arena_bytes, bytes);
    }
    if (solver.report().status == Status::invalid_data) {  // which pair of which kernel
      EXPECT_EQ(solver.report().row, 7u);
      EXPECT_EQ(solver.report().column, 2 * 20 + 5u);
    }
    if (solver.report().status == Status::invalid_label) {
      EXPECT_EQ(solver.report().row, 4u);
    }
    return solver.report().status;
  };
  const MixedNorm<double> norm{2, 1, 2};
  EXPECT_EQ(status({.lambda = 0.01}, norm), Status::running);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 3, 1, 1), Status::arena_too_small);
  EXPECT_EQ(status({.lambda = 0}, norm), Status::invalid_lambda);
  EXPECT_EQ(status({.lambda = not_a_number<double>}, norm), Status::invalid_lambda);
  EXPECT_EQ(status({.lambda = 0.01, .tolerance = 0}, norm), Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.01, .max_iterations = 0}, norm), Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.01, .margin = 2}, norm), Status::invalid_margin);
  EXPECT_EQ(status({.lambda = 0.01, .eta = 2}, norm), Status::invalid_eta);
  EXPECT_EQ(status({.lambda = 0.01}, {3, 1, 1}), Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.01}, {1, 0, 1}), Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.01}, {1, 2, 4}), Status::invalid_option);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 2), Status::invalid_shape);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 0), Status::invalid_shape);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 3, 0), Status::invalid_shape);
  EXPECT_GT(Solver::requirement({20, Index(-1), 1}).bytes, std::size_t(1) << 35);
  problem.labels[4] = 2;
  EXPECT_EQ(status({.lambda = 0.01}, norm), Status::invalid_label);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 3, 2), Status::invalid_label);
  EXPECT_EQ(status({.lambda = 0.01}, norm, 3, 3), Status::running);
  problem.labels[4] = 1;
  problem.values[(2 * 20 + 5) * 20 + 7] = not_a_number<double>;
  EXPECT_EQ(status({.lambda = 0.01}, norm), Status::invalid_data);
}

TEST(KernelAdmm, RefusesWhatItCannotSolve) { refuses<KernelAdmm<double>>(true); }
TEST(KernelForwardBackward, RefusesWhatItCannotSolve) {
  refuses<KernelForwardBackward<double>>(false);
  const auto problem = make_kernels<double>(20, 2, 4);
  GuardedMemory memory(KernelForwardBackward<double>::requirement({20, 60, 1}).bytes);
  KernelForwardBackward<double> biased(problem.design(), problem.labels, 3, 1, {2, 1, 1}, {.lambda = 0.01});
  EXPECT_FALSE(biased.start(memory.span()));
  EXPECT_EQ(biased.report().status, Status::invalid_combination);
  EXPECT_NE(biased.refusal(), std::string());
  KernelForwardBackward<double> hasty(problem.design(), problem.labels, 3, 1, {2, 1, 1},
                                      {.lambda = 0.01, .intercept = false});
  hasty.set_step(2);
  EXPECT_FALSE(hasty.start(memory.span()));
  EXPECT_EQ(hasty.report().status, Status::invalid_option);
  EXPECT_TRUE(memory.untouched());
}

// From zeros the first step is prox(2γ K_yᵀ 1), γ = step/2‖K_yᵀK_y‖.
TEST(KernelForwardBackward, StepsAsPrinted) {
  const Kernels<double> problem{2, 1, {2, 0, 0, 1}, {1, 0}};  // ‖K_yᵀK_y‖ = 4
  GuardedMemory memory(KernelForwardBackward<double>::requirement({2, 2, 1}).bytes);
  KernelForwardBackward<double> solver(problem.design(), problem.labels, 1, 1, {1, 1, 1},
                                       {.lambda = 0.1, .tolerance = 1e-9, .intercept = false});
  solver.set_step(1);
  ASSERT_TRUE(solver.start(memory.span()));
  solver.step();
  const double gamma = 1 / (2 * 1.01 * 4), threshold = gamma * 0.2;  // n times λ
  EXPECT_NEAR(solver.iterate()(0, 0), 4 * gamma - threshold, 1e-5);
  EXPECT_NEAR(solver.iterate()(1, 0), -2 * gamma + threshold, 1e-5);
}

TEST(KernelForwardBackward, AgreesOnClasses) {
  const auto problem = make_kernels<double>(20, 3, 6);
  for_each_norm([&](int p, int q, int r) {
    SCOPED_TRACE(text(p, q, r));
    const Options<double> options{.lambda = 0.05, .tolerance = 1e-6, .intercept = false};
    double best = 0;
    solve<KernelAdmm<double>, double>(problem, 3, {p, q, r}, options,
                                      [&](const auto& solver) { best = solver.report().objective; });
    solve<KernelForwardBackward<double>, double>(problem, 3, {p, q, r}, options, [&](const auto& solver) {
      EXPECT_EQ(solver.report().status, Status::converged);
      EXPECT_NEAR(solver.report().objective, best, 2e-6 * best);
    });
  });
}

}  // namespace
}  // namespace tamis
