#include "lambda_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "readers.hpp"

namespace tamis::cli {

void HoldOutArguments::declare_folds(const Command& command) {
  folds_ = command.add_option("--folds", folds, "number of folds")->capture_default_str();
  stratified_ =
      command.add_flag("--stratified,!--unstratified", stratified, "every fold has its share of every class (default)");
  others_ = {folds_, stratified_};
}

void HoldOutArguments::declare_measure(const Command& command) {
  for (const Option& option :
       {command.add_option("--validation", validation, "instead of folds: hold out this fraction once, e.g. 1/4")
            ->excludes(folds_),
        command.add_option("--measure", measure, "what is compared on held-out samples: error | loss")
            ->capture_default_str(),
        command
            .add_option("--choose", choose,
                        "1se: the largest lambda within one standard error of the least mean | min: the least mean; "
                        "of equal errors that of the least loss, then the largest lambda")
            ->capture_default_str(),
        jobs.declare(command)})
    others_.push_back(option);
}

void HoldOutArguments::check_choice() const {
  check_one_of("--choose", choose, {"min", "1se"});
  check_one_of("--measure", measure, {"error", "loss"});
}

Index HoldOutArguments::dealt_folds() const {
  if (validation.empty()) return folds;
  const double fraction = parse_number("--validation", validation);
  if (!(fraction > 0 && fraction <= 0.5)) throw ArgumentError("--validation: the fraction must lie between 0 and 1/2");
  return static_cast<Index>(std::lround(std::min(1 / fraction, 4e9)));
}

std::vector<double> parse_lambdas(const std::string& values) {
  std::vector<double> out;
  for (std::size_t begin = 0, end = 0; !values.empty() && end != std::string::npos; begin = end + 1) {
    end = values.find(',', begin);
    out.push_back(parse_number("--lambda-values", values.substr(begin, end - begin)));
  }
  return out;
}

void LambdaGridArguments::declare(const Command& command, Option lambda, const std::string& ratio_help) {
  const Option count = command
                           .add_option("--lambdas", points,
                                       "in place of --lambda: number of lambdas, equally spaced in logarithm, of which "
                                       "cross-validation chooses")
                           ->between(1, 100000)
                           ->excludes(lambda);
  const Option listed =
      command.add_option("--lambda-values", values, "the lambdas themselves, descending: 0.1,0.05,1/40")
          ->excludes(count)
          ->excludes(lambda);
  declare_folds(command);
  others_.push_back(
      command
          .add_option("--lambda-ratio", ratio, "of the smallest to the largest lambda (default: " + ratio_help + ")")
          ->excludes(listed));
  declare_measure(command);
}

std::vector<double> LambdaGridArguments::lambdas() const {
  const auto out = parse_lambdas(values);
  for (std::size_t l = 0; l < out.size(); ++l)
    if (!(out[l] > 0) || (l > 0 && !(out[l] < out[l - 1])))
      throw ArgumentError("--lambda-values: " + values + " do not descend, or one is not positive");
  return out;
}

void LambdaGridArguments::check() const {
  for (const Option& option : others_)
    if (option->count() > 0 && !given())
      throw ArgumentError(option->get_name() +
                          " is for choosing lambda: give --lambdas or --lambda-values in place of "
                          "--lambda");
  check_choice();
  if (const double number = ratio.empty() ? 1 : parse_number("--lambda-ratio", ratio); !(number > 0 && number <= 1))
    throw ArgumentError("--lambda-ratio: " + ratio + " does not lie between 0 and 1");
  (void)dealt_folds();
  (void)lambdas();
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

Folds HoldOutArguments::deal(const DealtSamples& s) const {
  const bool regression = s.classes.empty();
  if (regression && stratified && stratified_->count() > 0)
    throw ArgumentError("--stratified is for classes: numbers have none");
  const std::vector<Label> none(regression ? s.samples : 0);
  const std::vector<Label>& of = regression ? none : s.labels;
  const auto classes = s.label_count ? s.label_count : static_cast<Index>(std::max<std::size_t>(s.classes.size(), 1));
  const Index count = dealt_folds();
  std::vector<Index> fold(s.samples), order(s.samples + 1);
  if (!s.subjects.empty()) {
    if (!stratified)
      throw ArgumentError(
          "--unstratified is for folds of samples: those of whole subjects are always as even as they can be");
    std::map<std::string, Index> number;
    std::vector<Index> group, starts(s.samples + 1), counts(std::min<std::size_t>(count, s.samples) * classes);
    for (const auto& subject : s.subjects)
      group.push_back(number.try_emplace(subject, static_cast<Index>(number.size())).first->second);
    if (!deal_groups(of, classes, group.data(), count, fold.data(), order.data(), starts.data(), counts.data()))
      throw ArgumentError("--folds: " + std::to_string(count) +
                          " folds of whole subjects need as many subjects, there are " + std::to_string(number.size()));
  } else if (Index rare = 0;
             !deal_folds(of, classes, count, stratified && !regression, s.seed, fold.data(), order.data(), rare)) {
    if (rare < classes)
      throw ArgumentError("--folds: " + std::to_string(count) + " folds need as many samples of every class: class '" +
                          s.classes[rare] + "' has " + std::to_string(std::count(of.begin(), of.end(), rare)) +
                          "; take fewer folds, or --unstratified");
    throw ArgumentError("--folds: " + std::to_string(count) + " folds of " + std::to_string(s.samples) +
                        " samples: there must be two at least, and no more than samples");
  }
  return held_out(std::move(fold));
}

Folds HoldOutArguments::held_out(std::vector<Index> fold) const {
  for (Index& f : fold)
    if (!validation.empty() && f != 0) f = no_fold;
  return {std::move(fold), held_out_folds()};
}

void choose(const HoldOutArguments& a, LambdaChoice& c) {
  const auto points = static_cast<Index>(c.held_out.size());
  const auto at = [&](Index l) { return c.held_out[l]; };
  c.least = best(points, a.what(), at);
  c.one_se = one_standard_error(points, a.what(), at);
  c.chosen = a.choose == "min" ? c.least : c.one_se;
}

nlohmann::ordered_json in_json(const HoldOutArguments& a, const LambdaChoice& c) {
  using Json = nlohmann::ordered_json;
  Json points = Json::array();
  for (std::size_t l = 0; l < c.path.size(); ++l) {
    const HeldOut<double>& h = c.held_out[l];
    points.push_back({{"lambda", h.lambda},
                      {"mean", a.mean(h)},
                      {"standard_error", a.standard_error(h)},
                      {"mean_error", h.error},
                      {"error_standard_error", h.error_deviation},
                      {"mean_loss", h.loss},
                      {"loss_standard_error", h.loss_deviation},
                      {"status", name(c.path[l].status)},
                      {"nonzeros", c.path[l].nonzeros},
                      {"nonzero_rows", c.path[l].nonzero_rows}});
  }
  return {{"measure", a.measure},
          {"folds", a.held_out_folds()},
          {"points", points},
          {"lambda_min", c.held_out[c.least].lambda},
          {"lambda_1se", c.held_out[c.one_se].lambda},
          {"lambda", c.lambda()}};
}

nlohmann::ordered_json in_json(const LambdaGridArguments& grid, const LambdaSelection& selection) {
  auto out = in_json(grid, static_cast<const LambdaChoice&>(selection));
  out["seconds"] = selection.seconds;
  out["arena_bytes"] = selection.arena_bytes;
  return out;
}

std::string summary(const HoldOutArguments& a, const LambdaChoice& c) {
  const auto held = [&](Index point) {
    const HeldOut<double>& h = c.held_out[point];
    return format("%.4g +- %.2g at lambda %.4g", a.mean(h), a.standard_error(h), h.lambda);
  };
  return "held-out " + a.measure + " " + held(c.chosen) +
         (c.chosen == c.least ? "" : ", the least is " + held(c.least)) + "\n";
}

std::string missing_class(const std::string& path, const std::string& label, Index fold, const std::string& others) {
  return path + ", class '" + label + "': all its samples are in fold " + std::to_string(fold + 1) +
         ", so that nothing can be learned of it without them; take " + others;
}

}  // namespace tamis::cli
