#include "lambda_choice.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

void LambdaGridArguments::declare(CLI::App& command, CLI::Option* lambda, const std::string& ratio_help) {
  auto* count = command
                    .add_option("--lambdas", points,
                                "in place of --lambda: number of lambdas, equally spaced in logarithm, of which "
                                "cross-validation chooses")
                    ->check(CLI::Range(Index(1), Index(100000)))
                    ->excludes(lambda);
  auto* listed = command.add_option("--lambda-values", values, "the lambdas themselves, descending: 0.1,0.05,1/40")
                     ->excludes(count)
                     ->excludes(lambda);
  auto* parts = command.add_option("--folds", folds, "number of folds")->capture_default_str();
  stratified_ =
      command.add_flag("--stratified,!--unstratified", stratified, "every fold has its share of every class (default)");
  others_ = {
      command
          .add_option("--lambda-ratio", ratio, "of the smallest to the largest lambda (default: " + ratio_help + ")")
          ->excludes(listed),
      parts,
      command.add_option("--validation", validation, "instead of folds: hold out this fraction once, e.g. 1/4")
          ->excludes(parts),
      stratified_,
      command.add_option("--measure", measure, "what is compared on held-out samples: error | loss")
          ->capture_default_str(),
      command
          .add_option("--choose", choose,
                      "1se: the largest lambda within one standard error of the least mean | min: the least "
                      "mean; of equal errors that of the least loss, then the largest lambda")
          ->capture_default_str()};
}

std::vector<double> LambdaGridArguments::lambdas() const {
  std::vector<double> out;
  for (std::size_t begin = 0, end = 0; !values.empty() && end != std::string::npos; begin = end + 1) {
    end = values.find(',', begin);
    out.push_back(parse_number("--lambda-values", values.substr(begin, end - begin)));
    if (!(out.back() > 0) || (out.size() > 1 && !(out.back() < out[out.size() - 2])))
      throw ArgumentError("--lambda-values: " + values + " do not descend, or one is not positive");
  }
  return out;
}

void LambdaGridArguments::check() const {
  for (const auto* option : others_)
    if (option->count() > 0 && !given())
      throw ArgumentError(option->get_name() +
                          " is for choosing lambda: give --lambdas or --lambda-values in place of "
                          "--lambda");
  if (choose != "min" && choose != "1se") throw ArgumentError("--choose: '" + choose + "' is not one of min, 1se");
  if (measure != "error" && measure != "loss")
    throw ArgumentError("--measure: '" + measure + "' is not one of error, loss");
  if (const double number = ratio.empty() ? 1 : parse_number("--lambda-ratio", ratio); !(number > 0 && number <= 1))
    throw ArgumentError("--lambda-ratio: " + ratio + " does not lie between 0 and 1");
  (void)dealt_folds();
  (void)lambdas();
}

Index LambdaGridArguments::dealt_folds() const {
  if (validation.empty()) return folds;
  const double fraction = parse_number("--validation", validation);
  if (!(fraction > 0 && fraction <= 0.5)) throw ArgumentError("--validation: the fraction must lie between 0 and 1/2");
  return static_cast<Index>(std::lround(std::min(1 / fraction, 4e9)));
}

template <class T>
Grid<T> LambdaGridArguments::grid(std::vector<T>& in_values, double usual_ratio, const std::string& precision) const {
  const std::vector<double> asked = lambdas();
  in_values.assign(asked.begin(), asked.end());
  Grid<T> out{.values = in_values.empty() ? nullptr : in_values.data(), .points = size()};
  out.ratio = static_cast<T>(ratio.empty() ? usual_ratio : parse_number("--lambda-ratio", ratio));
  if (!out.valid() || (out.values && !(in_values.back() > T(0))))
    throw ArgumentError("--lambda-values: " + values + " do not descend in --precision " + precision);
  return out;
}
template Grid<float> LambdaGridArguments::grid(std::vector<float>&, double, const std::string&) const;
template Grid<double> LambdaGridArguments::grid(std::vector<double>&, double, const std::string&) const;

