#include "arguments.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <type_traits>

#include "errors.hpp"
#include "output_file.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The names of all losses, or of all penalties, for the help.
template <class Kind>
std::string names_of(std::span<const Kind> kinds) {
  std::string names;
  for (const Kind kind : kinds) {
    names += (names.empty() ? "" : " | ") + std::string(name(kind));
    if constexpr (std::is_same_v<Kind, LossKind>)
      if (has_label_sets(kind)) names += ", for samples with several labels";
  }
  return names;
}

/// Refuses an option that means nothing to the penalty.
void check_meaning(const std::string& option, const std::string& given, bool (*has)(PenaltyKind), PenaltyKind penalty) {
  if (given.empty() || has(penalty)) return;
  std::string names;
  for (const PenaltyKind kind : all_penalties)
    if (has(kind)) names += (names.empty() ? "" : ", ") + std::string(name(kind));
  throw ArgumentError(option + " is for " + names + ", not for " + name(penalty));
}

const std::string blocks = "blocks:";

}  // namespace

ListedGroups read_groups(const std::string& path, std::size_t features) {
  TextFile file(path);
  std::vector<Index> numbers;
  std::string line;
  while (file.next_line(line)) {
    const auto text = trimmed(line);
    Index number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      file.fail_at_line("", "'" + printable(text) + "' is not a group number, a whole number from 0 to 4294967295");
    if (numbers.size() == features)
      file.fail_at_line("", "more group numbers than the " + in_words(features, "feature"));
    numbers.push_back(number);
  }
  if (numbers.size() != features)
    file.fail_at_line("", "the file ends after " + in_words(numbers.size(), "group number") + ", " +
                              std::to_string(features) + " expected, one per feature");
  std::map<Index, Index> place;  // group numbers may be any: those that occur, in ascending order
  for (const Index number : numbers) place[number] = 0;
  Index next = 0;
  for (auto& [number, group] : place) group = next++;
  for (Index& number : numbers) number = place[number];
  ListedGroups out;
  out.order.resize(features);
  out.starts.resize(features + 1);
  out.groups = list_groups(numbers.data(), static_cast<Index>(features), out.order.data(), out.starts.data());
  return out;
}

double parse_number(const std::string& option, const std::string& text) {
  const auto slash = text.find('/');
  const auto numerator = parse_decimal(std::string_view(text).substr(0, slash));
  const auto denominator =
      slash == std::string::npos ? std::optional<double>(1) : parse_decimal(std::string_view(text).substr(slash + 1));
  if (!numerator || !denominator || !std::isfinite(*numerator / *denominator))
    throw ArgumentError(option + ": '" + text + "' is not a finite number or fraction such as 0.05 or 1/1797");
  return *numerator / *denominator;
}

void check_one_of(const std::string& option, const std::string& text, std::initializer_list<const char*> names) {
  std::string all;
  for (const char* name : names) {
    if (text == name) return;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw ArgumentError(option + ": '" + text + "' is not one of " + all);
}

void DataArguments::declare(const Command& command) {
  command.add_option("--label", label, "label column: a name or a number from 0 (default: the first column)");
  command.add_option("--labels", labels_file, "one-column file of labels; every column of DATA is then a feature")
      ->type_name(input_type);
  const Option present = command.add_flag("--header", header, "the first line of a CSV names the columns");
  command.add_flag("--no-header", no_header, "the first line of a CSV is a sample")->excludes(present);
  command.add_option("--subject-column", subject,
                     "a named column of a CSV that says whom a sample comes from: no feature; cv makes folds of whole "
                     "subjects");
  command.add_option("--scale", scale, "divide all features by this (255 for MNIST, 16 for the 8x8 digits)");
}

ReadOptions DataArguments::read_options(double default_scale) const {
  ReadOptions options;
  if (!label.empty()) options.label = label;
  options.labels_file = labels_file;
  options.subject = subject;
  options.header = header ? Header::present : no_header ? Header::absent : Header::automatic;
  options.scale = scale.empty() ? default_scale : parse_number("--scale", scale);
  if (options.scale == 0) throw ArgumentError("--scale: features cannot be divided by 0");
  return options;
}

void ProblemArguments::declare(const Command& command) {
  command.add_option("--loss", loss, names_of<LossKind>(all_losses))->required();
  command.add_option("--penalty", penalty, names_of<PenaltyKind>(all_penalties))->required();
  command
      .add_option("--groups", groups,
                  "groups of group-l2, group-linf, sparse-group: rows (default) | blocks:SIZE | FILE, one group "
                  "number per feature")
      ->type_name(input_type);
  command.add_option("--l1-ratio", l1_ratio, "share of l1 in elastic-net and sparse-group, 0 to 1 (default: 0.5)");
  command.add_option(
      "--epsilon", epsilon,
      "of reweighted-l1: coefficients far below it are pushed to zero, its weights are 1/(|w| + epsilon) "
      "(default: 0.1)");
  command.add_option("--solver", solver, "see `tamis solvers`")->capture_default_str();
  command.add_option("--precision", precision, "float | double")->capture_default_str();
}

ProblemSpec ProblemArguments::choice(bool constrained) const {
  ProblemSpec choice;
  choice.constrained = constrained;
  choice.loss = kind_named("--loss", loss, all_losses);
  choice.penalty = kind_named("--penalty", penalty, all_penalties);
  choice.solver = kind_named("--solver", solver, all_solvers);
  check_one_of("--precision", precision, {"float", "double"});

  if (groups.starts_with(blocks)) {
    const std::string size = groups.substr(blocks.size());
    Index features = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), features);
    if (error != std::errc() || end != size.data() + size.size() || features == 0)
      throw ArgumentError("--groups: '" + size + "' is not a number of features of at least 1");
    choice.groups = Groups::blocks(features);
  }
  check_meaning("--groups", groups == "rows" ? "" : groups, has_groups, choice.penalty);
  check_meaning("--l1-ratio", l1_ratio, has_ratio, choice.penalty);
  check_meaning("--epsilon", epsilon, in_rounds, choice.penalty);
  if (choice.has_no_ridge(parameters().l1_ratio))
    throw ArgumentError("--solver " + solver + " with --l1-ratio 1: " + TAMIS_NEEDS_RIDGE_PART);
  if (const char* refusal = choice.refusal())
    throw ArgumentError("--solver " + solver + " with --loss " + loss + ": " + refusal);
  if (is_blockwise(choice.solver) && !groups.empty() && groups != "rows")
    throw ArgumentError("--solver " + solver + " with --groups " + groups + ": " + TAMIS_NEEDS_ROWS);
  return choice;
}

std::optional<ListedGroups> ProblemArguments::listed_groups(std::size_t features) const {
  if (groups.empty() || groups == "rows" || groups.starts_with(blocks)) return std::nullopt;
  return read_groups(groups, features);
}

PenaltyParameters<double> ProblemArguments::parameters() const {
  PenaltyParameters<double> out;
  if (!l1_ratio.empty()) {
    out.l1_ratio = parse_number("--l1-ratio", l1_ratio);
    if (!(out.l1_ratio >= 0 && out.l1_ratio <= 1))
      throw ArgumentError("--l1-ratio: " + l1_ratio + " does not lie between 0 and 1");
  }
  if (!epsilon.empty()) {
    out.epsilon = parse_number("--epsilon", epsilon);
    if (!(out.epsilon > 0)) throw ArgumentError("--epsilon: " + epsilon + " is not positive");
  }
  return out;
}

}  // namespace tamis::cli
