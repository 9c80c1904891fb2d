// Hierarchical interactions: proximity operators against their variational inequality, dual norms against the penalty,
// the solver against its certificate, its memory and bad input.
#include <gtest/gtest.h>

#include <cmath>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/interaction_admm.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

constexpr Hierarchy hierarchies[] = {Hierarchy::weak, Hierarchy::strong, Hierarchy::full, Hierarchy::main};
constexpr HierarchyNorm norms[] = {HierarchyNorm::l1, HierarchyNorm::linf, HierarchyNorm::l2, HierarchyNorm::ridge};

/// Squares know no hierarchy.
bool is_problem(Hierarchy hierarchy, HierarchyNorm norm) {
  return HierarchicalPenalty<double>{hierarchy, norm}.valid();
}

template <class Check>
void for_each_penalty(Generator& generator, Check check) {
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms)
      for (int round = 0; round < 300 && is_problem(hierarchy, norm); ++round)
        check(HierarchicalPenalty<double>{hierarchy, norm, generator.draw(8) / 8.0, generator.draw(8) / 16.0});
}

// p = prox(x) iff Ω(u) ≥ Ω(p) + ⟨x − p, u − p⟩/t for every u.
TEST(HierarchicalPenalty, ProxSatisfiesItsVariationalInequality) {
  Generator generator(5);
  for_each_penalty(generator, [&](const HierarchicalPenalty<double>& penalty) {
    const Index count = 1 + generator.draw(6);
    const double t = 0.25 + generator.draw(8) / 4.0;
    std::vector<double> x(count + 1), p, u(count + 1);
    for (double& entry : x) entry = generator.draw(5) == 0 ? 0 : 2 * generator.uniform();
    if (penalty.hierarchy == Hierarchy::main)
      for (Index l = 0; l < count; ++l) x[l] = 0;
    p = x;
    penalty.prox(p.data(), count, t);
    for (int trial = 0; trial < 20; ++trial) {
      double slope = 0;
      for (Index l = 0; l <= count; ++l) {
        u[l] = trial % 2 ? p[l] + 0.01 * generator.uniform() : 2 * generator.uniform();
        if (penalty.hierarchy == Hierarchy::main && l < count) u[l] = 0;
        slope += (x[l] - p[l]) * (u[l] - p[l]) / t;
      }
      EXPECT_GE(penalty.value(u.data(), count), penalty.value(p.data(), count) + slope - 1e-12);
    }
  });
}

// gauge(g) is the least number with ⟨g, u⟩ ≤ gauge·Ω(u) for all u; the best of many u comes near it.
TEST(HierarchicalPenalty, GaugeIsTheDualNorm) {
  Generator generator(6);
  for_each_penalty(generator, [&](HierarchicalPenalty<double> penalty) {
    penalty.lambda1 += 0.125;
    penalty.lambda2 += 0.125;
    const Index count = 1 + generator.draw(4);
    std::vector<double> g(count + 1), u(count + 1);
    for (double& entry : g) entry = 2 * generator.uniform();
    const double gauge = penalty.gauge(g.data(), count);
    double best = 0;
    if (penalty.ridge()) {  // the conjugate is the most of ⟨g, u⟩ − Ω(u)
      if (penalty.hierarchy == Hierarchy::main) std::fill(g.begin(), g.end() - 1, 0.0);
      EXPECT_EQ(gauge, 0);
      for (int trial = 0; trial < 40; ++trial) {
        double inner = 0;
        for (Index l = 0; l <= count; ++l) {
          u[l] = g[l] / (l == count ? penalty.lambda1 : penalty.lambda2) + (trial ? 0.1 * generator.uniform() : 0.0);
          if (penalty.hierarchy == Hierarchy::main && l < count) u[l] = 0;
          inner += g[l] * u[l];
        }
        best = std::max(best, inner - penalty.value(u.data(), count));
      }
      EXPECT_NEAR(best, penalty.conjugate(g.data(), count), 1e-12);
      return;
    }
    const auto try_it = [&] {
      double inner = 0;
      for (Index l = 0; l <= count; ++l) inner += g[l] * u[l];
      const double value = penalty.value(u.data(), count);
      EXPECT_LE(inner, gauge * value + 1e-12);
      if (value > 0) best = std::max(best, inner / value);
    };
    for (int trial = 0; trial < 20; ++trial) {
      for (double& entry : u) entry = generator.uniform();
      if (penalty.hierarchy == Hierarchy::main) std::fill(u.begin(), u.end() - 1, 0.0);
      try_it();
    }
    for (unsigned subset = 1; subset < 1u << (count + 1); ++subset) {  // extreme points: all alike, one paying for all
      if (penalty.hierarchy == Hierarchy::main && subset != 1u << count) continue;
      for (Index l = 0; l <= count; ++l) u[l] = subset >> l & 1 ? (g[l] < 0 ? -1 : 1) : 0;
      try_it();
    }
    for (Index l = 0; l < count; ++l) u[l] = soft(g[l], gauge * penalty.lambda2);  // that of groups
    u[count] = g[count];
    if (penalty.norm == HierarchyNorm::l2 && penalty.hierarchy <= Hierarchy::strong) try_it();
    EXPECT_NEAR(best, gauge, 1e-12 * (1 + gauge));
  });
}

