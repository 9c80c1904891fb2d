// Stability selection in C: the counts of C++, an observer that watches and stops, every refusal with its place.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core.hpp"
#include "support/problems.hpp"
#include "tamis_stability.h"

namespace {

using tamis::Index;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

constexpr double lambdas[] = {0.2, 0.1, 0.05};

/// A problem and a grid in C, double precision.
struct Case {
  Made<double> made{60, 12, 3, 7};
  tamis_problem_f64 p;
  tamis_grid_f64 grid;
  tamis_stability_options options;

  Case() {
    tamis_default_problem_f64(&p);
    p.loss = TAMIS_SQUARED_HINGE;
    p.penalty = TAMIS_GROUP_L2;
    p.tolerance = 1e-6;
    p.samples = 60;
    p.features = 12;
    p.classes = 3;
    p.values = made.values.data();
    p.labels = made.labels.data();
    tamis_default_grid_f64(&grid);
    grid.lambdas = lambdas;
    grid.points = 3;
    tamis_default_stability_options(&options);
    EXPECT_EQ(options.pairs, 50u);
    EXPECT_EQ(options.seed, 0u);
    options.pairs = 4;
    options.seed = 9;
  }
  Case(const Case&) = delete;
};

TEST(CStability, CountsAsCppDoes) {
  for (const bool listed : {false, true}) {
    Case at;
    const std::uint32_t order[] = {11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, starts[] = {0, 2, 4, 6, 12};
    if (listed) {
      at.p.group_order = order;
      at.p.group_starts = starts;
      at.p.group_count = 4;
    }
    const auto groups = listed ? tamis::Groups::listed(order, starts, 4) : tamis::Groups::rows();
    using Trainer = tamis::core::Training<double>;
    const auto dense = at.made.design();
    const tamis::AnyDesign<double> design(dense);
    const tamis::ProblemSpec choice{tamis::LossKind::squared_hinge, tamis::PenaltyKind::group_l2, groups};
    const auto make = [&](const tamis::Targets<double>& targets) {
      return Trainer(choice, design, targets, {.tolerance = 1e-6});
    };
    using Stability = tamis::StabilitySelection<double, decltype(make)>;
    const std::size_t bytes = tamis_stability_bytes_f64(&at.p, &at.grid);
    ASSERT_EQ(bytes,
              Stability::requirement(at.made.shape(), groups, 3, Trainer::requirement(choice, at.made.shape())).bytes);
    EXPECT_GE(tamis_stability_fast_bytes_f64(&at.p, &at.grid, 720, 30), bytes);
    GuardedMemory memory(bytes), own(bytes);
    Stability expected(make, 12, at.made.targets(), {lambdas, 3}, {.pairs = 4, .seed = 9, .groups = groups});
    expected.start(own.span());
    while (expected.step()) {
    }
    ASSERT_EQ(expected.status(), tamis::Status::converged);

    tamis_stability_f64 run;
    auto status = tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes);
    EXPECT_EQ(tamis_stability_frequency_f64(&run, 0, TAMIS_ANY_POINT), 0);
    while (status == TAMIS_RUNNING) status = tamis_stability_step_f64(&run, 5);
    ASSERT_EQ(status, TAMIS_CONVERGED);
    EXPECT_TRUE(memory.surroundings_intact());
    tamis_stability_progress_f64 progress;
    tamis_stability_progress_of_f64(&run, &progress);
    EXPECT_EQ(progress.status, std::uint32_t(TAMIS_CONVERGED));
    EXPECT_EQ(progress.halves, 8u);
    EXPECT_EQ(progress.units, listed ? 4u : 12u);
    EXPECT_EQ(progress.selected, expected.selected_by_half());
    EXPECT_GT(progress.selected, 1);
    double sum = 0;
    for (std::uint32_t g = 0; g < progress.units; ++g) {
      for (std::uint32_t l = 0; l < 3; ++l)
        EXPECT_EQ(tamis_stability_frequency_f64(&run, g, l), expected.frequency(g, l));
      EXPECT_EQ(tamis_stability_frequency_f64(&run, g, TAMIS_ANY_POINT), expected.frequency(g));
      sum += expected.frequency(g);
    }
    EXPECT_LT(sum, listed ? 4.5 : 12) << "something is left out by some half";
    EXPECT_EQ(tamis_stability_frequency_f64(&run, progress.units, 0), 0);
    EXPECT_EQ(tamis_stability_frequency_f64(&run, 0, 3), 0);
    EXPECT_EQ(tamis_stability_false_selections_f64(&run, 0.8), expected.false_selections(0.8));
    EXPECT_EQ(tamis_stability_false_selections_f64(&run, 0.5), INFINITY);
    EXPECT_EQ(tamis_stability_threshold_f64(&run, 1), expected.threshold(1));
    tamis_report_f64 report;
    tamis_stability_report_f64(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(TAMIS_CONVERGED));
    const std::size_t least =
        Stability::requirement(at.made.shape(), groups, 3, Trainer::requirement(choice, at.made.shape())).bytes;
    EXPECT_EQ(report.arena_bytes, least);
    EXPECT_EQ(tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, own.span().data(), least), TAMIS_RUNNING);
    EXPECT_EQ(tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, own.span().data(), least - 1),
              TAMIS_ARENA_TOO_SMALL);
  }
}

