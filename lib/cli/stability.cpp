#include "tamis/selection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "readers.hpp"
#include "selection.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StabilityArguments : PathArguments {
  Index subsamples = 100;
  Jobs jobs;
  std::string threshold, false_selections;

  void declare(const Command& command);
  /// Throws ArgumentError for what makes no sense.
  void check() const;
  double most_false() const {
    return false_selections.empty() ? 1 : parse_number("--false-selections", false_selections);
  }
  double least_share() const { return threshold.empty() ? 0.9 : parse_number("--threshold", threshold); }
  /// Of --threshold, --false-selections and --max-features two say the third; here it is the threshold.
  bool finds_threshold() const { return threshold.empty() && !false_selections.empty() && grid.limited(); }
};

template <class T>
using StabilityOf = StabilitySelection<T, decltype(maker(std::declval<const Fitting<T>&>()))>;

/// What is kept or not: a feature, or a group of several.
struct Unit {
  std::vector<std::size_t> features;
  double frequency = 0;
  std::vector<double> frequencies;  // per λ
};

struct Outcome {
  std::vector<double> lambdas;
  std::vector<Unit> units;
  Index halves = 0, max_features = 0;
  double selected_by_half = 0, threshold = 0, false_selections = 0;
  double seconds = 0;
  std::size_t arena_bytes = 0;

  bool selects(const Unit& unit) const { return unit.frequency >= threshold; }
  /// The most frequent first.
  std::vector<std::size_t> ranked() const {
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return units[a].frequency > units[b].frequency; });
    return order;
  }
};

std::vector<Unit> units_of(const Groups& groups, std::size_t features) {
  std::vector<Unit> out;
  groups.for_each(static_cast<Index>(features), [&](FeatureGroup group) {
    Unit& unit = out.emplace_back();
    for (Index r = 0; r < group.count; ++r) unit.features.push_back(group.feature(r));
  });
  return out;
}

/// With so many features at most, a threshold π selects at most V false ones of p on average: √((2π − 1)pV).
Index features_of_half(const StabilityArguments& a, std::size_t units, std::size_t features) {
  if (a.grid.limited()) return a.grid.max_features;
  const double p = static_cast<double>(units), of_unit = static_cast<double>(features) / p;
  const double most = std::sqrt((2 * a.least_share() - 1) * p * a.most_false()) * of_unit;
  return static_cast<Index>(std::clamp(std::floor(most), 1.0, static_cast<double>(features)));
}

[[noreturn]] void refuse_half(const Report<double>& report, const StabilityArguments& a, const Task& task) {
  if (report.status == Status::missing_class) {
    const auto samples = std::count(task.prepared.labels.begin(), task.prepared.labels.end(), report.column);
    throw DataError(a.samples.data + ", class '" + task.prepared.classes[report.column] + "': " +
                    (samples < 2 ? "it has one sample, and halves need one each"
                                 : "a half has no sample of positive weight of it"));
  }
  refuse(report, task);
}