// p = prox(z) iff ℓ(u) ≥ ℓ(p) + ρ⟨z − p, u − p⟩ for every u.
TEST(SquaredHinge, ProxSatisfiesItsVariationalInequality) {
  Generator generator(7);
  for (int round = 0; round < 2000; ++round) {
    const Index classes = 2 + generator.draw(6);
    const auto y = static_cast<Label>(generator.draw(classes));
    const double rho = 0.1 + generator.draw(40) / 4.0, margin = 0.5 + generator.draw(4) / 4.0;
    std::vector<double> z(classes), p, u(classes);
    for (double& score : z) score = 3 * generator.uniform();
    p = z;
    SquaredHinge{}.prox(p.data(), classes, y, margin, rho);
    for (int trial = 0; trial < 10; ++trial) {
      double slope = 0;
      for (Index k = 0; k < classes; ++k) {
        u[k] = trial % 2 ? p[k] + 0.01 * generator.uniform() : 3 * generator.uniform();
        slope += rho * (z[k] - p[k]) * (u[k] - p[k]);
      }
      EXPECT_GE(SquaredHinge{}.value(u.data(), classes, y, margin),
                SquaredHinge{}.value(p.data(), classes, y, margin) + slope - 1e-12);
    }
  }
}

template <class T>
struct Problem {
  Made<T> made;
  std::vector<T> truth;

  Problem(Index n, Index p, Index K, std::uint32_t seed) : made(n, p, K, seed) {
    Generator generator(seed + 1);
    for (Index i = 0; i < n; ++i) {
      const auto x = [&](Index j) { return made.values[i + (j % p) * n]; };
      truth.push_back(T(3) + x(0) - 2 * x(1) + 3 * x(0) * x(1) + T(0.1 * generator.uniform()));
    }
  }
  InteractionTargets<T> targets(bool classes) const {
    InteractionTargets<T> out;
    if (classes) {
      out.labels = made.labels;
      out.classes = made.classes;
    } else {
      out.values = truth.data();
    }
    return out;
  }
};

template <class T, class Look>
void solve(const Problem<T>& problem, bool classes, Hierarchy hierarchy, HierarchyNorm norm, T lambda2,
           const Options<T>& options, Look look) {
  const auto targets = problem.targets(classes);
  GuardedMemory memory(
      InteractionAdmm<T>::requirement({problem.made.samples, problem.made.features, targets.classes}).bytes);
  InteractionAdmm<T> solver(problem.made.design(), targets, hierarchy, norm, lambda2, options);
  solver.start(memory.span());
  while (solver.step()) {
  }
  EXPECT_TRUE(memory.surroundings_intact());
  look(solver);
}

