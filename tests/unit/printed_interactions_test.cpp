// Jiu et al.'s (2020) algorithms and those it compares them with: epigraph projections against their variational
// inequality, the solvers against certified optima, their memory and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"

namespace tamis {
namespace {

using as_printed::InteractionFista;
using as_printed::InteractionFistaDykstra;
using as_printed::InteractionPrimalDual;
using as_printed::StepRule;
using PrintedAdmm = as_printed::InteractionAdmm<double>;
using testing::Generator;
using testing::GuardedMemory;
using testing::Made;

// ---- projections ----------------------------------------------------------------------------------------------------

struct Point {
  std::vector<double> u;
  double plus, minus;

  double norm(HierarchyNorm norm) const {
    double sum = 0, top = 0;
    for (const double entry : u) {
      sum += std::abs(entry);
      top = std::max(top, std::abs(entry));
    }
    return norm == HierarchyNorm::l1 ? sum : top;
  }
};

Point draw(Generator& generator, std::size_t count) {
  Point out{std::vector<double>(count), 2 * generator.uniform(), 2 * generator.uniform()};
  const bool ties = generator.draw(3) == 0;
  for (double& entry : out.u) entry = ties ? double(generator.draw(3)) - 1 : 2 * generator.uniform();
  if (generator.draw(2) == 0) {  // often within the epigraph, often where nothing of u is left
    out.plus *= 8;
    out.minus *= 8;
  }
  return out;
}

// p is the projection of x onto the convex cone E iff p is in E, x − p ⊥ p and ⟨x − p, q⟩ ≤ 0 for every q in E.
TEST(RowEpigraph, ProjectionSatisfiesItsVariationalInequality) {
  Generator generator(3);
  for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf}) {
    int inside = 0, empty = 0;
    for (int round = 0; round < 4000; ++round) {
      const std::size_t count = 1 + generator.draw(7);
      const Point x = draw(generator, count);
      Point p = x;
      project_row_epigraph(norm, p.u.data(), static_cast<Index>(count), p.plus, p.minus);
      ASSERT_LE(p.norm(norm), p.plus + p.minus + 1e-12);
      const auto slope = [&](const Point& q) {
        double total = (x.plus - p.plus) * q.plus + (x.minus - p.minus) * q.minus;
        for (std::size_t l = 0; l < count; ++l) total += (x.u[l] - p.u[l]) * q.u[l];
        return total;
      };
      EXPECT_NEAR(slope(p), 0, 1e-11);
      for (int trial = 0; trial < 10; ++trial) {
        Point q = draw(generator, count);
        if (trial % 2 == 0) {  // near p
          for (std::size_t l = 0; l < count; ++l) q.u[l] = p.u[l] + 0.05 * q.u[l];
          q.plus = p.plus + 0.05 * q.plus;
        }
        q.minus = q.norm(norm) - q.plus + 0.01 * generator.draw(2);
        EXPECT_LE(slope(q), 1e-11);
      }
      if (x.norm(norm) <= x.plus + x.minus) {
        ++inside;
        EXPECT_EQ(p.u, x.u);
        EXPECT_EQ(p.plus, x.plus);
        EXPECT_EQ(p.minus, x.minus);
      }
      empty += p.norm(norm) == 0 && x.norm(norm) > 0;
    }
    EXPECT_GT(inside, 500);
    EXPECT_GT(empty, 100);
  }
}

// A point within E, and one at which no entry is left: the printed formulas move the one and miss the other.
TEST(RowEpigraph, CoversWhatThePaperLeavesOut) {
  for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf}) {
    double u[] = {0.25, -0.5}, plus = 1, minus = 0.5;
    project_row_epigraph(norm, u, 2, plus, minus);
    EXPECT_EQ(u[0], 0.25);
    EXPECT_EQ(u[1], -0.5);
    EXPECT_EQ(plus, 1);
    EXPECT_EQ(minus, 0.5);
    double v[] = {0.25, -0.5};
    plus = -5, minus = 1;
    project_row_epigraph(norm, v, 2, plus, minus);
    EXPECT_EQ(v[0], 0);
    EXPECT_EQ(v[1], 0);
    EXPECT_DOUBLE_EQ(plus, -3);
    EXPECT_DOUBLE_EQ(minus, 3);
  }
}

