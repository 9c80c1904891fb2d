#include "arguments.hpp"

#include <charconv>
#include <cmath>

#include "errors.hpp"

namespace tamis::cli {

namespace {

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The kind whose name is `text`; throws with the list of names.
template <class Kind, std::size_t count>
Kind kind_named(const std::string& option, const std::string& text, const Kind (&kinds)[count]) {
  std::string names;
  for (const Kind kind : kinds) {
    if (text == name(kind)) return kind;
    names += (names.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw ArgumentError(option + ": '" + text + "' is not one of " + names);
}

}  // namespace

double parse_number(const std::string& option, const std::string& text) {
  const auto slash = text.find('/');
  const auto numerator = parse_decimal(std::string_view(text).substr(0, slash));
  const auto denominator =
      slash == std::string::npos ? std::optional<double>(1) : parse_decimal(std::string_view(text).substr(slash + 1));
  if (!numerator || !denominator || !std::isfinite(*numerator / *denominator))
    throw ArgumentError(option + ": '" + text + "' is not a finite number or fraction such as 0.05 or 1/1797");
  return *numerator / *denominator;
}

void DataArguments::declare(CLI::App& command) {
  command.add_option("--label", label, "label column: a name or a number from 0 (default: the first column)");
  command.add_option("--labels", labels_file, "one-column file of labels; every column of DATA is then a feature");
  auto* present = command.add_flag("--header", header, "the first line of a CSV names the columns");
  command.add_flag("--no-header", no_header, "the first line of a CSV is a sample")->excludes(present);
  command.add_option("--scale", scale, "divide all features by this (255 for MNIST, 16 for the 8x8 digits)");
}

ReadOptions DataArguments::read_options(double default_scale) const {
  ReadOptions options;
  if (!label.empty()) options.label = label;
  options.labels_file = labels_file;
  options.header = header ? Header::present : no_header ? Header::absent : Header::automatic;
  options.scale = scale.empty() ? default_scale : parse_number("--scale", scale);
  if (options.scale == 0) throw ArgumentError("--scale: features cannot be divided by 0");
  return options;
}

void ProblemArguments::declare(CLI::App& command) {
  command.add_option("--loss", loss, "hinge | squared-hinge")->required();
  command.add_option("--penalty", penalty, "ridge | l1 | group-l2 | group-linf")->required();
  command.add_option("--groups", groups, "groups of the group penalties: rows | blocks:SIZE")->capture_default_str();
  command.add_option("--solver", solver, "see `tamis solvers`")->capture_default_str();
  command.add_option("--precision", precision, "float | double")->capture_default_str();
}

Choice ProblemArguments::choice(bool constrained) const {
  Choice choice;
  choice.constrained = constrained;
  choice.loss = kind_named("--loss", loss, all_losses);
  choice.penalty = kind_named("--penalty", penalty, all_penalties);
  choice.solver = kind_named("--solver", solver, all_solvers);
  if (precision != "float" && precision != "double")
    throw ArgumentError("--precision: '" + precision + "' is not one of float, double");

  const std::string blocks = "blocks:";
  if (groups.starts_with(blocks)) {
    const std::string size = groups.substr(blocks.size());
    Index features = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), features);
    if (error != std::errc() || end != size.data() + size.size() || features == 0)
      throw ArgumentError("--groups: '" + size + "' is not a number of features of at least 1");
    choice.groups = Groups::blocks(features);
  } else if (groups != "rows") {
    throw ArgumentError("--groups: '" + groups + "' is neither rows nor blocks:SIZE");
  }
  if (groups != "rows" && choice.penalty != PenaltyKind::group_l2 && choice.penalty != PenaltyKind::group_linf)
    throw ArgumentError("--groups is for group-l2 and group-linf, not for " + penalty);
  if (const char* refusal = choice.refusal())
    throw ArgumentError("--solver " + solver + " with --loss " + loss + ": " + refusal);
  return choice;
}

}  // namespace tamis::cli