// The gap is an upper bound on what other models are better by; the model's scores give the objective that is reported.
TEST(InteractionAdmm, CertifiesWithInterceptsToo) {
  const Problem<double> problem(40, 5, 3, 11);
  for (const bool classes : {false, true})
    for (const Hierarchy hierarchy : hierarchies)
      for (const HierarchyNorm norm : norms)
        for (const bool intercept : {false, true}) {
          if (!is_problem(hierarchy, norm)) continue;
          const Options<double> options{.lambda = 0.02, .tolerance = 1e-7, .intercept = intercept};
          solve<double>(problem, classes, hierarchy, norm, 0.01, options, [&](const auto& solver) {
            const auto& report = solver.report();
            ASSERT_EQ(report.status, Status::converged) << name(hierarchy) << name(norm) << classes << intercept;
            EXPECT_LE(report.relative_gap, 1e-7);
            EXPECT_EQ(report.arena_bytes, report.arena_used_bytes);
            const auto model = solver.model();
            const HierarchicalPenalty<double> penalty{hierarchy, norm, 0.02, 0.01};
            Generator generator(2);
            const auto objective = [&](const std::vector<double>& w, const std::vector<double>& b) {
              const InteractionModel<double> other{w.data(), b.data(), model.features, model.outputs};
              double total = 0;
              for (Index i = 0; i < 40; ++i) {
                const double* x = problem.made.values.data() + i;
                if (!classes) {
                  total += std::pow(problem.truth[i] - other.score(x, 40), 2) / 80;
                  continue;
                }
                const Label y = problem.made.labels[i];
                for (Index k = 0; k < 3; ++k)
                  if (k != y)
                    total += std::pow(std::max(1 + other.score(x, 40, k) - other.score(x, 40, y), 0.0), 2) / 40;
              }
              for (Index k = 0; k < model.outputs; ++k)
                for (Index j = 0; j < 5; ++j) total += penalty.value(other.row(k, j), 5);
              return total;
            };
            std::vector<double> w(model.coefficients, model.coefficients + model.outputs * 5 * model.stride());
            std::vector<double> b(model.intercepts, model.intercepts + model.outputs);
            for (Index i = 0; i < 40 && classes; ++i) {
              const Label predicted = model.predict(problem.made.values.data() + i, 40);
              for (Index k = 0; k < 3; ++k) {
                EXPECT_GE(model.score(problem.made.values.data() + i, 40, predicted),
                          model.score(problem.made.values.data() + i, 40, k));
              }
            }
            const double here = objective(w, b);
            EXPECT_NEAR(here, report.objective, 1e-12);
            for (int trial = 0; trial < 60; ++trial) {  // no other model is better than the bound
              auto other = w;
              auto shifted = b;
              const double size = trial % 2 ? 1e-3 : 1e-5;
              for (Index k = 0; k < model.outputs; ++k) {
                for (Index j = 0; j < 5; ++j)
                  for (Index l = 0; l <= 5; ++l) {
                    if (hierarchy == Hierarchy::main && l < 5) continue;
                    if (generator.draw(3) == 0) other[(k * 5 + j) * model.stride() + l] += size * generator.uniform();
                  }
                if (hierarchy == Hierarchy::strong)
                  for (Index j = 0; j < 5; ++j)
                    for (Index l = 0; l < j; ++l)
                      other[(k * 5 + j) * model.stride() + l] = other[(k * 5 + l) * model.stride() + j];
                if (intercept) shifted[k] += size * generator.uniform();
              }
              EXPECT_GE(objective(other, shifted), report.dual_objective - 1e-12);
            }
            if (!intercept) {
              for (const double constant : b) EXPECT_EQ(constant, 0);
            }
            for (Index k = 0; k < model.outputs && hierarchy == Hierarchy::strong; ++k)
              for (Index j = 0; j < 5; ++j)
                for (Index l = 0; l < 5; ++l) {
                  EXPECT_EQ(model.interaction(j, l, k), model.interaction(l, j, k));
                }
          });
        }
}

