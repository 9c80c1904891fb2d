// What a path costs beside one solve, and cross-validation beside a path: CPU seconds, the least of three.
// Run: bench_paths
// Or a logistic path at λs that are given, for peers/paths.py: CPU seconds, the least of three, then the objectives.
// Run: bench_paths DATA.csv|DATA.svm LAMBDAS l1|group-l2 TOLERANCE
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>

#include "data.hpp"
#include "problem.hpp"
#include "tamis/selection/cross_validation.hpp"
#include "tamis/training.hpp"

namespace {

using namespace tamis;

/// Of the processor, the least of three.
template <class Work>
double least_seconds(Work work) {
  double least = infinity<double>;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto started = std::clock();
    work();
    least = std::min(least, double(std::clock() - started) / CLOCKS_PER_SEC);
  }
  return least;
}

template <class Loss, class Penalty>
void measure(const char* title, const DenseDesign<double>& design, const Targets<double>& targets, double ratio) {
  constexpr Index points = 100, folds = 5;
  using Training = Training<double, Loss, Penalty>;
  const Training training({});
  const auto make = [&](const Targets<double>& these) { return training.solver(design, these); };
  using P = Path<double, decltype(make)>;
  using CV = CrossValidation<double, decltype(make), DenseDesign<double>, Loss>;
  const Shape shape{design.samples(), design.features(), targets.classes};
  const Requirement solver{Training::bytes(shape, {std::size_t{shape.samples} * shape.features, 300})};
  const std::size_t bytes = CV::requirement(shape, folds, points, solver).bytes;  // one arena for all
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  const std::span<std::byte> arena(memory.get(), bytes);

  Grid<double> grid{.points = points, .ratio = ratio};
  std::uint64_t iterations = 0;
  const double path = least_seconds([&] {
    iterations = 0;
    P run(make, shape.features, targets, {.points = points, .ratio = ratio});
    run.start(arena);
    advance_path(run, [&](const P& at) {
      iterations += at.report().iterations;
      return true;
    });
    grid = run.grid();
  });
  std::uint32_t cold_iterations = 0;
  const double cold = least_seconds(
      [&] { cold_iterations = Training({.lambda = grid.at(points - 1)}).run(design, targets, arena).iterations; });
  std::vector<Index> fold(shape.samples), order(shape.samples);
  Index rare = 0;
  deal_folds(targets.labels, targets.classes, folds, true, 1, fold.data(), order.data(), rare);
  const double validated = least_seconds([&] {
    CV run(make, design, targets, Loss{}, fold.data(), folds, grid);
    run.start(arena);
    while (run.step()) {
    }
  });
  std::printf(
      "%s, lambda_max to %g of it, certified 1e-4\n"
      "  one solve at the smallest lambda   %8.3f s  %u iterations\n"
      "  path of %u lambdas                %8.3f s  %llu iterations: %.1f solves\n"
      "  %u folds of it, and the path       %8.3f s: %.2f paths; %zu bytes of arena for all\n",
      title, ratio, cold, cold_iterations, points, path, static_cast<unsigned long long>(iterations), path / cold,
      folds, path + validated, (path + validated) / path, bytes);
}

template <class Penalty, class Design>
void solve_at(const Design& design, const Targets<double>& targets, const std::vector<double>& lambdas,
              double tolerance) {
  using Training = Training<double, Logistic, Penalty, Design>;
  const Training training({.tolerance = tolerance});
  const auto make = [&](const Targets<double>& these) { return training.solver(design, these); };
  using P = Path<double, decltype(make)>;
  const Shape shape{design.samples(), design.features(), targets.classes};
  const Requirement solver{Training::bytes(shape, {design.entries(nullptr, shape.features), 1500})};
  const std::size_t bytes = P::requirement(shape, solver).bytes;
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free);
  std::vector<double> objectives;
  const double least = least_seconds([&] {
    objectives.clear();
    P run(make, shape.features, targets, {.values = lambdas.data(), .points = static_cast<Index>(lambdas.size())});
    run.start({memory.get(), bytes});
    advance_path(run, [&](const P& at) {
      objectives.push_back(at.report().objective);
      return true;
    });
  });
  std::printf("%g\n", least);
  for (const double objective : objectives) std::printf("%.15g\n", objective);
}

}  // namespace

int main(int count, char** words) {
  if (count == 5) {
    const cli::Table table = cli::read_table(words[1], {});
    const auto classes = cli::class_names(table.labels);
    const auto labels = cli::encode(table, classes);
    const auto samples = static_cast<Index>(table.samples), features = static_cast<Index>(table.features);
    const Targets<double> targets{labels, static_cast<Index>(classes.size())};
    std::vector<double> lambdas;
    std::ifstream file(words[2]);
    for (double lambda; file >> lambda;) lambdas.push_back(lambda);
    const auto solve = [&](const auto& design) {
      if (std::string(words[3]) == "l1") solve_at<L1>(design, targets, lambdas, std::atof(words[4]));
      else solve_at<GroupL2>(design, targets, lambdas, std::atof(words[4]));
    };
    const double* const values = table.values.data();
    if (table.sparse) solve(SparseDesign<double>(values, table.rows.data(), table.starts.data(), samples, features));
    else solve(DenseDesign<double>(values, samples, features));
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each is shown as it is done
  cli::ReadOptions options;
  options.scale = 16;
  const cli::Table table = cli::read_table(std::string(TAMIS_TEST_DATA) + "/digits.csv", options);
  const auto classes = cli::class_names(table.labels);
  const auto labels = cli::encode(table, classes);
  const DenseDesign<double> design(table.values.data(), static_cast<Index>(table.samples),
                                   static_cast<Index>(table.features));
  const Targets<double> targets{labels, static_cast<Index>(classes.size())};
  measure<SquaredHinge, GroupL2>("digits, squared hinge, group-l2", design, targets, 1e-2);
  measure<SquaredHinge, GroupL2>("digits, squared hinge, group-l2", design, targets, 1e-3);
  measure<Logistic, GroupL2>("digits, logistic, group-l2", design, targets, 1e-2);
  measure<Logistic, L1>("digits, logistic, l1", design, targets, 1e-2);
  measure<Hinge, L1>("digits, hinge, l1", design, targets, 1e-1);
}