std::vector<Index> deal_folds(const LambdaGridArguments& a, const std::vector<Label>& labels,
                              const std::vector<std::string>& classes, const std::vector<std::string>& subjects,
                              std::size_t samples, std::uint64_t seed) {
  const bool regression = classes.empty();
  if (regression && a.stratified && a.stratified_->count() > 0)
    throw ArgumentError("--stratified is for classes: numbers have none");
  const std::vector<Label> none(regression ? samples : 0);
  const std::vector<Label>& of = regression ? none : labels;
  const auto count = static_cast<Index>(std::max<std::size_t>(classes.size(), 1));
  const Index folds = a.dealt_folds();
  std::vector<Index> fold(samples), order(samples + 1);
  if (!subjects.empty()) {
    if (!a.stratified)
      throw ArgumentError(
          "--unstratified is for folds of samples: those of whole subjects are always as even as they can be");
    std::map<std::string, Index> number;
    std::vector<Index> group, starts(samples + 1), counts(std::min<std::size_t>(folds, samples) * count);
    for (const auto& subject : subjects)
      group.push_back(number.try_emplace(subject, static_cast<Index>(number.size())).first->second);
    if (!deal_groups(of, count, group.data(), folds, fold.data(), order.data(), starts.data(), counts.data()))
      throw ArgumentError("--folds: " + std::to_string(folds) +
                          " folds of whole subjects need as many subjects, there are " + std::to_string(number.size()));
  } else {
    Index rare = 0;
    const bool stratified = a.stratified && !regression;
    if (!tamis::deal_folds(of, count, folds, stratified, seed, fold.data(), order.data(), rare)) {
      if (stratified && rare < count)
        throw ArgumentError("--folds: " + std::to_string(folds) +
                            " folds need as many samples of every class: class '" + classes[rare] + "' has " +
                            std::to_string(std::count(labels.begin(), labels.end(), rare)) +
                            "; take fewer folds, or --unstratified");
      throw ArgumentError("--folds: " + std::to_string(folds) + " folds of " + std::to_string(samples) +
                          " samples: there must be two at least, and no more than samples");
    }
  }
  for (Index& f : fold)
    if (!a.validation.empty() && f != 0) f = no_fold;
  return fold;
}

nlohmann::ordered_json in_json(const LambdaGridArguments& grid, const LambdaSelection& s) {
  using Json = nlohmann::ordered_json;
  Json points = Json::array();
  for (std::size_t l = 0; l < s.path.size(); ++l) {
    const HeldOut<double>& h = s.held_out[l];
    points.push_back({{"lambda", h.lambda},
                      {"mean", grid.by_loss() ? h.loss : h.error},
                      {"standard_error", grid.by_loss() ? h.loss_deviation : h.error_deviation},
                      {"mean_error", h.error},
                      {"error_standard_error", h.error_deviation},
                      {"mean_loss", h.loss},
                      {"loss_standard_error", h.loss_deviation},
                      {"status", name(s.path[l].status)},
                      {"nonzeros", s.path[l].nonzeros},
                      {"nonzero_rows", s.path[l].nonzero_rows}});
  }
  return {{"measure", grid.measure},
          {"folds", grid.held_out_folds()},
          {"points", points},
          {"lambda_min", s.held_out[s.least].lambda},
          {"lambda_1se", s.held_out[s.one_se].lambda},
          {"lambda", s.lambda()},
          {"seconds", s.seconds},
          {"arena_bytes", s.arena_bytes}};
}

std::string summary(const LambdaGridArguments& grid, const LambdaSelection& s) {
  const auto held = [&](Index point) {
    const HeldOut<double>& h = s.held_out[point];
    char line[100];
    std::snprintf(line, sizeof line, "%.4g +- %.2g at lambda %.4g", grid.by_loss() ? h.loss : h.error,
                  grid.by_loss() ? h.loss_deviation : h.error_deviation, h.lambda);
    return std::string(line);
  };
  std::string out = "held-out " + grid.measure + " " + held(s.chosen);
  if (s.chosen != s.least) out += ", the least is " + held(s.least);
  return out + "\n";
}

std::string missing_class(const std::string& path, const std::string& label, Index fold) {
  return path + ", class '" + label + "': all its samples are in fold " + std::to_string(fold + 1) +
         ", so that nothing can be learned of it without them; take other folds";
}

}  // namespace tamis::cli