// ---- certified optima -----------------------------------------------------------------------------------------------

struct Case {
  std::string id, data;
  std::map<std::string, std::string> parameters;
  double optimum, bound;

  Hierarchy hierarchy() const { return parameters.at("hierarchy") == "weak" ? Hierarchy::weak : Hierarchy::strong; }
  HierarchyNorm norm() const { return parameters.at("r") == "1" ? HierarchyNorm::l1 : HierarchyNorm::linf; }
};

std::vector<Case> cases_of(const std::string& problem) {
  std::ifstream file(std::string(TAMIS_TEST_REFERENCE) + "/cases.csv");
  std::vector<Case> out;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id, kind, data, parameters, optimum, bound;
    for (std::string* field : {&id, &kind, &data, &parameters, &optimum, &bound}) std::getline(fields, *field, ',');
    if (kind != problem) continue;
    Case one{id, data, {}, std::stod(optimum), std::stod(bound)};
    std::istringstream pairs(parameters);
    for (std::string pair; std::getline(pairs, pair, ';');)
      one.parameters[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
    out.push_back(one);
  }
  return out;
}

/// Samples column by column, and their targets.
struct Data {
  std::vector<double> x, y;
  std::vector<Label> labels;
  Index samples = 0, features = 0, classes = 1;

  explicit Data(const std::string& name, bool has_classes) {
    const std::string stem = std::string(TAMIS_TEST_REFERENCE) + "/data/" + name;
    std::vector<std::vector<double>> rows;
    std::ifstream samples_file(stem + "_X.csv"), targets(stem + "_y.csv");
    for (std::string line; std::getline(samples_file, line);) {
      rows.emplace_back();
      std::istringstream fields(line);
      for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(std::stod(field));
    }
    for (double value; targets >> value;) y.push_back(value);
    samples = static_cast<Index>(rows.size());
    features = static_cast<Index>(rows.front().size());
    for (Index j = 0; j < features; ++j)
      for (const auto& row : rows) x.push_back(row[j]);
    if (!has_classes) return;
    for (const double value : y) {
      labels.push_back(static_cast<Label>(value));
      classes = std::max(classes, static_cast<Index>(value) + 1);
    }
  }
  DenseDesign<double> design() const { return {x.data(), samples, features}; }
  InteractionTargets<double> targets() const {
    InteractionTargets<double> out;
    if (labels.empty()) out.values = y.data();
    else out.labels = labels, out.classes = classes;
    return out;
  }
};

/// Runs to a certified gap of `tolerance`, and checks objective, bound and symmetry.
template <class Solver, class Prepare>
void expect_optimum(const Case& c, double tolerance, Prepare prepare) {
  SCOPED_TRACE(c.id);
  const bool classes = c.id.starts_with("C_cls");
  const Data data(c.data, classes);
  const double lambda = std::stod(c.parameters.at(classes ? "lambda1" : "lambda"));
  const double lambda2 = classes ? std::stod(c.parameters.at("lambda2")) : lambda / 2;
  const double n = data.samples;
  GuardedMemory memory(Solver::requirement({data.samples, data.features, data.classes}).bytes);
  Solver solver(data.design(), data.targets(), c.hierarchy(), c.norm(), lambda2 / n,
                {.lambda = lambda / n, .tolerance = tolerance, .max_iterations = 100000, .intercept = false});
  prepare(solver);
  ASSERT_TRUE(solver.start(memory.span())) << solver.refusal();
  while (solver.step()) {
  }
  EXPECT_TRUE(memory.surroundings_intact());
  const auto& report = solver.report();
  EXPECT_EQ(report.status, Status::converged) << report.relative_gap;
  EXPECT_EQ(report.arena_bytes, report.arena_used_bytes);
  EXPECT_LE(report.objective * n, c.optimum / (1 - tolerance));
  EXPECT_GE(report.objective * n, c.bound * (1 - 1e-9));
  EXPECT_LE(report.dual_objective * n, c.optimum * (1 + 1e-9));
  EXPECT_GE(report.dual_objective * n, c.bound * (1 - tolerance));
  const auto model = solver.model();
  for (Index k = 0; k < model.outputs && c.hierarchy() == Hierarchy::strong; ++k)
    for (Index j = 0; j < model.features; ++j)
      for (Index l = 0; l < j; ++l) EXPECT_EQ(model.interaction(j, l, k), model.interaction(l, j, k));
}
constexpr auto as_it_is = [](auto&) {};

