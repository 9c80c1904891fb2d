#include "kernel_selection.hpp"

#include <algorithm>
#include <chrono>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "readers.hpp"
#include "terminal.hpp"

namespace tamis::cli {

void KernelGridArguments::declare(CLI::App& command, CLI::Option* lambda) {
  auto* count = command
                    .add_option("--lambdas", points,
                                "in place of --lambda: so many, equally spaced in logarithm from the largest with a "
                                "use on, of which cross-validation chooses")
                    ->check(CLI::Range(Index(1), Index(100000)))
                    ->excludes(lambda);
  auto* listed = command.add_option("--lambda-values", values, "the same of these, descending: 0.1,0.05,1/40")
                     ->excludes(count)
                     ->excludes(lambda);
  others_ = {
      command
          .add_option("--lambda-ratio", ratio,
                      "of the smallest to the largest lambda (default: 0.001, of q = 2 0.00001)")
          ->excludes(listed),
      command.add_option("--folds", folds, "number of folds")->capture_default_str(),
      command.add_flag("--stratified,!--unstratified", stratified, "every fold has its share of every class (default)"),
      command.add_option("--measure", measure, "what is compared on held-out samples: error | loss")
          ->capture_default_str(),
      command
          .add_option("--choose", choose,
                      "1se: the largest lambda within one standard error of the least mean | min: the least "
                      "mean; of equal errors that of the least loss, then the largest lambda")
          ->capture_default_str()};
}

std::vector<double> KernelGridArguments::lambdas() const {
  std::vector<double> out;
  for (std::size_t begin = 0, end = 0; !values.empty() && end != std::string::npos; begin = end + 1) {
    end = values.find(',', begin);
    out.push_back(parse_number("--lambda-values", values.substr(begin, end - begin)));
    if (!(out.back() > 0) || (out.size() > 1 && !(out.back() < out[out.size() - 2])))
      throw ArgumentError("--lambda-values: " + values + " do not descend, or one is not positive");
  }
  return out;
}

void KernelGridArguments::check() const {
  for (const auto* option : others_)
    if (option->count() > 0 && !given())
      throw ArgumentError(option->get_name() +
                          " is for choosing lambda: give --lambdas or --lambda-values in place of "
                          "--lambda");
  if (choose != "min" && choose != "1se") throw ArgumentError("--choose: '" + choose + "' is not one of min, 1se");
  if (measure != "error" && measure != "loss")
    throw ArgumentError("--measure: '" + measure + "' is not one of error, loss");
  if (const double number = ratio.empty() ? 1 : parse_number("--lambda-ratio", ratio); !(number > 0 && number <= 1))
    throw ArgumentError("--lambda-ratio: " + ratio + " does not lie between 0 and 1");
  (void)lambdas();
}

void KernelBoundArguments::declare(CLI::App& command) {
  draws_ = command.add_option("--rademacher", draws,
                              "estimate the data-dependent bound of the error on other samples, by so many draws of "
                              "signs");
  delta_ = command.add_option("--delta", delta, "the bound may fail with this probability")->capture_default_str();
}

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

Index points_of(const KernelGridArguments& grid) {
  return grid.values.empty() ? grid.points : static_cast<Index>(grid.lambdas().size());
}

template <class T>
MixedNorm<T> norm_of_task(const KernelTask& task) {
  return {task.p, task.q, task.r};
}

std::vector<Index> deal(const KernelArguments& a, const KernelTask& task) {
  const Index samples = task.samples(), folds = a.grid.folds;
  std::vector<Index> fold(samples), order(samples);
  Index rare = 0;
  if (deal_folds(task.labels, static_cast<Index>(task.classes.size()), folds, a.grid.stratified, a.seed, fold.data(),
                 order.data(), rare))
    return fold;
  if (rare < task.classes.size())
    throw ArgumentError("--folds: " + std::to_string(folds) + " folds need as many samples of every class: class '" +
                        task.classes[rare] + "' has " +
                        std::to_string(std::count(task.labels.begin(), task.labels.end(), rare)) +
                        "; take fewer folds, or --unstratified");
  throw ArgumentError("--folds: " + std::to_string(folds) + " folds of " + std::to_string(samples) +
                      " samples: there must be two at least, and no more than samples");
}

template <class T>
Shape shape_of(const DenseDesign<T>& design, const KernelTask& task) {
  return {design.samples(), design.features(), task.outputs()};
}

}  // namespace

