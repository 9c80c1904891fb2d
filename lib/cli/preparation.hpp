#pragma once
/// From the arguments that concern samples to what a solver takes.

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "model_file.hpp"
#include "problem.hpp"
#include "sample_steps.hpp"

namespace tamis::cli {

/// Which samples, what is done to them, and how they count: DATA, --test, --hold-out, --seed, how they are read,
/// --text,
/// --missing, --log, --normalise, --scattering, --windows, --standardise, --min-max, --no-intercept, margins and
/// weights.
struct SampleArguments {
  std::string data, test, held_out;
  std::uint64_t seed = 0;
  DataArguments reading;
  TextArguments text;
  std::string missing = "refuse";
  std::string log, normalise, scattering, windows;
  bool standardise = false;
  bool min_max = false;
  bool no_intercept = false;
  std::string margin, margins, sample_weights, class_weights;

  void declare(const Command& command);
  /// Sets the margin and the intercept. Throws ArgumentError for options that do not go together.
  void set(Options<double>& options) const;
  /// How DATA are read.
  ReadOptions read_options(bool multilabel) const;
};

/// Samples as read, with the weight and the margin of each where files give them.
struct LabelledSamples {
  Table table;
  std::vector<double> weights, margins;

  /// Those rows alone, in that order.
  LabelledSamples rows(const std::vector<std::size_t>& rows) const;
};

/// Training data as the solver sees them (all steps done, columns standardised or of unit range where asked), and
/// everything remembered about them.
struct Prepared {
  Table train;
  std::optional<Table> test;  // all steps done, columns as they stand: scored with coefficients in original units
  std::vector<std::string> classes;
  std::vector<Label> labels, test_labels;  // of a test sample that was not trained on: `classes.size()`
  std::optional<LabelSetList> sets;        // where samples may have several labels: `labels` are numbers of these
  std::vector<LabelSet> test_sets;         // and these stand for `test_labels`
  std::vector<double> weights, margins;
  StoredSteps steps;
  std::optional<Standardisation> standardisation;
  double scale = 1;
  std::vector<std::vector<double>> self_test;  // see `self_test_samples`

  /// Test samples whose labels were not trained on; nothing without test samples.
  std::optional<std::size_t> unseen() const;
  /// One line for people when there are such samples, without its end; otherwise empty.
  std::string unseen_sentence() const;
  /// Training samples that have all labels or none, so that nothing is ranked; and one line for people when there are
  /// any.
  std::size_t without_pairs() const;
  std::string pairs_sentence() const;
  /// One line for people when columns differ by more than 10^4 in scale and are taken as they are.
  std::string scale_sentence() const;
  /// One line for people each of what is odd about the samples.
  std::vector<std::string> notes() const;
  /// Everything of a model that does not come from the solver.
  void describe(StoredModel& model) const;
};

/// Reads DATA, weights and margins; `multilabel`: samples may have several labels, or none. Throws ArgumentError and
/// DataError, as the functions below.
LabelledSamples read_training(const SampleArguments& arguments, bool multilabel);

/// Encodes and does the steps; everything learned comes from `train`.
Prepared prepare(const SampleArguments& arguments, LabelledSamples train, std::optional<Table> test);

/// Reads, splits off the test samples, and prepares.
Prepared prepare(const SampleArguments& arguments, bool multilabel);

/// One training sample per class, as read, for the self-test of exported code.
std::vector<std::vector<double>> self_test_samples(const Prepared& prepared);

}  // namespace tamis::cli