TEST(PrintedInteractions, PrimalDualReachesTheOptimumOfRegressions) {
  for (const Case& c : cases_of("C_reg")) {
    if (c.data == "int30") continue;
    expect_optimum<InteractionPrimalDual<double>>(c, 1e-4, as_it_is);
    expect_optimum<InteractionPrimalDual<double>>(c, 1e-6, [](auto& solver) { solver.set_steps(StepRule::measured); });
  }
}
// The printed bound makes steps so short that only the bounds of a wide gap are reached in a short test.
TEST(PrintedInteractions, PrimalDualReachesTheOptimumOfClassifications) {
  for (const Case& c : cases_of("C_cls")) {
    const bool small = c.data == "lcg13";
    expect_optimum<InteractionPrimalDual<double>>(c, small ? 0.3 : 0.7, as_it_is);
    expect_optimum<InteractionPrimalDual<double>>(c, small ? 3e-3 : 0.3,
                                                  [](auto& solver) { solver.set_steps(StepRule::measured); });
  }
}
TEST(PrintedInteractions, FistaReachesTheOptimum) {
  for (const std::string problem : {"C_reg", "C_cls"})
    for (const Case& c : cases_of(problem)) {
      const bool large = c.data == "int30" || c.data == "iris50std";
      if (c.id.ends_with("int30_lam14")) continue;
      if (c.hierarchy() == Hierarchy::weak) expect_optimum<InteractionFista<double>>(c, large ? 0.1 : 1e-6, as_it_is);
      else expect_optimum<InteractionFistaDykstra<double>>(c, large ? 0.1 : 1e-5, as_it_is);
    }
}
TEST(PrintedInteractions, AdmmReachesTheOptimum) {
  for (const Case& c : cases_of("C_reg"))
    if (c.hierarchy() == Hierarchy::strong && c.norm() == HierarchyNorm::l1 && c.data != "int30")
      for (const double rho : {1.0, double(Data(c.data, false).samples)})
        expect_optimum<PrintedAdmm>(c, 1e-5, [rho](auto& solver) { solver.set_splitting(rho, {1e-7, 500}); });
}

// ---- what else a solver promises ------------------------------------------------------------------------------------

template <class T>
struct Problem {
  Made<T> made{30, 4, 3, 11};
  std::vector<T> truth;

  Problem() {
    for (Index i = 0; i < 30; ++i) {
      const auto x = [&](Index j) { return made.values[i + j * 30]; };
      truth.push_back(T(1) + x(0) - 2 * x(1) + 3 * x(0) * x(1));
    }
  }
  InteractionTargets<T> targets(bool classes) const {
    InteractionTargets<T> out;
    if (classes) out.labels = made.labels, out.classes = made.classes;
    else out.values = truth.data();
    return out;
  }
};

/// Visits each class of solvers with a problem that it accepts: visit(solver type, hierarchy, norm, classes).
template <class T, class Visit>
void for_each_solver(Visit visit) {
  for (const bool classes : {false, true})
    for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf}) {
      for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::strong})
        visit(std::type_identity<InteractionPrimalDual<T>>{}, hierarchy, norm, classes);
      for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::full, Hierarchy::main})
        visit(std::type_identity<InteractionFista<T>>{}, hierarchy, norm, classes);
      visit(std::type_identity<InteractionFistaDykstra<T>>{}, Hierarchy::strong, norm, classes);
    }
  visit(std::type_identity<as_printed::InteractionAdmm<T>>{}, Hierarchy::strong, HierarchyNorm::l1, false);
}

