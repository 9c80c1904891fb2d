#pragma once
/// What the experiments of the papers share: samples, models, errors on test samples, CPU time, CSV.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "data.hpp"
#include "problem.hpp"
#include "tamis/any.hpp"

namespace tamis::papers {

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
  std::string data;          ///< the folder TAMIS_DATA
  std::string output;        ///< where the CSV files go
  std::string command = {};  ///< as it was given, without folders
  bool full = false;
  bool quick = false;         ///< the least that shows something, whatever the data
  std::size_t per_class = 0;  ///< 0: all sizes that the experiment has
  std::size_t subsets = 0;    ///< or splits; 0: as many as the experiment has by default
  double seconds = 0;         ///< the limit of one run of a solver; 0: what the paper's experiments have
  std::string only = {};      ///< this data set or synthetic design alone
  bool agreed = true;         ///< set to false by an experiment that finds solvers at odds

  std::string path(const std::string& file) const { return data + "/" + file; }
  /// Quick runs end by passes or iterations, the same on every machine.
  double limit(double usual, double in_full) const {
    return quick ? infinity<double> : seconds > 0 ? seconds : full ? in_full : usual;
  }
  std::size_t number(std::size_t few, std::size_t in_the_paper) const {
    return subsets ? subsets : full ? in_the_paper : few;
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

/// The program's name and arguments as one line, without folders and without `--output`.
std::string command_line(int count, const char* const* arguments);

/// Runs an experiment, then writes NAME.run.json beside its files NAME.csv or NAME_*.csv: the command, the date, the
/// processor and the compiler, the seconds it took, its threads, and the load average before and after, beside which
/// its times are to be read. bench/papers/record.mjs keeps the results that have one.
void measure(const Run& run, const std::string& name, const std::function<void()>& experiment, int threads = 1);

/// CPU time of this thread.
double cpu_seconds();

/// `per_decade` values in each factor of ten, from 10^low to 10^high.
std::vector<double> logarithmic(double low, double high, int per_decade);

inline constexpr std::uint64_t first_seed = 1;  ///< subset or split s is drawn with seed first_seed + s

}  // namespace tamis::papers