template <class T>
Outcome select(const StabilityArguments& a, const Task& task) {
  const Stopwatch watch;
  Fitting<T> fitting(task);
  const Groups& groups = task.choice.groups;
  Outcome out;
  out.units = units_of(groups, fitting.shape().features);
  out.max_features = features_of_half(a, out.units.size(), fitting.shape().features);
  std::vector<T> values;
  Grid<T> grid = grid_of(a.grid, fitting, values);
  const auto least = PathOf<T>::requirement(fitting.shape(), fitting.least()).bytes;
  find_first(grid, fitting, ArenaMemory(arena_bytes(least, least, a.effort.memory_limit)).span());
  const auto needed = [&](Requirement solver) {
    return StabilityOf<T>::requirement(fitting.shape(), groups, grid.points, solver).bytes;
  };
  out.arena_bytes = arena_bytes(needed(fitting.least()), needed(fitting.fast()), a.effort.memory_limit);
  const auto units = static_cast<Index>(out.units.size());
  const ArenaMemory memory(count_bytes<KeptCounts<T>>(units, grid.points).bytes);
  Arena arena(memory.span());
  auto counts = KeptCounts<T>::lay_out(arena, units, grid.points);
  counts.clear();
  const Index pairs = a.subsamples / 2;
  ProgressLine progress(!a.quiet, a.subsamples);
  std::mutex guard;
  a.jobs.run(
      {pairs, out.arena_bytes, a.effort.memory_limit, in_words(pairs, "pair") + " of halves"}, a.quiet, [&](Job& job) {
        StabilityOf<T> selection(maker(fitting), fitting.shape().features, fitting.targets(), grid,
                                 {pairs, a.samples.seed, out.max_features, groups});
        selection.start(job.arena(out.arena_bytes), job.task());
        for (bool more = selection.running(); more; more = selection.step()) {
          job.check();
          if (progress.due())
            progress.show(place_of("half", selection.half(), a.subsamples, selection.lambda()), selection.report());
        }
        if (selection.status() != Status::converged) {
          Report<double> why = in_double(selection.report());
          why.status = selection.status();
          refuse_half(why, a, task);
        }
        progress.count(2);
        const std::lock_guard lock(guard);
        counts.add(selection.counts());
      });
  for (Index l = 0; l < grid.points; ++l) out.lambdas.push_back(static_cast<double>(grid.at(l)));
  for (Index g = 0; g < units; ++g) {
    out.units[g].frequency = static_cast<double>(counts.frequency(g));
    for (Index l = 0; l < grid.points; ++l)
      out.units[g].frequencies.push_back(static_cast<double>(counts.frequency(g, l)));
  }
  out.halves = counts.halves;
  out.selected_by_half = static_cast<double>(counts.selected_by_half());
  out.threshold =
      a.finds_threshold() ? static_cast<double>(counts.threshold(static_cast<T>(a.most_false()))) : a.least_share();
  if (out.threshold > 1)
    throw ArgumentError(
        "--false-selections: a half keeps so many features that no threshold bounds the false ones by " +
        a.false_selections + ": lower --max-features");
  out.false_selections = expected_false_selections(out.selected_by_half, units, out.threshold);
  out.seconds = watch.seconds();
  return out;
}

std::string name_of(const Unit& unit, const Prepared& p) {
  const auto feature = [&](std::size_t j) {
    return p.train.feature_names.empty() ? "x" + std::to_string(j) : p.train.feature_names[j];
  };
  std::string out = feature(unit.features[0]);
  if (unit.features.size() > 1) out += " and " + std::to_string(unit.features.size() - 1) + " more";
  return out;
}

/// Units that no half keeps are left out.
Json json_of(const Outcome& o, const StabilityArguments& a, const Task& task) {
  Json ranked = Json::array();
  for (const std::size_t g : o.ranked()) {
    const Unit& unit = o.units[g];
    if (unit.frequency == 0) break;
    ranked.push_back({{"name", name_of(unit, task.prepared)},
                      {"indices", unit.features},
                      {"frequency", unit.frequency},
                      {"selected", o.selects(unit)},
                      {"frequencies", unit.frequencies}});
  }
  return {{"loss", name(task.choice.loss)},
          {"penalty", name(task.choice.penalty)},
          {"solver", name(task.choice.resolved_solver())},
          {"precision", task.precision},
          {"samples", task.prepared.train.samples},
          {"features", task.prepared.train.features},
          {"classes", task.prepared.classes.size()},
          {"units", o.units.size()},
          {"subsamples", o.halves},
          {"seed", a.samples.seed},
          {"max_features", o.max_features},
          {"threshold", o.threshold},
          {"selected_by_half", o.selected_by_half},
          {"expected_false_selections", std::isfinite(o.false_selections) ? Json(o.false_selections) : Json(nullptr)},
          {"lambdas", o.lambdas},
          {"ranked", ranked},
          {"arena_bytes", o.arena_bytes},
          {"seconds", o.seconds},
          {"version", tamis::version}};
}