// They agree with the solver that is not printed, and report the objective of the model they return.
TEST(PrintedInteractions, AgreeWithTheDefaultSolver) {
  const Problem<double> problem;
  for_each_solver<double>([&]<class Solver>(std::type_identity<Solver>, Hierarchy hierarchy, HierarchyNorm norm,
                                            bool classes) {
    SCOPED_TRACE(std::string(name(hierarchy)) + name(norm) + (classes ? " classes" : ""));
    Options<double> options{.lambda = 0.1, .tolerance = 1e-4, .intercept = false};
    const auto targets = problem.targets(classes);
    const Shape shape{30, 4, targets.classes};
    GuardedMemory memory(Solver::requirement(shape).bytes), other(InteractionAdmm<double>::requirement(shape).bytes);
    Solver solver(problem.made.design(), targets, hierarchy, norm, 0.05, options);
    solver.start(memory.span());
    EXPECT_EQ(solver.certificates(), 1u);
    while (solver.step()) {
    }
    options.tolerance = 1e-7;
    InteractionAdmm<double> ours(problem.made.design(), targets, hierarchy, norm, 0.05, options);
    ours.start(other.span());
    while (ours.step()) {
    }
    const auto &report = solver.report(), &expected = ours.report();
    ASSERT_EQ(report.status, Status::converged);
    EXPECT_LE(report.objective, expected.objective * (1 + 1e-4));
    EXPECT_GE(report.objective, expected.dual_objective);
    EXPECT_LE(report.dual_objective, expected.objective * (1 + 1e-12));
    if (hierarchy == Hierarchy::strong) {
      EXPECT_LE(expected.lambda_max, report.lambda_max + 1e-12);  // both are upper bounds
    } else {
      EXPECT_NEAR(report.lambda_max, expected.lambda_max, 1e-12);
    }
    EXPECT_EQ(report.arena_bytes, report.arena_used_bytes);
    EXPECT_TRUE(memory.surroundings_intact());
    const auto model = solver.model(), iterate = solver.iterate();
    double total = 0, apart = 0;
    const HierarchicalPenalty<double> penalty{hierarchy, norm, 0.1, 0.05};
    for (Index i = 0; i < 30; ++i) {
      const double* x = problem.made.values.data() + i;
      double z[3] = {};
      for (Index k = 0; k < model.outputs; ++k) z[k] = model.score(x, 30, k);
      total += classes ? SquaredHinge{}.value(z, 3, problem.made.labels[i], 1.0) / 30
                       : std::pow(problem.truth[i] - z[0], 2) / 60;
    }
    for (Index k = 0; k < model.outputs; ++k) {
      EXPECT_EQ(model.intercept(k), 0);
      for (Index j = 0; j < 4; ++j) {
        total += penalty.value(model.row(k, j), 4);
        for (Index l = 0; l <= 4; ++l) apart += std::abs(model.row(k, j)[l] - iterate.row(k, j)[l]);
      }
    }
    EXPECT_NEAR(total, report.objective, 1e-12);
    EXPECT_LT(apart, 0.05);
  });
}

TEST(PrintedInteractions, FloatCertifiesToo) {
  const Problem<float> problem;
  for_each_solver<float>(
      [&]<class Solver>(std::type_identity<Solver>, Hierarchy hierarchy, HierarchyNorm norm, bool classes) {
        const auto targets = problem.targets(classes);
        GuardedMemory memory(Solver::requirement({30, 4, targets.classes}).bytes);
        Solver solver(problem.made.design(), targets, hierarchy, norm, 0.05f,
                      {.lambda = 0.1f, .tolerance = 1e-3f, .intercept = false});
        solver.start(memory.span());
        while (solver.step()) {
        }
        EXPECT_EQ(solver.report().status, Status::converged) << name(hierarchy) << name(norm) << classes;
      });
}