TEST(InteractionAdmm, IsZeroFromLambdaMaxOn) {
  const Problem<double> problem(30, 4, 2, 3);
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms)
      for (const bool classes : {false, true}) {
        if (!is_problem(hierarchy, norm)) continue;
        if (norm == HierarchyNorm::ridge) {  // nothing becomes zero
          solve<double>(problem, classes, hierarchy, norm, 0.05, {.lambda = 0.1},
                        [](const auto& solver) { EXPECT_FALSE(finite(solver.report().lambda_max)); });
          continue;
        }
        double most = 0;
        solve<double>(problem, classes, hierarchy, norm, 0.05, {.lambda = 0.1, .intercept = !classes},
                      [&](const auto& solver) { most = solver.report().lambda_max; });
        ASSERT_GT(most, 0);
        for (const double factor : {1.0001, 0.98})  // λ₂ in the same proportion
          solve<double>(problem, classes, hierarchy, norm, 0.5 * factor * most,
                        {.lambda = factor * most, .tolerance = 1e-9, .intercept = !classes}, [&](const auto& solver) {
                          EXPECT_EQ(solver.report().status, Status::converged);
                          EXPECT_EQ(solver.report().nonzeros == 0, factor > 1);
                        });
      }
}

TEST(InteractionAdmm, FloatSaysHowFarItCertifies) {
  const Problem<float> problem(40, 5, 3, 11);
  for (const bool classes : {false, true})
    solve<float>(problem, classes, Hierarchy::strong, HierarchyNorm::l1, 0.01f, {.lambda = 0.02f, .tolerance = 1e-12f},
                 [&](const auto& solver) {
                   EXPECT_EQ(solver.report().status, Status::precision_limit);
                   EXPECT_LT(solver.report().relative_gap, 1e-3f);
                 });
}

