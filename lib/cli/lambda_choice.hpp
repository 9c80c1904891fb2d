#pragma once
/// How λ is chosen by cross-validation, or on samples held out once: what `tamis cv`, `tamis kernels` and
/// `tamis interactions` share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fitting.hpp"
#include "jobs.hpp"
#include "readers.hpp"
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
  Jobs jobs;

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

/// Chooses among what is held out of each point.
void choose(const HoldOutArguments& arguments, LambdaChoice& choice);

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

/// Where a solver is, for people: `part` is number `number` of `count`, if there are several.
template <class T>
std::string place_of(const char* part, Index number, Index count, T lambda) {
  return (count > 1 ? format("%s %u of %u", part, number + 1, count) : part) +
         format(", lambda %.3g: ", static_cast<double>(lambda));
}

/// Runs a fold to its end. refuse(validation) throws why there are no measures of it.
template <class Validation, class Refuse>
void run_fold(const Job& job, Validation& validation, std::span<std::byte> memory, Index fold, Index folds,
              ProgressLine& progress, Refuse&& refuse) {
  validation.start(memory, fold);
  Index counted = 0;
  for (bool more = validation.running(); more; more = validation.step()) {
    job.check();
    if (const Index done = validation.points_done(); done > counted) progress.count(done - counted), counted = done;
    if (progress.due()) progress.show(place_of("fold", fold, folds, validation.lambda()), validation.report());
  }
  progress.count(validation.points_done() - counted);
  if (validation.status() != Status::converged) refuse(validation);
}

/// The path of all samples, which folds need not wait for.
using PathTask = std::function<void(Job&, ProgressLine&)>;

/// Folds that are solved as tasks, each on its own.
template <class T>
struct HeldOutWork {
  const Jobs& jobs;
  std::size_t arena_bytes, limit;  // of a task, and of all together
  Grid<T> grid;
  Index folds;
  bool quiet;
  ProgressLine& progress;

  /// What the folds say of each λ, and `before`, unless there is none, as another task. make() validates the grid,
  /// refuse(validation) throws one sentence for a refusal.
  template <class Make, class Refuse>
  std::vector<HeldOut<double>> run(const PathTask& before, Make make, Refuse refuse) const {
    const Index others = before ? 1 : 0;
    const ArenaMemory memory(count_bytes<FoldMeasures<T>>(folds, grid.points).bytes);
    Arena arena(memory.span());
    auto measures = FoldMeasures<T>::lay_out(arena, folds, grid.points);
    const std::string what = in_words(folds, "fold") + (others ? " and the path of all samples" : "");
    jobs.run({folds + others, arena_bytes, limit, what}, quiet, [&](Job& job) {
      if (job.task() < others) return before(job, progress);
      const Index fold = job.task() - others;
      auto validation = make();
      run_fold(job, validation, job.arena(arena_bytes), fold, folds, progress, refuse);
      measures.take_fold(validation.measures(), fold);
    });
    std::vector<HeldOut<double>> out;
    for (Index l = 0; l < grid.points; ++l) out.push_back(in_double(measures.at(l, grid.at(l))));
    return out;
  }
};

/// Chooses λ for a problem that is SolvedByLambda: make_validation(grid) validates its λs; `limit` is that of
/// all arenas together, 0: none. Throws one sentence that names `source` for a refusal.
template <class T, class Problem, class MakeValidation>
LambdaSelection choose_lambda(const LambdaGridArguments& a, Grid<T> grid, const Problem& problem,
                              std::size_t arena_bytes, std::size_t limit, bool quiet, const std::string& source,
                              const std::vector<std::string>& classes, MakeValidation make_validation) {
  LambdaSelection out;
  out.arena_bytes = arena_bytes;
  const Stopwatch watch;
  if (grid.open())
    if (const T first = problem.first_lambda(ArenaMemory(arena_bytes).span()); finite(first))
      grid.first = first > T(0) ? first : T(1);
  const auto solve_path = [&](Job& job, ProgressLine& progress) {
    Path<T, Problem> path(problem, grid);
    path.start(job.arena(arena_bytes));
    for (bool more = path.running();; more = path.step()) {
      if (path.at_point()) {
        const auto& now = path.report();
        out.path.push_back({now.status, now.nonzeros, now.nonzero_rows});
        progress.count();
      }
      if (path.has_solver() && progress.due()) progress.show(place_of("path", 0, 0, path.lambda()), path.report());
      if (!more) break;
      job.check();
    }
    if (path.status() != Status::converged) throw DataError(source + ": " + describe(path.status()));
  };
  ProgressLine progress(!quiet, std::size_t(a.held_out_folds() + 1) * grid.points);
  if (grid.open())  // the path says why
    a.jobs.run({1, arena_bytes}, true, [&](Job& job) { solve_path(job, progress); });
  out.held_out = HeldOutWork<T>{a.jobs, arena_bytes, limit, grid, a.held_out_folds(), quiet, progress}.run(
      solve_path, [&] { return make_validation(grid); },
      [&](const auto& validation) {
        if (validation.status() == Status::missing_class)
          throw DataError(missing_class(source, classes[validation.report().column], validation.fold()));
        throw DataError(source + ": " + describe(validation.status()));
      });
  out.seconds = watch.seconds();
  choose(a, out);
  return out;
}

}  // namespace tamis::cli
