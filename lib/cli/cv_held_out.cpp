#include "cv.hpp"
#include "interrupt.hpp"

namespace tamis::cli {

namespace {

template <class T>
using FoldsOf =
    CrossValidation<T, decltype(maker(std::declval<const Fitting<T>&>())), AnyDesign<T>, AnyMultilabelLoss<T>>;

/// Runs it to its end. Throws one sentence for a refusal.
template <class T>
void run_folds(FoldsOf<T>& cv, const CvArguments& a, const Task& task, Index points, std::span<std::byte> memory) {
  cv.start(memory);
  ProgressLine progress(!a.quiet);
  while (cv.step()) {
    stop_if_interrupted(before_choice);
    progress.show(cv.fold() * points + cv.points_done(), cv.report());
  }
  if (cv.status() == Status::missing_class && task.prepared.sets)
    throw DataError(a.samples.data + ", label '" + task.prepared.classes[cv.report().column] +
                    "': without the samples of fold " + std::to_string(cv.fold() + 1) +
                    " all have it or none, so that its intercept would diverge; leave the label out, take other folds, "
                    "or use --no-intercept");
  if (cv.status() == Status::missing_class)
    throw DataError(
        missing_class(a.samples.data, task.prepared.classes[cv.report().column], cv.fold(), "other folds or subjects"));
  if (cv.status() != Status::converged) {
    Report<double> why = in_double(cv.report());
    why.status = cv.status();
    refuse(why, task);
  }
}

}  // namespace

template <class T>
std::vector<HeldOut<double>> held_out(const CvArguments& a, const Fitting<T>& fitting, const Folds& folds,
                                      const Grid<T>& grid, std::span<std::byte> memory) {
  const Task& task = fitting.task();
  FoldsOf<T> cv(maker(fitting), fitting.design(), fitting.targets(), loss_of<T>(task.choice, task.prepared),
                folds.of.data(), folds.count, grid, fitting.options().margin);
  run_folds(cv, a, task, grid.points, memory);
  std::vector<HeldOut<double>> out;
  for (Index l = 0; l < grid.points; ++l) out.push_back(in_double(cv.at(l)));
  return out;
}

template <class T>
ArenaMemory memory_for(const CvArguments& a, const Fitting<T>& fitting, Index folds, Index points) {
  const auto needed = [&](Requirement solver) {
    return FoldsOf<T>::requirement(fitting.shape(), folds, points, solver).bytes;
  };
  return ArenaMemory(arena_bytes(needed(fitting.least()), needed(fitting.fast()), a.effort.memory_limit));
}

template <class T>
void hold_out_scores(const CvArguments& a, const Fitting<T>& fitting, const Folds& folds, double lambda,
                     std::vector<double>& scores) {
  const Task& task = fitting.task();
  const Shape shape = fitting.shape();
  const T value = static_cast<T>(lambda);
  const ArenaMemory memory = memory_for(a, fitting, folds.count, 1);
  FoldsOf<T> cv(maker(fitting), fitting.design(), fitting.targets(), loss_of<T>(task.choice, task.prepared),
                folds.of.data(), folds.count, {.values = &value, .points = 1}, fitting.options().margin);
  const Index stride = padded<T>(shape.classes);
  std::vector<T> kept(std::size_t(shape.samples) * stride);
  cv.keep_scores(kept.data());
  run_folds(cv, a, task, 1, memory.span());
  for (std::size_t i = 0; i < shape.samples; ++i)
    for (std::size_t k = 0; folds.of[i] != no_fold && k < shape.classes; ++k)
      scores[i * shape.classes + k] = static_cast<double>(kept[i * stride + k]);
}

#define TAMIS_INSTANTIATE(T)                                                                                          \
  template std::vector<HeldOut<double>> held_out(const CvArguments&, const Fitting<T>&, const Folds&, const Grid<T>&, \
                                                 std::span<std::byte>);                                               \
  template ArenaMemory memory_for(const CvArguments&, const Fitting<T>&, Index, Index);                               \
  template void hold_out_scores(const CvArguments&, const Fitting<T>&, const Folds&, double, std::vector<double>&)
TAMIS_INSTANTIATE(float);
TAMIS_INSTANTIATE(double);
#undef TAMIS_INSTANTIATE

}  // namespace tamis::cli
