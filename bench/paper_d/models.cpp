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

KernelValues KernelValues::select(const std::vector<Index>& training, const std::vector<Index>& rows) const {
  KernelValues out;
  out.samples = static_cast<Index>(rows.size());
  out.trained = static_cast<Index>(training.size());
  out.kernels = kernels;
  out.values.reserve(std::size_t{out.samples} * out.trained * kernels);
  for (Index t = 0; t < kernels; ++t)
    for (const Index l : training)
      for (const Index i : rows) out.values.push_back(values[(std::size_t{t} * trained + l) * samples + i]);
  return out;
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

/// The mean loss of held-out samples.
double mean_loss(const std::vector<double>& scores, const std::vector<Label>& labels, Index outputs) {
  Sum<double> total;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* z = scores.data() + i * outputs;
    const double violation = std::max(1 - (labels[i] ? z[0] : -z[0]), 0.0);
    total.add(outputs == 1 ? violation * violation : SquaredHinge{}.value(z, outputs, labels[i], 1.0));
  }
  return total.value() / static_cast<double>(labels.size());
}

}  // namespace

std::vector<Point> path(const Problem& problem, const Norm& norm, const std::vector<double>& lambdas, double gap) {
  const double n = problem.values.trained;
  const auto design = problem.values.design();
  const Shape shape{problem.values.trained, design.features(), problem.outputs()};
  const ArenaMemory memory(Ours::requirement(shape).bytes);
  Ours solver(design, problem.labels, problem.values.kernels, problem.outputs(),
              MixedNorm<double>{norm.p, norm.q, norm.r},
              {.lambda = lambdas.front() / n, .tolerance = gap, .intercept = problem.intercept});
  std::vector<Point> out;
  for (const double lambda : lambdas) {
    const double before = cpu_seconds();
    for (bool more = out.empty() ? solver.start(memory.span()) : solver.go_on(lambda / n); more;) more = solver.step();
    if (!has_model(solver.report().status)) throw std::runtime_error(describe(solver.report().status));
    out.push_back({lambda, copy_of(solver.model()), solver.report(), cpu_seconds() - before});
  }
  return out;
}

std::vector<HeldOut<double>> cross_validate(const Problem& problem, const Norm& norm,
                                            const std::vector<double>& lambdas, Index folds, std::uint64_t seed,
                                            double gap) {
  const Index n = problem.values.trained, outputs = problem.outputs();
  std::vector<Index> fold(n), order(n);
  Index rare = 0;
  if (!deal_folds(problem.labels, problem.classes, folds, true, seed, fold.data(), order.data(), rare))
    throw std::runtime_error("a class has fewer samples than there are folds");
  std::vector<std::vector<double>> wrong(lambdas.size()), losses(lambdas.size());
  for (Index f = 0; f < folds; ++f) {
    std::vector<Index> kept, held;
    std::vector<Label> kept_labels, held_labels;
    for (Index i = 0; i < n; ++i) {
      (fold[i] == f ? held : kept).push_back(i);
      (fold[i] == f ? held_labels : kept_labels).push_back(problem.labels[i]);
    }
    const KernelValues inside = problem.values.select(kept, kept), outside = problem.values.select(kept, held);
    std::vector<double> scaled;
    for (const double lambda : lambdas) scaled.push_back(lambda * inside.trained / n);
    const auto points = path({inside, kept_labels, problem.classes, problem.intercept}, norm, scaled, gap);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      const auto scores = points[l].model.scores(outside);
      wrong[l].push_back(errors(scores, held_labels, outputs) / static_cast<double>(held.size()));
      losses[l].push_back(mean_loss(scores, held_labels, outputs));
    }
  }
  const auto mean = [&](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value / folds;
    return total;
  };
  const auto deviation = [&](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += (value - mean(values)) * (value - mean(values));
    return std::sqrt(total / (folds * (folds - 1.0)));
  };
  std::vector<HeldOut<double>> out;
  for (std::size_t l = 0; l < lambdas.size(); ++l)
    out.push_back({lambdas[l], mean(wrong[l]), deviation(wrong[l]), mean(losses[l]), deviation(losses[l])});
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
