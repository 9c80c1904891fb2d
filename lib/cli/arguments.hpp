#pragma once
/// The options that subcommands share, and the texts they take.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "data.hpp"
#include "tamis/any.hpp"

namespace tamis::cli {

/// A number or a fraction such as 1/1797. Throws ArgumentError naming `option`.
double parse_number(const std::string& option, const std::string& text);

/// How the data are read: --label, --labels, --header, --no-header, --scale.
struct DataArguments {
  std::string label;
  std::string labels_file;
  bool header = false;
  bool no_header = false;
  std::string scale;

  void declare(CLI::App& command);
  ReadOptions read_options(double default_scale = 1) const;
};

/// What is solved: --loss, --penalty, --groups, --solver, --precision.
struct ProblemArguments {
  std::string loss;
  std::string penalty;
  std::string groups = "rows";
  std::string solver = "auto";
  std::string precision = "double";

  void declare(CLI::App& command);
  /// Throws ArgumentError for an unknown name or a combination that no solver accepts. `constrained`: with --eta.
  Choice choice(bool constrained = false) const;
  bool single_precision() const { return precision == "float"; }
};

}  // namespace tamis::cli
