#pragma once
/// How `tamis kernels` and `tamis interactions` choose λ: by cross-validation, or on samples held out once.

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "interrupt.hpp"
#include "tamis/selection/cross_validation.hpp"
#include "terminal.hpp"

namespace tamis::cli {

/// Which λs are compared, and how: as for `tamis cv`.
struct LambdaGridArguments {
  std::string values, ratio, validation, choose = "1se", measure = "error";
  Index points = 0, folds = 5;
  bool stratified = true;

  /// `ratio_help` says which --lambda-ratio is the default.
  void declare(CLI::App& command, CLI::Option* lambda, const std::string& ratio_help);
  /// Whether λ is to be chosen.
  bool given() const { return points > 0 || !values.empty(); }
  bool by_loss() const { return measure == "loss"; }
  /// The λs of `values`, none without.
  std::vector<double> lambdas() const;
  Index size() const { return values.empty() ? points : static_cast<Index>(lambdas().size()); }
  /// Folds that are held out in turn: one of --validation.
  Index held_out_folds() const { return validation.empty() ? folds : 1; }
  /// Throws ArgumentError for what makes no sense, or is given though λ is not to be chosen.
  void check() const;

  /// `values` holds the λs that were given. Throws ArgumentError for λs that do not descend in T.
  template <class T>
  Grid<T> grid(std::vector<T>& in_values, double usual_ratio, const std::string& precision) const;

 private:
  Index dealt_folds() const;
  std::vector<const CLI::Option*> others_;
  const CLI::Option* stratified_ = nullptr;

  friend std::vector<Index> deal_folds(const LambdaGridArguments&, const std::vector<Label>&,
                                       const std::vector<std::string>&, const std::vector<std::string>&, std::size_t,
                                       std::uint64_t);
};

/// The fold of each of so many samples, or no_fold, drawn with the seed; of whole subjects where samples have them. Of
/// a regression there are no labels and classes. Throws ArgumentError.
std::vector<Index> deal_folds(const LambdaGridArguments& grid, const std::vector<Label>& labels,
                              const std::vector<std::string>& classes, const std::vector<std::string>& subjects,
                              std::size_t samples, std::uint64_t seed);

/// A λ of the path on all samples.
struct LambdaPoint {
  Status status;
  Index nonzeros, nonzero_rows;
};

struct LambdaSelection {
  std::vector<LambdaPoint> path;
  std::vector<HeldOut<double>> held_out;
  Index least = 0, one_se = 0, chosen = 0;
  std::size_t arena_bytes = 0;
  double seconds = 0;  // of all solves

  double lambda() const { return held_out[chosen].lambda; }
};

/// The member `selection` of a report.
nlohmann::ordered_json in_json(const LambdaGridArguments& grid, const LambdaSelection& selection);
/// What a person at a terminal sees of it: a line.
std::string summary(const LambdaGridArguments& grid, const LambdaSelection& selection);

/// Chooses λ: make_path(grid) is that of all samples, which has not started, make_validation(grid) validates its λs,
/// and refuse(status, validation) throws one sentence; `validation` is null for the path.
template <class T, class MakePath, class MakeValidation, class Refuse>
LambdaSelection choose_lambda(const LambdaGridArguments& a, const Grid<T>& grid, std::size_t arena_bytes, bool quiet,
                              MakePath make_path, MakeValidation make_validation, Refuse refuse) {
  using Validation = decltype(make_validation(grid));
  LambdaSelection out;
  out.arena_bytes = arena_bytes;
  const ArenaMemory memory(arena_bytes);
  const auto started = std::chrono::steady_clock::now();
  ProgressLine progress(!quiet);
  const auto show = [&](std::uint32_t done, const Report<T>& now) {
    progress.show(done, static_cast<double>(now.objective), static_cast<double>(now.relative_gap), now.nonzeros);
  };
  auto path = make_path(grid);
  path.start(memory.span());
  std::vector<T> lambdas;
  for (bool more = path.running();; more = path.step()) {
    if (path.at_point()) {
      const auto& now = path.report();
      lambdas.push_back(path.lambda());
      out.path.push_back({now.status, now.nonzeros, now.nonzero_rows});
      show(path.points(), now);
    }
    if (!more) break;
    stop_if_interrupted(before_choice);
  }
  if (path.status() != Status::converged) refuse(path.status(), static_cast<const Validation*>(nullptr));

  const Grid<T> same{.values = lambdas.data(), .points = static_cast<Index>(lambdas.size())};
  Validation validation = make_validation(same);
  validation.start(memory.span());
  while (validation.step()) {
    stop_if_interrupted(before_choice);
    show((validation.fold() + 1) * same.points + validation.points_done(), validation.report());
  }
  if (validation.status() != Status::converged) refuse(validation.status(), &validation);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  for (Index l = 0; l < same.points; ++l) {
    const HeldOut<T> now = validation.at(l);
    out.held_out.push_back({static_cast<double>(now.lambda), static_cast<double>(now.error),
                            static_cast<double>(now.error_deviation), static_cast<double>(now.loss),
                            static_cast<double>(now.loss_deviation)});
  }
  const Measure measure = a.by_loss() ? Measure::loss : Measure::error;
  out.least = validation.best(measure);
  out.one_se = validation.one_standard_error(measure);
  out.chosen = a.choose == "min" ? out.least : out.one_se;
  return out;
}

/// The sentence for a class that the samples outside a fold do not have.
std::string missing_class(const std::string& path, const std::string& label, Index fold);

}  // namespace tamis::cli