// A refusal has its status, says why, and touches nothing.
TEST(PrintedInteractions, RefuseWhatTheyDoNotKnow) {
  Problem<double> problem;
  const auto refused = [&]<class Solver>(std::type_identity<Solver>, Hierarchy hierarchy, HierarchyNorm norm,
                                         bool classes, Options<double> options, std::size_t less = 0) {
    const auto targets = problem.targets(classes);
    GuardedMemory memory(Solver::requirement({30, 4, targets.classes}).bytes - less);
    Solver solver(problem.made.design(), targets, hierarchy, norm, 0.05, options);
    EXPECT_FALSE(solver.start(memory.span()));
    EXPECT_FALSE(solver.step());
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(solver.model().features, 0u);
    EXPECT_EQ(solver.iterate().features, 0u);
    const Status status = solver.report().status;
    EXPECT_EQ(solver.refusal()[0] != '\0', status == Status::invalid_combination);
    return status;
  };
  const Options<double> plain{.lambda = 0.1, .intercept = false};
  for_each_solver<double>(
      [&]<class Solver>(std::type_identity<Solver> type, Hierarchy hierarchy, HierarchyNorm norm, bool classes) {
        const auto status = [&](Options<double> options, std::size_t less = 0) {
          return refused(type, hierarchy, norm, classes, options, less);
        };
        EXPECT_EQ(status({.lambda = 0.1}), Status::invalid_combination);  // an intercept
        EXPECT_EQ(status({.lambda = 0, .intercept = false}), Status::invalid_lambda);
        EXPECT_EQ(status({.lambda = 0.1, .tolerance = 0, .intercept = false}), Status::invalid_option);
        EXPECT_EQ(status({.lambda = 0.1, .margin = 2, .intercept = false}), Status::invalid_margin);
        EXPECT_EQ(status({.lambda = 0.1, .intercept = false, .eta = 1}), Status::invalid_eta);
        EXPECT_EQ(status(plain, 1), Status::arena_too_small);
        EXPECT_GT(Solver::requirement({20, Index(-1), 1}).bytes, std::size_t(1) << 40);
      });
  const auto l1 = HierarchyNorm::l1;
  EXPECT_EQ(refused(std::type_identity<InteractionPrimalDual<double>>{}, Hierarchy::full, l1, false, plain),
            Status::invalid_combination);
  EXPECT_EQ(refused(std::type_identity<InteractionFista<double>>{}, Hierarchy::strong, l1, false, plain),
            Status::invalid_combination);
  EXPECT_EQ(refused(std::type_identity<InteractionFistaDykstra<double>>{}, Hierarchy::weak, l1, false, plain),
            Status::invalid_combination);
  const std::type_identity<PrintedAdmm> admm;
  EXPECT_EQ(refused(admm, Hierarchy::weak, l1, false, plain), Status::invalid_combination);
  EXPECT_EQ(refused(admm, Hierarchy::strong, HierarchyNorm::linf, false, plain), Status::invalid_combination);
  EXPECT_EQ(refused(admm, Hierarchy::strong, l1, true, plain), Status::invalid_combination);
  problem.truth[7] = infinity<double>;
  EXPECT_EQ(refused(admm, Hierarchy::strong, l1, false, plain), Status::invalid_data);
  problem.made.labels[5] = 3;
  EXPECT_EQ(refused(std::type_identity<InteractionFista<double>>{}, Hierarchy::weak, l1, true, plain),
            Status::invalid_label);
}

TEST(PrintedInteractions, RefuseInnerLoopsWithoutAnEnd) {
  const Problem<double> problem;
  const auto status = [&](auto solver, auto prepare) {
    prepare(solver);
    GuardedMemory memory(solver.requirement({30, 4, 1}).bytes);
    EXPECT_FALSE(solver.start(memory.span()));
    return solver.report().status;
  };
  const Options<double> options{.lambda = 0.1, .intercept = false};
  const auto make = [&]<class Solver>(std::type_identity<Solver>) {
    return Solver(problem.made.design(), problem.targets(false), Hierarchy::strong, HierarchyNorm::l1, 0.05, options);
  };
  const auto dykstra = make(std::type_identity<InteractionFistaDykstra<double>>{});
  const auto admm = make(std::type_identity<PrintedAdmm>{});
  EXPECT_EQ(status(dykstra, [](auto& solver) { solver.set_inner({1e-8, 0}); }), Status::invalid_option);
  EXPECT_EQ(status(admm, [](auto& solver) { solver.set_splitting(0, {1e-8, 5}); }), Status::invalid_option);
  EXPECT_EQ(status(admm, [](auto& solver) { solver.set_splitting(1, {-1, 5}); }), Status::invalid_option);
}

}  // namespace
}  // namespace tamis