TEST(CStability, IsWatchedAndStopped) {
  const Case at;
  const std::size_t bytes = tamis_stability_bytes_f64(&at.p, &at.grid);
  GuardedMemory memory(bytes);
  struct Watch {
    std::vector<std::uint32_t> halves;
    std::uint32_t most;
    static int look(void* context, const tamis_stability_progress_f64* now) {
      auto& watch = *static_cast<Watch*>(context);
      watch.halves.push_back(now->halves);
      return now->halves < watch.most;
    }
  };
  tamis_stability_f64 run;
  const auto watched = [&](Watch& watch) {
    return tamis_stability_run_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes, Watch::look,
                                   &watch);
  };
  Watch all{{}, 100}, some{{}, 3};
  EXPECT_EQ(watched(all), TAMIS_CONVERGED);
  EXPECT_EQ(all.halves, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  const double frequency = tamis_stability_frequency_f64(&run, 0, TAMIS_ANY_POINT);
  EXPECT_EQ(tamis_stability_run_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes, nullptr, nullptr),
            TAMIS_CONVERGED);
  EXPECT_EQ(tamis_stability_frequency_f64(&run, 0, TAMIS_ANY_POINT), frequency);
  EXPECT_EQ(watched(some), TAMIS_STOPPED);
  EXPECT_EQ(some.halves, (std::vector<std::uint32_t>{1, 2, 3}));
  tamis_stability_progress_f64 progress;
  tamis_stability_progress_of_f64(&run, &progress);
  EXPECT_EQ(progress.halves, 3u);
  EXPECT_EQ(tamis_stability_step_f64(&run, 10), TAMIS_STOPPED);
  ASSERT_EQ(tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes), TAMIS_RUNNING);
  tamis_stability_stop_f64(&run);
  EXPECT_EQ(tamis_stability_step_f64(&run, 10), TAMIS_STOPPED);
}

TEST(CStability, SaysWhatIsWrong) {
  const auto expect = [](tamis_status status, auto change, std::uint32_t row = 0, std::uint32_t column = 0,
                         bool touched = false, std::size_t missing = 0) {
    Case at;
    const std::size_t bytes = tamis_stability_bytes_f64(&at.p, &at.grid) - missing;
    change(at);
    GuardedMemory memory(bytes);
    tamis_stability_f64 run;
    EXPECT_EQ(tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes), status);
    EXPECT_EQ(memory.untouched(), !touched);
    EXPECT_EQ(tamis_stability_step_f64(&run, 5), status);
    EXPECT_EQ(
        tamis_stability_run_f64(&run, &at.p, &at.grid, &at.options, memory.span().data(), bytes, nullptr, nullptr),
        status);
    tamis_report_f64 report;
    tamis_stability_report_f64(&run, &report);
    EXPECT_EQ(report.status, std::uint32_t(status));
    EXPECT_EQ(report.row, row);
    EXPECT_EQ(report.column, column);
    tamis_stability_progress_f64 progress;
    tamis_stability_progress_of_f64(&run, &progress);
    EXPECT_EQ(progress.status, std::uint32_t(status));
    EXPECT_EQ(progress.halves, 0u);
    EXPECT_EQ(tamis_stability_frequency_f64(&run, 0, 0), 0);
    tamis_stability_stop_f64(&run);
  };
  expect(TAMIS_INVALID_OPTION, [](Case& c) { c.options.pairs = 0; });
  expect(TAMIS_INVALID_OPTION, [](Case& c) { c.p.loss = 99; });
  expect(TAMIS_INVALID_LAMBDA, [](Case& c) { c.grid.lambdas = nullptr; });
  expect(TAMIS_INVALID_ETA, [](Case& c) { c.p.eta = 1; });
  expect(TAMIS_INVALID_COMBINATION, [](Case& c) { c.p.solver = TAMIS_CRAMMER_SINGER_DUAL; });
  expect(TAMIS_INVALID_SHAPE, [](Case& c) { c.p.labels = nullptr; });
  expect(
      TAMIS_INVALID_LABEL, [](Case& c) { c.made.labels[6] = 3; }, 6);
  expect(
      TAMIS_ARENA_TOO_SMALL, [](Case&) {}, 0, 0, true, 4000);
  expect(
      TAMIS_INVALID_DATA, [](Case& c) { c.made.values[7 + 2 * 60] = NAN; }, 7, 2, true);
  expect(
      TAMIS_MISSING_CLASS,
      [](Case& c) {
        for (auto& y : c.made.labels) y = y == 1 ? 0 : y;
        c.made.labels[4] = 1;
      },
      0, 1, true);
  Case at;
  at.p.eta = 1;
  EXPECT_EQ(tamis_stability_bytes_f64(&at.p, &at.grid), 0u);
  tamis_stability_f64 run;
  EXPECT_EQ(tamis_stability_start_f64(&run, &at.p, &at.grid, &at.options, nullptr, 0), TAMIS_INVALID_ETA);
  EXPECT_TRUE(std::isnan(tamis_stability_threshold_f64(&run, 1)));
}

}  // namespace
