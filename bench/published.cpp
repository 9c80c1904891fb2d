// Whole solves of the exact hinge against the published algorithm. Data sets beyond those that ship come from
// TAMIS_DATA. Run: bench_published
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data.hpp"
#include "problem.hpp"
#include "training.hpp"

namespace tamis::bench {

namespace {

/// A whole training by one solver.
struct Solve {
  std::string status;
  std::uint32_t iterations = 0;
  double seconds = 0;
  double relative_gap = 0;
};

/// Two solvers on the same problem; `ratio` is that of iterations or of seconds, baseline over ours.
struct Comparison {
  std::string name;
  std::string baseline, ours;
  std::string measure;  ///< "iterations" or "seconds"
  double target;        ///< the ratio aimed at
  std::function<Solve()> run_baseline, run_ours;
  bool available;  ///< false: the data are not there
};

/// A data set ready to be solved again and again, in double.
struct Loaded {
  cli::Table table;
  std::vector<Label> labels;
  Index classes = 0;

  Loaded(const std::string& path, double scale, bool standardised) {
    cli::ReadOptions options;
    options.scale = scale;
    table = cli::read_table(path, options);
    const auto names = cli::class_names(table.labels);
    labels = cli::encode(table, names);
    classes = static_cast<Index>(names.size());
    if (standardised) cli::standardise(table);
  }
};

Solve solve(const Loaded& data, SolverKind kind, double lambda, double tolerance, double limit_seconds) {
  const cli::Samples<double> samples(data.table);
  const Targets<double> targets{data.labels, data.classes};
  const ProblemSpec choice{LossKind::hinge, PenaltyKind::l1, {}, kind};
  const std::size_t bytes = cli::CommandTraining<double>::requirement(
                                choice, {targets.samples(), static_cast<Index>(data.table.features), data.classes})
                                .bytes;
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  cli::CommandTraining<double> training(choice, samples.design(), targets, {.lambda = lambda, .tolerance = tolerance});
  const auto started = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  training.start({memory.get(), bytes});
  while (training.step())
    if (training.report().iterations % 64 == 0 && elapsed() > limit_seconds) training.stop();
  const auto& report = training.report();
  return {name(report.status), report.iterations, elapsed(), report.relative_gap};
}

Comparison against_the_printed(const std::string& title, std::shared_ptr<Loaded> data, double lambda,
                               const std::string& measure, double target, double limit_seconds) {
  Comparison c{title,
               tamis::name(SolverKind::primal_dual_as_printed),
               tamis::name(SolverKind::primal_dual),
               measure,
               target,
               {},
               {},
               data != nullptr};
  c.run_baseline = [=] { return solve(*data, SolverKind::primal_dual_as_printed, lambda, 1e-3, limit_seconds); };
  c.run_ours = [=] { return solve(*data, SolverKind::primal_dual, lambda, 1e-3, limit_seconds); };
  return c;
}

std::vector<Comparison> comparisons() {
  std::vector<Comparison> out;
  const auto digits = std::make_shared<Loaded>(std::string(TAMIS_TEST_DATA) + "/digits.csv", 16, false);
  out.push_back(against_the_printed("digits, 1797 rows, hinge + l1, lambda 1/1797, certified 1e-3", digits, 1.0 / 1797,
                                    "iterations", 4, 60));
  const char* data = std::getenv("TAMIS_DATA");
  std::shared_ptr<Loaded> golub;
  if (data) golub = std::make_shared<Loaded>(std::string(data) + "/golub/golub_train.csv.gz", 1, true);
  out.push_back(against_the_printed("leukemia, 38 rows, hinge + l1, lambda_A 0.1, certified 1e-3", golub,
                                    1 / (38 * 0.1), "seconds", 30, 60));
  return out;
}

int print_comparisons() {
  std::printf("\n%-66s %12s %10s %14s\n", "problem (one thread, double)", "iterations", "seconds", "relative gap");
  for (const auto& c : comparisons()) {
    if (!c.available) {
      std::printf("%-66s skipped: set TAMIS_DATA\n", c.name.c_str());
      continue;
    }
    std::printf("%s\n", c.name.c_str());
    const auto show = [](const std::string& solver, const Solve& s) {
      std::printf("    %-62s %12u %10.3f %14.2e  %s\n", solver.c_str(), s.iterations, s.seconds, s.relative_gap,
                  s.status.c_str());
      std::fflush(stdout);
    };
    const Solve ours = c.run_ours(), baseline = c.run_baseline();
    show(c.ours, ours);
    show(c.baseline, baseline);
    const bool by_iterations = c.measure == "iterations";
    const double ratio =
        by_iterations ? double(baseline.iterations) / ours.iterations : baseline.seconds / ours.seconds;
    std::printf("    ratio of %s: %s%.1f (aim: %.0f)\n", c.measure.c_str(),
                baseline.status == "stopped" ? "more than " : "", ratio, c.target);
  }
  return 0;
}

}  // namespace

}  // namespace tamis::bench

int main() { return tamis::bench::print_comparisons(); }
