#include "cv.hpp"

namespace tamis::cli {

namespace {

template <class T>
using FoldsOf =
    CrossValidation<T, decltype(maker(std::declval<const Fitting<T>&>())), AnyDesign<T>, AnyMultilabelLoss<T>>;

/// With a place for the scores of what is held out, or none.
template <class T>
struct TaskFolds : FoldsOf<T> {
  TaskFolds(const Fitting<T>& fitting, const Folds& folds, const Grid<T>& grid, T* scores)
      : FoldsOf<T>(maker(fitting), fitting.design(), fitting.targets(),
                   loss_of<T>(fitting.task().choice, fitting.task().prepared), folds.of.data(), folds.count, grid,
                   fitting.options().margin) {
    this->keep_scores(scores);
  }
};

template <class T>
[[noreturn]] void refuse_fold(const FoldsOf<T>& cv, const CvArguments& a, const Task& task) {
  if (cv.status() == Status::missing_class && task.prepared.sets)
    throw DataError(a.samples.data + ", label '" + task.prepared.classes[cv.report().column] +
                    "': without the samples of fold " + std::to_string(cv.fold() + 1) +
                    " all have it or none, so that its intercept would diverge; leave the label out, take other folds, "
                    "or use --no-intercept");
  if (cv.status() == Status::missing_class)
    throw DataError(
        missing_class(a.samples.data, task.prepared.classes[cv.report().column], cv.fold(), "other folds or subjects"));
  Report<double> why = in_double(cv.report());
  why.status = cv.status();
  refuse(why, task);
}

/// `scores`: samples × stride for each λ, of what is held out; null: they are not kept.
template <class T>
std::vector<HeldOut<double>> run_folds(const CvArguments& a, const Jobs& jobs, const Fitting<T>& fitting,
                                       const Folds& folds, const Grid<T>& grid, std::size_t bytes,
                                       ProgressLine& progress, const PathTask& before, T* scores) {
  const HeldOutWork<T> work{jobs, bytes, a.effort.memory_limit, grid, folds.count, a.quiet, progress};
  return work.run(
      before, [&] { return TaskFolds<T>(fitting, folds, grid, scores); },
      [&](const FoldsOf<T>& cv) { refuse_fold<T>(cv, a, fitting.task()); });
}

}  // namespace

template <class T>
std::vector<HeldOut<double>> held_out(const CvArguments& a, const Jobs& jobs, const Fitting<T>& fitting,
                                      const Folds& folds, const Grid<T>& grid, std::size_t bytes,
                                      ProgressLine& progress, const PathTask& before) {
  return run_folds<T>(a, jobs, fitting, folds, grid, bytes, progress, before, nullptr);
}

template <class T>
std::size_t bytes_of_folds(Shape shape, Index folds, Index points, Requirement solver) {
  return FoldsOf<T>::requirement(shape, folds, points, solver).bytes;
}

template <class T>
std::size_t bytes_for(const CvArguments& a, const Fitting<T>& fitting, Index folds, Index points) {
  const auto needed = [&](Requirement solver) { return bytes_of_folds<T>(fitting.shape(), folds, points, solver); };
  return arena_bytes(needed(fitting.least()), needed(fitting.fast()), a.effort.memory_limit);
}

template <class T>
void hold_out_scores(const CvArguments& a, const Jobs& jobs, const Task& task, const Folds& folds, double lambda,
                     ProgressLine& progress, std::vector<double>& scores) {
  const T value = static_cast<T>(lambda);
  const Fitting<T> fitting(task, value, true);
  const Shape shape = fitting.shape();
  const Index stride = padded<T>(shape.classes);
  std::vector<T> kept(std::size_t(shape.samples) * stride);
  (void)run_folds<T>(a, jobs, fitting, folds, {.values = &value, .points = 1}, bytes_for(a, fitting, folds.count, 1),
                     progress, {}, kept.data());
  for (std::size_t i = 0; i < shape.samples; ++i)
    for (std::size_t k = 0; folds.of[i] != no_fold && k < shape.classes; ++k)
      scores[i * shape.classes + k] = static_cast<double>(kept[i * stride + k]);
}

#define TAMIS_INSTANTIATE(T)                                                                                          \
  template std::vector<HeldOut<double>> held_out(const CvArguments&, const Jobs&, const Fitting<T>&, const Folds&,    \
                                                 const Grid<T>&, std::size_t, ProgressLine&, const PathTask&);        \
  template std::size_t bytes_of_folds<T>(Shape, Index, Index, Requirement);                                           \
  template std::size_t bytes_for(const CvArguments&, const Fitting<T>&, Index, Index);                                \
  template void hold_out_scores<T>(const CvArguments&, const Jobs&, const Task&, const Folds&, double, ProgressLine&, \
                                   std::vector<double>&)
TAMIS_INSTANTIATE(float);
TAMIS_INSTANTIATE(double);
#undef TAMIS_INSTANTIATE

}  // namespace tamis::cli
