#pragma once
/// What the experiments of paper A share: data and subsets, whole solves timed in CPU time.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../papers/common.hpp"

namespace tamis::paper_a {

using namespace papers;

struct Run : papers::Run {
  bool agreed = true;  ///< set to false by an experiment that finds solvers at odds
};

// ---- data -----------------------------------------------------------------------------------------------------------

/// Reads two files of a data set; the classes are those of the first.
struct TrainAndTest {
  Labelled train, test;
};
TrainAndTest read(const std::string& train, const std::string& test, double scale = 1);

/// Row numbers of `per_class` samples of each class, drawn without replacement: those of a smaller number come first in
/// the order of drawing, so the subsets of one seed are nested.
std::vector<std::size_t> draw(const Labelled& from, std::size_t per_class, std::uint64_t seed);

/// The same samples with column j taken from column order[j]; dense tables.
cli::Table reordered(const cli::Table& table, const std::vector<std::size_t>& order);

/// Patches of 2×2 pixels, one after another: images are `side` × `side`, rows first, `side` even.
std::vector<std::size_t> patches(std::size_t side);

// ---- solves ---------------------------------------------------------------------------------------------------------

/// One optimisation problem of the paper and the algorithm for it.
struct Task {
  std::string name;  ///< in the tables
  LossKind loss = LossKind::hinge;
  PenaltyKind penalty = PenaltyKind::l1;
  Groups groups = {};
  SolverKind solver = SolverKind::automatic;
  bool constrained = false;
  bool intercept = true;
};

/// The paper's α: λ = α/n, or 2α/n for ridge, whose ½ the paper does not have; η = α in the constrained form. The
/// margin is 1 for every loss.
Options<double> options_for(const Task& task, double alpha, std::size_t samples);

/// When a solve ends: at a certified relative gap, or when ‖z⁺ − z‖/‖z⁺‖ ≤ `change` for one iteration of the algorithm,
/// looked at with each certificate, or after so many seconds.
struct Stopping {
  double gap = 1e-4;
  double change = 0;
  double seconds = std::numeric_limits<double>::infinity();
};

struct Solve {
  std::string status;  ///< of the report, or `stopping_rule`, or `time_limit`
  double seconds = 0;  ///< CPU time of the thread, from the start with all it prepares; copies of models not counted
  Report<double> report;
  Coefficients model;
};

/// What is seen at each certificate.
using Watch = std::function<void(double seconds, const Report<double>&, const LinearModel<double>&)>;

Solve solve(const Problem& problem, const Task& task, double alpha, const Stopping& stopping, const Watch& watch = {});

void table1(Run& run);
void figure1(Run& run);
void figure2(Run& run);
void figure3(Run& run);
void figure4(Run& run);
void scattering(Run& run);

}  // namespace tamis::paper_a
