#pragma once
/// How λ is chosen by cross-validation, or on samples held out once: what `tamis cv`, `tamis kernels` and
/// `tamis interactions` share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "interrupt.hpp"
#include "tamis/selection/cross_validation.hpp"
#include "terminal.hpp"

namespace tamis::cli {

/// The fold of each sample (or no_fold), and how many there are.
struct Folds {
  std::vector<Index> of;
  Index count;
};

/// Samples that are dealt to folds. Of a regression there are no labels and classes.
struct DealtSamples {
  const std::vector<Label>& labels;
  const std::vector<std::string>& classes;
  const std::vector<std::string>& subjects;  // one per sample, or none
  std::size_t samples;
  std::uint64_t seed;
  Index label_count = 0;  // that `labels` number; 0: they number the classes
};

/// How samples are held out, and compared: --folds, --stratified, --validation, --measure, --choose.
struct HoldOutArguments {
  std::string validation, choose = "1se", measure = "error";
  Index folds = 5;
  bool stratified = true;

  void declare_folds(const Command& command);
  void declare_measure(const Command& command);
  /// Throws ArgumentError for an unknown measure or choice.
  void check_choice() const;
  Measure what() const { return measure == "loss" ? Measure::loss : Measure::error; }
  double mean(const HeldOut<double>& h) const { return what() == Measure::loss ? h.loss : h.error; }
  double standard_error(const HeldOut<double>& h) const {
    return what() == Measure::loss ? h.loss_deviation : h.error_deviation;
  }
  /// Folds that samples are dealt to, and those that are held out in turn: one of --validation.
  Index dealt_folds() const;
  Index held_out_folds() const { return validation.empty() ? folds : 1; }
  /// Folds drawn with the seed; of whole subjects where samples have them. Throws ArgumentError.
  Folds deal(const DealtSamples& samples) const;
  /// Those that are held out of folds that were dealt.
  Folds held_out(std::vector<Index> fold) const;

 protected:
  std::vector<Option> others_;
  Option folds_, stratified_;
};

/// The numbers of --lambda-values.
std::vector<double> parse_lambdas(const std::string& values);

/// Which λs are compared, and how: as for `tamis cv`.
struct LambdaGridArguments : HoldOutArguments {
  std::string values, ratio;
  Index points = 0;

  /// `ratio_help` says which --lambda-ratio is the default.
  void declare(const Command& command, Option lambda, const std::string& ratio_help);
  /// Whether λ is to be chosen.
  bool given() const { return points > 0 || !values.empty(); }
  /// The λs of `values`, none without.
  std::vector<double> lambdas() const;
  Index size() const { return values.empty() ? points : static_cast<Index>(lambdas().size()); }
  /// Throws ArgumentError for what makes no sense, or is given though λ is not to be chosen.
  void check() const;

  /// `values` holds the λs that were given. Throws ArgumentError for λs that do not descend in T.
  template <class T>
  Grid<T> grid(std::vector<T>& in_values, double usual_ratio, const std::string& precision) const;
};

/// A λ of the path on all samples.
struct LambdaPoint {
  Status status;
  Index nonzeros, nonzero_rows;
};

/// The λs of a path, what held-out samples say of each, and which is chosen.
struct LambdaChoice {
  std::vector<LambdaPoint> path;
  std::vector<HeldOut<double>> held_out;
  Index least = 0, one_se = 0, chosen = 0;

  double lambda() const { return held_out[chosen].lambda; }
};
struct LambdaSelection : LambdaChoice {
  std::size_t arena_bytes = 0;
  double seconds = 0;  // of all solves
};

/// As the report has it.
nlohmann::ordered_json in_json(const HoldOutArguments& arguments, const LambdaChoice& choice);
nlohmann::ordered_json in_json(const LambdaGridArguments& grid, const LambdaSelection& selection);
/// What a person at a terminal sees of it: a line.
std::string summary(const HoldOutArguments& arguments, const LambdaChoice& choice);

template <class T>
HeldOut<double> in_double(const HeldOut<T>& h) {
  return {static_cast<double>(h.lambda), static_cast<double>(h.error), static_cast<double>(h.error_deviation),
          static_cast<double>(h.loss), static_cast<double>(h.loss_deviation)};
}

/// The sentence for a class that the samples outside a fold do not have.
std::string missing_class(const std::string& path, const std::string& label, Index fold,
                          const std::string& others = "other folds");

/// Chooses λ: make_path(grid) is that of all samples, which has not started, and make_validation(grid) validates its
/// λs. Throws one sentence that names `source` for a refusal.
template <class T, class MakePath, class MakeValidation>
LambdaSelection choose_lambda(const LambdaGridArguments& a, const Grid<T>& grid, std::size_t arena_bytes, bool quiet,
                              const std::string& source, const std::vector<std::string>& classes, MakePath make_path,
                              MakeValidation make_validation) {
  LambdaSelection out;
  out.arena_bytes = arena_bytes;
  const ArenaMemory memory(arena_bytes);
  const Stopwatch watch;
  ProgressLine progress(!quiet);
  auto path = make_path(grid);
  path.start(memory.span());
  std::vector<T> lambdas;
  for (bool more = path.running();; more = path.step()) {
    if (path.at_point()) {
      const auto& now = path.report();
      lambdas.push_back(path.lambda());
      out.path.push_back({now.status, now.nonzeros, now.nonzero_rows});
      progress.show(path.points(), now);
    }
    if (!more) break;
    stop_if_interrupted(before_choice);
  }
  if (path.status() != Status::converged) throw DataError(source + ": " + describe(path.status()));

  const Grid<T> same{.values = lambdas.data(), .points = static_cast<Index>(lambdas.size())};
  auto validation = make_validation(same);
  validation.start(memory.span());
  while (validation.step()) {
    stop_if_interrupted(before_choice);
    progress.show((validation.fold() + 1) * same.points + validation.points_done(), validation.report());
  }
  if (validation.status() == Status::missing_class)
    throw DataError(missing_class(source, classes[validation.report().column], validation.fold()));
  if (validation.status() != Status::converged) throw DataError(source + ": " + describe(validation.status()));
  out.seconds = watch.seconds();
  for (Index l = 0; l < same.points; ++l) out.held_out.push_back(in_double(validation.at(l)));
  out.least = validation.best(a.what());
  out.one_se = validation.one_standard_error(a.what());
  out.chosen = a.choose == "min" ? out.least : out.one_se;
  return out;
}

}  // namespace tamis::cli
