#include "cv.hpp"

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
const std::vector<std::size_t>& Refit<T>::kept_without(Index fold, const Job& job) {
  if (kept_[fold]) return *kept_[fold];
  Prepared part = task_.prepared;
  part.test.reset();
  if (part.weights.empty()) part.weights.assign(part.labels.size(), 1);
  for (std::size_t i = 0; i < part.weights.size(); ++i)
    if (folds_.of[i] == fold) part.weights[i] = 0;
  Task other{task_.samples, part, task_.choice, task_.parameters, task_.options, task_.precision};
  other.options.lambda = model_.lambda;
  const Fitting<T> fitting(other, static_cast<T>(model_.lambda), true);
  const ArenaMemory memory(arena_bytes(fitting.least().bytes, fitting.fast().bytes, arguments_.effort.memory_limit));
  auto training = fitting.training(fitting.targets());
  training.start(memory.span());
  while (training.step()) job.check();
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
  Fitting<T> fitting(with_ridge(task_, prepared));
  GridArguments lambdas;
  lambdas.points = 30;
  lambdas.values = a.refit_lambda;
  std::vector<T> values;
  const Grid<T> grid = grid_of(lambdas, fitting, values);
  const std::size_t bytes = bytes_for(a, fitting, folds_.count, grid.points);
  std::vector<PathPoint> path;
  std::vector<std::vector<HeldOut<double>>> of_fold(folds_.count);
  const Index folds = grid.points > 1 ? folds_.count : 0;  // where there is a choice
  ProgressLine progress(!a.quiet, std::size_t(folds + 1) * grid.points);
  a.jobs.run({folds + 1, 0, a.effort.memory_limit}, a.quiet, [&](Job& job) {
    if (job.task() == 0) {
      const ArenaMemory memory(bytes);
      path = run_path(fitting, grid, ~Index(0), memory.span(), progress, [](const PathPoint&) {});
      return job.check();
    }
    const Index fold = job.task() - 1;
    const auto& kept = kept_without(fold, job);
    if (kept.empty()) return;
    const Prepared its = restricted(task_.prepared, kept);
    const Fitting<T> ridge(with_ridge(task_, its), grid.at(grid.points - 1), true);
    of_fold[fold] = held_out(a, Jobs(), ridge, only(fold), grid, bytes_for(a, ridge, 1, grid.points), progress);
  });

  Index chosen = 0;
  if (folds > 0) {
    std::vector<HeldOut<double>> sum(path.size());
    for (Index fold = 0; fold < folds; ++fold) {
      if (of_fold[fold].empty()) continue;
      double held = 0;
      for (std::size_t i = 0; i < folds_.of.size(); ++i)
        if (folds_.of[i] == fold) held += prepared.weights.empty() ? 1 : prepared.weights[i];
      for (std::size_t l = 0; l < sum.size(); ++l) {
        sum[l].error += held * of_fold[fold][l].error;
        sum[l].loss += held * of_fold[fold][l].loss;
      }
    }
    chosen = best(grid.points, a.what(), [&](Index l) { return sum[l]; });
  }
  PathPoint out = std::move(path[chosen]);
  for (std::size_t& j : out.coefficients.features) j = model_.coefficients.features[j];
  return out;
}

template <class T>
std::vector<double> Refit<T>::held_out_scores(double lambda) {
  std::vector<double> scores(task_.prepared.labels.size() * task_.prepared.classes.size());
  ProgressLine progress(!arguments_.quiet, folds_.count);
  arguments_.jobs.run({folds_.count, 0, arguments_.effort.memory_limit}, arguments_.quiet, [&](Job& job) {
    const auto& kept = kept_without(job.task(), job);
    if (kept.empty())  // there is nothing to train again
      return hold_out_scores<T>(arguments_, Jobs(), task_, only(job.task()), model_.lambda, progress, scores);
    const Prepared its = restricted(task_.prepared, kept);
    hold_out_scores<T>(arguments_, Jobs(), with_ridge(task_, its), only(job.task()), lambda, progress, scores);
  });
  return scores;
}

template class Refit<float>;
template class Refit<double>;

}  // namespace tamis::cli
