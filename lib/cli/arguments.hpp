#pragma once
/// The options that subcommands share, and the texts they take.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "tamis/any.hpp"

namespace tamis::cli {

/// A number or a fraction such as 1/1797. Throws ArgumentError naming `option`.
double parse_number(const std::string& option, const std::string& text);

/// Throws ArgumentError with the list of names for a text that is none of them.
void check_one_of(const std::string& option, const std::string& text, std::initializer_list<const char*> names);

/// The kind whose name is `text`. Throws ArgumentError with the list of names.
template <class Kind, std::size_t count>
Kind kind_named(const std::string& option, const std::string& text, const Kind (&kinds)[count]) {
  std::string names;
  for (const Kind kind : kinds) {
    if (text == name(kind)) return kind;
    names += (names.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw ArgumentError(option + ": '" + text + "' is not one of " + names);
}

/// How the data are read: --label, --labels, --header, --no-header, --scale,
/// --subject-column.
struct DataArguments {
  std::string label;
  std::string labels_file;
  bool header = false;
  bool no_header = false;
  std::string scale;
  std::string subject;

  void declare(const Command& command);
  ReadOptions read_options(double default_scale = 1) const;
};

/// Groups read from a file, and the lists they are views of.
struct ListedGroups {
  std::vector<Index> order, starts;
  Groups groups;
};

/// One group number per line and feature; equal numbers are one group. Throws DataError naming file and line.
ListedGroups read_groups(const std::string& path, std::size_t features);

/// What is solved: --loss, --penalty, --groups, --l1-ratio, --epsilon, --solver, --precision.
struct ProblemArguments {
  std::string loss;
  std::string penalty;
  std::string groups;
  std::string l1_ratio, epsilon;
  std::string solver = "auto";
  std::string precision = "double";

  void declare(const Command& command);
  /// Throws ArgumentError for an unknown name, a combination that no solver accepts, or an option that the penalty does
  /// not have. Groups from a file are rows here: see `listed_groups`. `constrained`: with --eta.
  ProblemSpec choice(bool constrained = false) const;
  /// The groups of --groups FILE for that many features; nothing when they do not come from a file.
  std::optional<ListedGroups> listed_groups(std::size_t features) const;
  PenaltyParameters<double> parameters() const;
  bool single_precision() const { return precision == "float"; }
};

}  // namespace tamis::cli
