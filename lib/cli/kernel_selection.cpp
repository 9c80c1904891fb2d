#include "kernel_selection.hpp"

#include <CLI/CLI.hpp>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "readers.hpp"

namespace tamis::cli {

void KernelBoundArguments::declare(CLI::App& command) {
  draws_ = command.add_option("--rademacher", draws,
                              "estimate the data-dependent bound of the error on other samples, by so many draws of "
                              "signs; that it falls with the number of samples is proved for p = q = 1, for p = 2, q = "
                              "1, r = 1 and for p = 1, q = 2, r = 2");
  delta_ = command.add_option("--delta", delta, "the bound may fail with this probability")->capture_default_str();
}

bool KernelBoundArguments::given() const { return draws_ && draws_->count() > 0; }

double KernelBoundArguments::probability() const { return parse_number("--delta", delta); }

void KernelBoundArguments::check() const {
  if (delta_ && delta_->count() > 0 && !given()) throw ArgumentError("--delta is for --rademacher: give both");
  if (given() && draws < 2)
    throw ArgumentError("--rademacher: " + in_words(draws, "draw") + (draws == 1 ? " has" : " have") +
                        " no standard error: take 2 or more");
  if (!(probability() > 0 && probability() < 1))
    throw ArgumentError("--delta: " + delta + " does not lie between 0 and 1");
}

namespace {

template <class T>
MixedNorm<T> norm_of_task(const KernelTask& task) {
  return {task.p, task.q, task.r};
}

template <class T>
Shape shape_of(const DenseDesign<T>& design, const KernelTask& task) {
  return {design.samples(), design.features(), task.outputs()};
}

}  // namespace

template <class T>
std::size_t selection_bytes(const KernelArguments& a, const KernelTask& task, Index kernels) {
  const Index n = task.samples(), folds = a.grid.held_out_folds();
  const Index training = most_training_samples(task.fold_of, folds);
  const Shape shape{n, n * kernels, task.outputs()};
  return (KernelPath<T>::requirement(shape) |
          KernelCrossValidation<T>::requirement(shape, training, folds, a.grid.size()))
      .bytes;
}

template <class T>
LambdaSelection select_lambda(const KernelArguments& a, const KernelTask& task, const DenseDesign<T>& design,
                              const Options<T>& options) {
  const auto kernels = static_cast<Index>(task.kernels.size());
  std::vector<T> values;
  const Grid<T> grid = a.grid.grid(values, task.q == 1 ? 1e-3 : 1e-5, a.precision);
  using Validation = KernelCrossValidation<T>;
  return choose_lambda(
      a.grid, grid, selection_bytes<T>(a, task, kernels), a.quiet,
      [&](const Grid<T>& of) {
        return KernelPath<T>(design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options, of);
      },
      [&](const Grid<T>& of) {
        return Validation(design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options,
                          task.fold_of.data(), a.grid.held_out_folds(), of);
      },
      [&](Status status, const Validation* validation) {
        if (status == Status::missing_class && validation)
          throw DataError(
              missing_class(task.train.path, task.classes[validation->report().column], validation->fold()));
        throw DataError(task.train.path + ": " + describe(status));
      });
}

template <class T>
DrawnMean<double> draw_signs(const KernelArguments& a, const KernelTask& task, const DenseDesign<T>& design) {
  const ArenaMemory memory(rademacher_requirement<T>(shape_of(design, task)).bytes);
  DrawnMean<T> out;
  const Status status = rademacher_average(design, static_cast<Index>(task.kernels.size()), norm_of_task<T>(task),
                                           a.bound.draws, a.seed, memory.span(), out);
  if (status != Status::converged) throw DataError(task.train.path + ": --rademacher: " + describe(status));
  return {static_cast<double>(out.mean), static_cast<double>(out.standard_error)};
}

template std::size_t selection_bytes<float>(const KernelArguments&, const KernelTask&, Index);
template std::size_t selection_bytes<double>(const KernelArguments&, const KernelTask&, Index);
template LambdaSelection select_lambda(const KernelArguments&, const KernelTask&, const DenseDesign<float>&,
                                       const Options<float>&);
template LambdaSelection select_lambda(const KernelArguments&, const KernelTask&, const DenseDesign<double>&,
                                       const Options<double>&);
template DrawnMean<double> draw_signs(const KernelArguments&, const KernelTask&, const DenseDesign<float>&);
template DrawnMean<double> draw_signs(const KernelArguments&, const KernelTask&, const DenseDesign<double>&);

}  // namespace tamis::cli
