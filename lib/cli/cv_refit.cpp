#include "cv.hpp"
#include "interrupt.hpp"

namespace tamis::cli {

namespace {

/// The samples with the kept features alone.
Prepared restricted(const Prepared& p, const std::vector<std::size_t>& features) {
  Prepared out = p;
  const auto restrict_table = [&](Table& table) {
    const Table all = std::move(table);
    table = {};
    table.path = all.path;
    table.samples = all.samples;
    table.features = features.size();
    table.sparse = all.sparse;
    table.labels = all.labels;
    table.lines = all.lines;
    if (all.sparse) table.starts.push_back(0);
    for (const std::size_t j : features) {
      if (!all.feature_names.empty()) table.feature_names.push_back(all.feature_names[j]);
      const std::size_t begin = all.sparse ? all.starts[j] : j * all.samples;
      const std::size_t end = all.sparse ? all.starts[j + 1] : begin + all.samples;
      for (std::size_t e = begin; e < end; ++e) {
        table.values.push_back(all.values[e]);
        if (all.sparse) table.rows.push_back(all.rows[e]);
      }
      if (all.sparse) table.starts.push_back(static_cast<std::uint32_t>(table.values.size()));
    }
  };
  restrict_table(out.train);
  if (out.test) restrict_table(*out.test);
  if (out.standardisation) {
    const auto columns = std::move(out.standardisation->columns);
    out.standardisation->columns.clear();
    for (const std::size_t j : features) out.standardisation->columns.push_back(columns[j]);
  }
  return out;
}

/// The same task with other samples or columns, and ridge.
Task with_ridge(const Task& task, const Prepared& prepared) {
  Task out{task.samples, prepared, task.choice, task.parameters, task.options, task.precision};
  out.choice.penalty = PenaltyKind::ridge;
  out.choice.solver = SolverKind::automatic;
  out.choice.groups = Groups::rows();
  return out;
}

}  // namespace

template <class T>
Refit<T>::Refit(const CvArguments& arguments, const Task& task, const PathPoint& model, const Folds& folds)
    : arguments_(arguments), task_(task), model_(model), folds_(folds), kept_(folds.count) {}

template <class T>
const std::vector<std::size_t>& Refit<T>::kept_without(Index fold) {
  if (kept_[fold]) return *kept_[fold];
  Prepared part = task_.prepared;
  part.test.reset();
  if (part.weights.empty()) part.weights.assign(part.labels.size(), 1);
  for (std::size_t i = 0; i < part.weights.size(); ++i)
    if (folds_.of[i] == fold) part.weights[i] = 0;
  Task other{task_.samples, part, task_.choice, task_.parameters, task_.options, task_.precision};
  other.options.lambda = model_.lambda;
  const Fitting<T> fitting(other);
  const ArenaMemory memory(arena_bytes(fitting.least().bytes, fitting.fast().bytes, arguments_.effort.memory_limit));
  auto training = fitting.training(fitting.targets());
  training.start(memory.span());
  while (training.step()) stop_if_interrupted(before_choice);
  return kept_[fold].emplace(Kept(fitting.evaluate(training, 0).coefficients).features);
}

template <class T>
Folds Refit<T>::only(Index fold) const {
  Folds one{folds_.of, 1};
  for (Index& of : one.of) of = of == fold ? 0 : no_fold;
  return one;
}

template <class T>
PathPoint Refit<T>::train() {
  const CvArguments& a = arguments_;
  const Prepared prepared = restricted(task_.prepared, model_.coefficients.features);
  const Fitting<T> fitting(with_ridge(task_, prepared));
  GridArguments lambdas;
  lambdas.points = 30;
  lambdas.values = a.refit_lambda;
  std::vector<T> values;
  const Grid<T> grid = grid_of(lambdas, fitting, values);
  const ArenaMemory memory = memory_for(a, fitting, folds_.count, grid.points);
  std::vector<PathPoint> path = run_path(fitting, grid, ~Index(0), memory.span(), a.quiet, [](const PathPoint&) {});
  stop_if_interrupted(before_choice);

  Index chosen = 0;
  if (path.size() > 1) {
    values.clear();
    for (const PathPoint& point : path) values.push_back(static_cast<T>(point.lambda));
    const Grid<T> same{values.data(), static_cast<Index>(values.size())};
    std::vector<HeldOut<double>> sum(path.size());
    for (Index fold = 0; fold < folds_.count; ++fold) {
      const auto& kept = kept_without(fold);
      if (kept.empty()) continue;
      double held = 0;
      for (std::size_t i = 0; i < folds_.of.size(); ++i)
        if (folds_.of[i] == fold) held += prepared.weights.empty() ? 1 : prepared.weights[i];
      const Prepared its = restricted(task_.prepared, kept);
      const Fitting<T> ridge(with_ridge(task_, its));
      const ArenaMemory room = memory_for(a, ridge, 1, same.points);
      const auto points = held_out(a, ridge, only(fold), same, room.span());
      for (std::size_t l = 0; l < sum.size(); ++l) {
        sum[l].error += held * points[l].error;
        sum[l].loss += held * points[l].loss;
      }
    }
    chosen = best(same.points, a.what(), [&](Index l) { return sum[l]; });
  }
  PathPoint out = std::move(path[chosen]);
  for (std::size_t& j : out.coefficients.features) j = model_.coefficients.features[j];
  return out;
}

template <class T>
std::vector<double> Refit<T>::held_out_scores(double lambda) {
  std::vector<double> scores(task_.prepared.labels.size() * task_.prepared.classes.size());
  for (Index fold = 0; fold < folds_.count; ++fold) {
    const auto& kept = kept_without(fold);
    if (kept.empty()) {  // there is nothing to train again
      hold_out_scores(arguments_, Fitting<T>(task_), only(fold), model_.lambda, scores);
      continue;
    }
    const Prepared its = restricted(task_.prepared, kept);
    hold_out_scores(arguments_, Fitting<T>(with_ridge(task_, its)), only(fold), lambda, scores);
  }
  return scores;
}

template class Refit<float>;
template class Refit<double>;

}  // namespace tamis::cli