template <class T>
std::size_t selection_bytes(const KernelArguments& a, const KernelTask& task, Index kernels) {
  const Index n = task.samples(), folds = a.grid.folds;
  const Index training = folds > 0 ? n - n / folds : n;  // dealt folds differ by one sample at most
  const Shape shape{n, n * kernels, task.outputs()};
  return (KernelPath<T>::requirement(shape) |
          KernelCrossValidation<T>::requirement(shape, training, folds, points_of(a.grid)))
      .bytes;
}

template <class T>
KernelSelection select_lambda(const KernelArguments& a, const KernelTask& task, const DenseDesign<T>& design,
                              const Options<T>& options) {
  const auto kernels = static_cast<Index>(task.kernels.size());
  const std::vector<Index> fold_of = deal(a, task);
  const auto refuse = [&](Status status) { throw DataError(task.train.path + ": " + describe(status)); };
  KernelSelection out;
  out.arena_bytes = selection_bytes<T>(a, task, kernels);
  const ArenaMemory memory(out.arena_bytes);
  const auto started = std::chrono::steady_clock::now();
  ProgressLine progress(!a.quiet);
  const auto show = [&](std::uint32_t done, const Report<T>& now) {
    progress.show(done, static_cast<double>(now.objective), static_cast<double>(now.relative_gap), now.nonzeros);
  };

  const std::vector<double> asked = a.grid.lambdas();
  std::vector<T> values(asked.begin(), asked.end());
  Grid<T> grid{.values = values.empty() ? nullptr : values.data(), .points = points_of(a.grid)};
  grid.ratio = static_cast<T>(!a.grid.ratio.empty() ? parse_number("--lambda-ratio", a.grid.ratio)
                              : task.q == 1         ? 1e-3
                                                    : 1e-5);
  if (!grid.valid() || (grid.values && !(values.back() > T(0))))
    throw ArgumentError("--lambda-values: " + a.grid.values + " do not descend in --precision " + a.precision);
  KernelPath<T> path(design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options, grid);
  path.start(memory.span());
  std::vector<T> lambdas;
  advance_path(path, [&](const KernelPath<T>& at) {
    const auto& now = at.report();
    lambdas.push_back(at.lambda());
    out.path.push_back({now.status, now.nonzeros, now.nonzero_rows});
    show(at.points(), now);
    return true;
  });
  if (path.status() != Status::converged) refuse(path.status());

  const Index folds = a.grid.folds;
  const Grid<T> same{.values = lambdas.data(), .points = static_cast<Index>(lambdas.size())};
  KernelCrossValidation<T> cv(design, task.labels, kernels, task.outputs(), norm_of_task<T>(task), options,
                              fold_of.data(), folds, same);
  cv.start(memory.span());
  while (cv.step()) show((cv.fold() + 1) * same.points + cv.points_done(), cv.report());
  if (cv.status() == Status::missing_class)
    throw DataError(task.train.path + ", class '" + task.classes[cv.report().column] +
                    "': all its samples are in fold " + std::to_string(cv.fold() + 1) +
                    ", so that nothing can be learned of it without them; take other folds");
  if (cv.status() != Status::converged) refuse(cv.status());
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  for (Index l = 0; l < same.points; ++l) {
    const HeldOut<T> now = cv.at(l);
    out.held_out.push_back({static_cast<double>(now.lambda), static_cast<double>(now.error),
                            static_cast<double>(now.error_deviation), static_cast<double>(now.loss),
                            static_cast<double>(now.loss_deviation)});
  }
  const Measure measure = a.grid.measure == "loss" ? Measure::loss : Measure::error;
  out.least = cv.best(measure);
  out.one_se = cv.one_standard_error(measure);
  out.chosen = a.grid.choose == "min" ? out.least : out.one_se;
  return out;
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
template KernelSelection select_lambda(const KernelArguments&, const KernelTask&, const DenseDesign<float>&,
                                       const Options<float>&);
template KernelSelection select_lambda(const KernelArguments&, const KernelTask&, const DenseDesign<double>&,
                                       const Options<double>&);
template DrawnMean<double> draw_signs(const KernelArguments&, const KernelTask&, const DenseDesign<float>&);
template DrawnMean<double> draw_signs(const KernelArguments&, const KernelTask&, const DenseDesign<double>&);

}  // namespace tamis::cli
