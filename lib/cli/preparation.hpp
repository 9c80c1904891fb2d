#pragma once
/// From the arguments that concern samples to what a solver takes.

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "problem.hpp"

namespace tamis::cli {

/// Which samples, and how they count: DATA, --test, --hold-out, --seed, how they are read, --standardise,
/// --no-intercept, margins and weights.
struct SampleArguments {
  std::string data, test, held_out;
  std::uint64_t seed = 0;
  DataArguments reading;
  bool standardise = false;
  bool no_intercept = false;
  std::string margin, margins, sample_weights, class_weights;

  void declare(CLI::App& command);
  /// Sets the margin and the intercept. Throws ArgumentError for options that do not go together.
  void set(Options<double>& options) const;
};

/// Samples as read, with the weight and the margin of each where files give them.
struct LabelledSamples {
  Table table;
  std::vector<double> weights, margins;

  /// Those rows alone, in that order.
  LabelledSamples rows(const std::vector<std::size_t>& rows) const;
};

/// Training data as the solver sees them (standardised where asked), and everything remembered about them.
struct Prepared {
  Table train;
  std::optional<Table> test;
  std::vector<std::string> classes;
  std::vector<Label> labels;
  std::vector<double> weights, margins;
  std::optional<Standardisation> standardisation;
  double scale = 1;
};

/// Reads DATA, weights and margins. Throws ArgumentError and DataError, as the functions below.
LabelledSamples read_training(const SampleArguments& arguments);

/// Encodes and standardises; everything learned comes from `train`.
Prepared prepare(const SampleArguments& arguments, LabelledSamples train, std::optional<Table> test);

/// Reads, splits off the test samples, and prepares.
Prepared prepare(const SampleArguments& arguments);

/// One training sample per class, in original units, for the self-test of exported code.
std::vector<std::vector<double>> self_test_samples(const Prepared& prepared);

}  // namespace tamis::cli
