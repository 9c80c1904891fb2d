#include <algorithm>
#include <stdexcept>

#include "experiments.hpp"

namespace tamis::paper_d {

std::string name_of(const Kernel<double>& kernel) {
  char text[80];
  const Index count = parameters(kernel.kind);
  if (count == 0) return name(kernel.kind);
  std::snprintf(text, sizeof text, count == 1 ? "%s:%g" : "%s:%g;%g", name(kernel.kind), kernel.a, kernel.b);
  return text;
}

KernelValues compare(const Kernels& kernels, const Samples& train, const Samples& with) {
  KernelValues out;
  out.samples = with.count;
  out.trained = train.count;
  out.kernels = static_cast<Index>(kernels.size());
  out.values.resize(std::size_t{out.samples} * out.trained * out.kernels);
  double* column = out.values.data();
  for (const auto& kernel : kernels)
    for (Index l = 0; l < train.count; ++l, column += out.samples) {
      fill_kernel_row(kernel, with.table(), train.table()[l], column);
      if (!std::all_of(column, column + out.samples, [](double value) { return finite(value); }))
        throw std::runtime_error("kernel " + name_of(kernel) + ": not finite");
    }
  return out;
}

KernelCoefficients<double> Model::view() const {
  return {coefficients.data(), intercepts.data(), samples, kernels, outputs};
}

std::vector<double> Model::scores(const KernelValues& values) const {
  const auto alpha = view();
  const std::size_t stride = alpha.stride();
  std::vector<Index> used;
  for (Index j = 0; j < samples * kernels; ++j)
    if (alpha.uses(j % samples, j / samples)) used.push_back(j);
  std::vector<double> padded_scores(values.samples * stride), out;
  values.design().multiply(used.data(), static_cast<Index>(used.size()), coefficients.data(), alpha.stride(),
                           intercepts.data(), padded_scores.data());
  for (std::size_t i = 0; i < values.samples; ++i)
    for (Index k = 0; k < outputs; ++k) out.push_back(padded_scores[i * stride + k]);
  return out;
}

std::string kept_names(const Model& model, const Kernels& kernels) {
  const auto alpha = model.view();
  std::string out;
  for (Index t = 0; t < alpha.kernels; ++t) {
    bool kept = false;
    for (Index l = 0; l < alpha.samples && !kept; ++l) kept = alpha.uses(l, t);
    if (kept) out += (out.empty() ? "" : " + ") + name_of(kernels[t]);
  }
  return out.empty() ? "none" : out;
}

Index errors(const std::vector<double>& scores, const std::vector<Label>& labels, Index outputs) {
  Index wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* z = scores.data() + i * outputs;
    const auto decided = outputs == 1 ? z[0] > 0 : std::max_element(z, z + outputs) - z;
    wrong += static_cast<Label>(decided) != labels[i];
  }
  return wrong;
}

namespace {

Model copy_of(const KernelCoefficients<double>& alpha) {
  Model out;
  out.samples = alpha.samples;
  out.kernels = alpha.kernels;
  out.outputs = alpha.outputs;
  out.coefficients.assign(alpha.coefficients,
                          alpha.coefficients + std::size_t{alpha.samples} * alpha.kernels * alpha.stride());
  out.intercepts.assign(alpha.intercepts, alpha.intercepts + alpha.stride());
  return out;
}

}  // namespace

namespace {

/// What solves for all λ take, in the units of the library.
struct Setup {
  Setup(const Task& task, const Norm& wanted, const std::vector<double>& lambdas, double gap)
      : shape{task.values.trained, task.values.trained * task.values.kernels, task.outputs()},
        norm{wanted.p, wanted.q, wanted.r},
        options{.tolerance = gap, .intercept = task.intercept} {
    for (const double lambda : lambdas) values.push_back(lambda / task.values.trained);
  }
  Grid<double> grid() const { return {.values = values.data(), .points = static_cast<Index>(values.size())}; }

  Shape shape;
  MixedNorm<double> norm;
  Options<double> options;
  std::vector<double> values;
};

}  // namespace

std::vector<Point> path(const Task& task, const Norm& norm, const std::vector<double>& lambdas, double gap) {
  const Setup setup(task, norm, lambdas, gap);
  const ArenaMemory memory(KernelPath<double>::requirement(setup.shape).bytes);
  double before = cpu_seconds();
  KernelPath<double> solver(task.values.design(), task.labels, task.values.kernels, task.outputs(), setup.norm,
                            setup.options, setup.grid());
  std::vector<Point> out;
  for (bool more = solver.start(memory.span());; more = solver.step()) {
    if (solver.at_point()) {
      out.push_back({lambdas[out.size()], copy_of(solver.model()), solver.report(), cpu_seconds() - before});
      before = cpu_seconds();
    }
    if (!more) break;
  }
  if (solver.status() != Status::converged) throw std::runtime_error(describe(solver.status()));
  return out;
}

std::vector<HeldOut<double>> cross_validate(const Task& task, const Norm& norm, const std::vector<double>& lambdas,
                                            Index folds, std::uint64_t seed, double gap) {
  const Setup setup(task, norm, lambdas, gap);
  const Index n = task.values.trained;
  std::vector<Index> fold(n), order(n);
  Index rare = 0;
  if (!deal_folds(task.labels, task.classes, folds, true, seed, fold.data(), order.data(), rare))
    throw std::runtime_error("a class has fewer samples than there are folds");
  using Validation = KernelCrossValidation<double>;
  const auto points = static_cast<Index>(lambdas.size());
  const ArenaMemory memory(
      Validation::requirement(setup.shape, most_training_samples(fold, folds), folds, points).bytes);
  Validation validation(task.values.design(), task.labels, task.values.kernels, task.outputs(), setup.norm,
                        setup.options, fold.data(), folds, setup.grid());
  for (bool more = validation.start(memory.span()); more;) more = validation.step();
  if (validation.status() != Status::converged) throw std::runtime_error(describe(validation.status()));
  std::vector<HeldOut<double>> out;
  for (Index l = 0; l < points; ++l) out.push_back(validation.at(l));
  return out;
}

std::size_t choose(const std::vector<HeldOut<double>>& measured) {
  return best(static_cast<Index>(measured.size()), Measure::error, [&](Index l) { return measured[l]; });
}

std::vector<double> descending(double low, double high, int per_decade) {
  std::vector<double> out = logarithmic(low, high, per_decade);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace tamis::paper_d