/// Features from the most frequent on: all that are selected, and some that are not.
std::string summary(const Outcome& o, const Task& task) {
  const auto selected = std::count_if(o.units.begin(), o.units.end(), [&](const Unit& u) { return o.selects(u); });
  const bool grouped = o.units.size() < task.prepared.train.features;
  char text[256];
  std::snprintf(text, sizeof text,
                "%zu of %s: in at least %.3g %% of %u halves, which keep %.3g on average (at most %u); at most %.2g "
                "false ones are expected\n",
                static_cast<std::size_t>(selected), in_words(o.units.size(), grouped ? "group" : "feature").c_str(),
                100 * o.threshold, o.halves, o.selected_by_half, o.max_features, o.false_selections);
  std::string out = text;
  std::size_t others = 0;
  for (const std::size_t g : o.ranked()) {
    const Unit& unit = o.units[g];
    if (!o.selects(unit) && (unit.frequency == 0 || others++ == 10)) break;
    if (!o.selects(unit) && others == 1) out += "below:\n";
    std::snprintf(text, sizeof text, "  %5.1f %%  ", 100 * unit.frequency);
    out += text + name_of(unit, task.prepared) + "\n";
  }
  return out;
}

void StabilityArguments::declare(const Command& command) {
  samples.declare(command);
  problem.declare(command);
  grid.declare(command);
  grid.ratio = "0.01";  // the halves end early
  command.get_option("--lambda-ratio")->description("of the smallest to the largest lambda")->capture_default_str();
  command.get_option("--max-features")
      ->description(
          "a half ends before models with more features than this (default: as many as --threshold and "
          "--false-selections allow)");
  command
      .add_option("--subsamples", subsamples,
                  "halves of the samples that are trained on, in pairs that have no sample in common: an even number")
      ->between(2, 1000000)
      ->capture_default_str();
  command.add_option("--threshold", threshold,
                     "a feature is selected that this share of the halves keeps at some lambda, above 1/2 (default: "
                     "0.9, or what --false-selections and --max-features ask for)");
  command.add_option("--false-selections", false_selections,
                     "at most so many expected features of the selection may be false (default: 1)");
  effort.declare(command);
  jobs.declare(command);
  command.add_option("--report", report, "write all frequencies as JSON")->type_name(output_type);
  command.add_flag("--quiet", quiet, "print nothing");
}

void StabilityArguments::check() const {
  if (subsamples % 2)
    throw ArgumentError("--subsamples: " + std::to_string(subsamples) + " is odd, and halves come in pairs");
  if (!(least_share() > 0.5 && least_share() <= 1))
    throw ArgumentError("--threshold: " + threshold + " does not lie above 1/2 and up to 1");
  if (!(most_false() > 0)) throw ArgumentError("--false-selections: " + false_selections + " is not positive");
  if (!threshold.empty() && !false_selections.empty() && grid.limited())
    throw ArgumentError(
        "--threshold, --false-selections and --max-features: two of them say what the third is; leave one out");
  if (!samples.test.empty() || !samples.held_out.empty())
    throw ArgumentError(std::string(samples.test.empty() ? "--hold-out" : "--test") +
                        " is for models that are judged: a selection of features is not one");
  for (const PenaltyKind kind : all_penalties)
    if (problem.penalty == name(kind) && !makes_zeros(kind))
      throw ArgumentError("--penalty " + problem.penalty + " keeps every feature, so that there is nothing to select");
  if (problem.loss == name(LossKind::ranking_squared_hinge))
    throw ArgumentError(
        "--loss ranking-squared-hinge: samples with several labels have no halves with half of every class");
}

template <class T>
void run_stability_command(const StabilityArguments& a, const Task& task) {
  const Outcome out = select<T>(a, task);
  if (!a.report.empty()) write_file(a.report, json_of(out, a, task).dump(2) + "\n");
  if (!a.quiet) beside({a.report}) << summary(out, task);
}

}  // namespace

void declare_stability(const Command& app) {
  auto a = std::make_shared<StabilityArguments>();
  const Command stability =
      app.add_subcommand("stability", "find the features that are kept whichever half of the samples is trained on");
  a->declare(stability);
  stability.callback([a] {
    a->check();
    const auto selection = begin_selection(*a);
    if (a->problem.single_precision()) run_stability_command<float>(*a, selection->task);
    else run_stability_command<double>(*a, selection->task);
  });
}

}  // namespace tamis::cli
