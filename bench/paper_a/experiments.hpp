#pragma once
/// What the experiments of paper A share: data and subsets, whole solves timed in CPU time, errors on test samples,
/// CSV.

#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "data.hpp"
#include "problem.hpp"
#include "tamis/any.hpp"

namespace tamis::paper_a {

// ---- data -----------------------------------------------------------------------------------------------------------

/// Training samples ready to be solved again and again, in double.
struct Problem {
  Problem(cli::Table rows, std::vector<Label> labels_of_rows, Index number_of_classes)
      : table(std::move(rows)), labels(std::move(labels_of_rows)), classes(number_of_classes), samples(table) {}

  cli::Table table;
  std::vector<Label> labels;
  Index classes;
  cli::Samples<double> samples;
};

/// Samples with their labels as numbers.
struct Labelled {
  cli::Table table;
  std::vector<Label> labels;
  Index classes = 0;
};

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

/// Coefficients (features + 1) × stride, as LinearModel has them.
struct Coefficients {
  std::vector<double> values;
  Index features = 0, classes = 0;

  LinearModel<double> view() const { return {values.data(), features, classes}; }
  /// Of each class.
  std::vector<Index> nonzeros(double above = 0) const;
  double zero_percentage() const;
  /// ‖this − other‖/‖other‖ of the weights, intercepts not counted.
  double distance(const Coefficients& other) const;
};

Coefficients copy_of(const LinearModel<double>& model);

struct Solve {
  std::string status;  ///< of the report, or `stopping_rule`, or `time_limit`
  double seconds = 0;  ///< CPU time of the thread, from the start with all it prepares; copies of models not counted
  Report<double> report;
  Coefficients model;
};

/// What is seen at each certificate.
using Watch = std::function<void(double seconds, const Report<double>&, const LinearModel<double>&)>;

Solve solve(const Problem& problem, const Task& task, double alpha, const Stopping& stopping, const Watch& watch = {});

// ---- test samples ---------------------------------------------------------------------------------------------------

/// Test samples as designs of few rows each, so that a product reads memory in order.
class TestSamples {
 public:
  explicit TestSamples(const Labelled& samples);
  TestSamples(const TestSamples&) = delete;
  TestSamples& operator=(const TestSamples&) = delete;

  std::size_t size() const { return labels_.size(); }
  /// Number of samples given another class than theirs.
  std::size_t errors(const Coefficients& coefficients) const;
  double error_percentage(const Coefficients& coefficients) const {
    return 100 * static_cast<double>(errors(coefficients)) / static_cast<double>(size());
  }

 private:
  std::vector<Label> labels_;
  std::vector<cli::Table> tables_;  // of the sparse form: one
  std::vector<DenseDesign<double>> dense_;
  std::vector<SparseDesign<double>> sparse_;
};

// ---- running an experiment ------------------------------------------------------------------------------------------

/// What the command line says.
struct Run {
  std::string data;    ///< the folder TAMIS_DATA
  std::string output;  ///< where the CSV files go
  bool full = false;
  std::size_t subsets = 0;  ///< 0: as many as the experiment has by default

  std::string path(const std::string& file) const { return data + "/" + file; }
  std::size_t number(std::size_t quick, std::size_t in_the_paper) const {
    return subsets ? subsets : full ? in_the_paper : quick;
  }
};

/// A CSV file; every line is on disk as soon as it is written.
class Csv {
 public:
  Csv(const Run& run, const std::string& name, const std::string& header);
  ~Csv() { std::fclose(file_); }
  Csv(const Csv&) = delete;
  Csv& operator=(const Csv&) = delete;
  [[gnu::format(printf, 2, 3)]] void line(const char* format, ...);

 private:
  std::FILE* file_;
};

/// `per_decade` values in each factor of ten, from 10^low to 10^high.
std::vector<double> logarithmic(double low, double high, int per_decade);

inline constexpr std::uint64_t first_seed = 1;  ///< subset s is drawn with seed first_seed + s

void table1(const Run& run);
void figure1(const Run& run);
void figure2(const Run& run);
void figure3(const Run& run);
void figure4(const Run& run);

}  // namespace tamis::paper_a