TEST(InteractionAdmm, RefusesWhatItCannotSolve) {
  Problem<double> problem(20, 3, 2, 4);
  const auto status = [&](double lambda, double lambda2, double tolerance, std::size_t less, bool classes = false) {
    const auto targets = problem.targets(classes);
    const std::size_t bytes = InteractionAdmm<double>::requirement({20, 3, targets.classes}).bytes;
    std::vector<double> memory(bytes / sizeof(double) + 2, 7);
    std::byte* first = reinterpret_cast<std::byte*>(memory.data());
    while (reinterpret_cast<std::uintptr_t>(first) % Arena::alignment) ++first;
    InteractionAdmm<double> solver(problem.made.design(), targets, Hierarchy::weak, HierarchyNorm::l1, lambda2,
                                   {.lambda = lambda, .tolerance = tolerance});
    const bool runs = solver.start({first, bytes - less});
    EXPECT_EQ(runs, solver.report().status == Status::running);
    if (!has_model(solver.report().status)) {
      EXPECT_FALSE(solver.step());
      EXPECT_EQ(solver.model().features, 0u);
      for (const double untouched : memory) EXPECT_EQ(untouched, 7);
    }
    return solver.report().status;
  };
  EXPECT_EQ(status(0.1, 0.1, 1e-4, 0), Status::running);
  EXPECT_EQ(status(0.1, 0.1, 1e-4, 1), Status::arena_too_small);
  EXPECT_EQ(status(0, 0.1, 1e-4, 0), Status::invalid_lambda);
  EXPECT_EQ(status(0.1, -0.1, 1e-4, 0), Status::invalid_lambda);
  EXPECT_EQ(status(not_a_number<double>, 0.1, 1e-4, 0), Status::invalid_lambda);
  EXPECT_EQ(status(0.1, 0.1, 0, 0), Status::invalid_option);
  const auto refused_option = [&](Options<double> options) {
    InteractionAdmm<double> solver(problem.made.design(), problem.targets(false), Hierarchy::weak, HierarchyNorm::l1,
                                   0.1, options);
    EXPECT_FALSE(solver.start({}));
    return solver.report().status;
  };
  EXPECT_EQ(refused_option({.lambda = 0.1, .eta = 0.2}), Status::invalid_eta);
  EXPECT_EQ(refused_option({.lambda = 0.1, .margin = 2}), Status::invalid_margin);
  const auto refused = [&](Hierarchy hierarchy, double lambda2, const InteractionTargets<double>& targets) {
    InteractionAdmm<double> solver(problem.made.design(), targets, hierarchy, HierarchyNorm::l1, lambda2,
                                   {.lambda = 0.1});
    EXPECT_FALSE(solver.start({}));
    return solver.report().status;
  };
  EXPECT_EQ(refused(Hierarchy::full, 0, problem.targets(false)), Status::invalid_lambda);
  for (const Hierarchy tied : {Hierarchy::weak, Hierarchy::strong}) {
    InteractionAdmm<double> squares(problem.made.design(), problem.targets(false), tied, HierarchyNorm::ridge, 0.1,
                                    {.lambda = 0.1});
    EXPECT_FALSE(squares.warm_start(0.1, 0.1));
    EXPECT_FALSE(squares.start({}));
    EXPECT_EQ(squares.report().status, Status::invalid_combination);
  }
  auto both = problem.targets(true);
  both.values = problem.truth.data();
  EXPECT_EQ(refused(Hierarchy::weak, 0.1, both), Status::invalid_shape);
  EXPECT_GT(InteractionAdmm<double>::requirement({20, Index(-1), 1}).bytes, std::size_t(1) << 40);
  problem.made.labels[5] = 2;
  EXPECT_EQ(status(0.1, 0.1, 1e-4, 0, true), Status::invalid_label);
  problem.truth[7] = infinity<double>;
  EXPECT_EQ(status(0.1, 0.1, 1e-4, 0), Status::invalid_data);
  problem.made.values[3] = not_a_number<double>;
  EXPECT_EQ(status(0.1, 0.1, 1e-4, 0, true), Status::invalid_data);
}

// One sample, constant and duplicate columns, sizes that differ wildly.
TEST(InteractionAdmm, TakesDegenerateData) {
  for (const Hierarchy hierarchy : hierarchies)
    for (const HierarchyNorm norm : norms) {
      if (!is_problem(hierarchy, norm)) continue;
      solve<double>(Problem<double>(1, 3, 1, 8), false, hierarchy, norm, 0.05, {.lambda = 0.1, .intercept = false},
                    [](const auto& solver) { EXPECT_EQ(solver.report().status, Status::converged); });
      Problem<double> problem(25, 4, 2, 9);
      for (Index i = 0; i < 25; ++i) {
        problem.made.values[i] = 0;
        problem.made.values[i + 25] = 2;
        problem.made.values[i + 50] = problem.made.values[i + 75];
      }
      for (const bool classes : {false, true})
        solve<double>(problem, classes, hierarchy, norm, 0.05, {.lambda = 0.1},
                      [](const auto& solver) { EXPECT_EQ(solver.report().status, Status::converged); });
      for (Index i = 0; i < 25; ++i) problem.made.values[i + 75] *= 1e4;
      solve<double>(problem, false, hierarchy, norm, 0.05, {.lambda = 0.1, .max_iterations = 3000},
                    [](const auto& solver) {
                      EXPECT_TRUE(has_model(solver.report().status));
                      EXPECT_TRUE(std::isfinite(solver.report().objective));
                    });
    }
}

}  // namespace
}  // namespace tamis
