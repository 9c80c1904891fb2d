#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "experiments.hpp"

namespace tamis::paper_c {

namespace {

/// visit(i, scores of sample i).
template <class Visit>
void for_each_score(const Model& model, const Samples& samples, Visit visit) {
  const InteractionModel<double> view = model.view();
  std::vector<double> x(samples.features), z(model.outputs);
  for (Index i = 0; i < samples.count; ++i) {
    for (Index j = 0; j < samples.features; ++j) x[j] = samples.x[i + std::size_t{j} * samples.count];
    for (Index k = 0; k < model.outputs; ++k) z[k] = view.score(x.data(), 1, k);
    visit(i, z);
  }
}

}  // namespace

Task regression(Hierarchy hierarchy, HierarchyNorm norm, double lambda) {
  return {hierarchy, norm, lambda, hierarchy == Hierarchy::full ? lambda : lambda / 2};
}

Model copy_of(const InteractionModel<double>& model) {
  Model out;
  out.features = model.features;
  out.outputs = model.outputs;
  const std::size_t size = std::size_t{model.outputs} * model.features * model.stride();
  out.coefficients.assign(model.coefficients, model.coefficients + size);
  out.intercepts.assign(model.intercepts, model.intercepts + model.outputs);
  return out;
}

double Model::mean_square_error(const Samples& samples) const {
  double total = 0;
  for_each_score(*this, samples,
                 [&](Index i, const auto& z) { total += (samples.y[i] - z[0]) * (samples.y[i] - z[0]); });
  return total / samples.count;
}

double Model::accuracy(const Samples& samples) const {
  double right = 0;
  for_each_score(*this, samples, [&](Index i, const auto& z) {
    right += std::max_element(z.begin(), z.end()) - z.begin() == samples.labels[i];
  });
  return 100 * right / samples.count;
}

double Model::nonzero_rate() const {
  double used = 0;
  for (Index k = 0; k < outputs; ++k)
    for (Index j = 0; j < features; ++j) used += std::abs(view().main_effect(j, k)) > 1e-9;
  return 100 * used / (outputs * features);
}

Index Model::nonzeros() const {
  return static_cast<Index>(
      std::count_if(coefficients.begin(), coefficients.end(), [](double c) { return std::abs(c) > 1e-9; }));
}

double Model::distance(const Model& other) const {
  const auto here = view(), there = other.view();
  double total = 0;
  for (Index k = 0; k < outputs; ++k)
    for (Index j = 0; j < features; ++j) {
      total += std::pow(here.main_effect(j, k) - there.main_effect(j, k), 2);
      for (Index l = 0; l < features; ++l)
        total += std::pow((here.interaction(j, l, k) + here.interaction(l, j, k) - there.interaction(j, l, k) -
                           there.interaction(l, j, k)) /
                              2,
                          2);
    }
  return std::sqrt(total);
}

double Model::asymmetry() const {
  double total = 0;
  for (Index k = 0; k < outputs; ++k)
    for (Index j = 0; j < features; ++j)
      for (Index l = 0; l < features; ++l)
        total += std::pow((view().interaction(j, l, k) - view().interaction(l, j, k)) / 2, 2);
  return std::sqrt(total);
}

Model Model::symmetric() const {
  Model out = *this;
  const std::size_t stride = view().stride();
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t j = 0; j < features; ++j)
      for (std::size_t l = 0; l < features; ++l)
        out.coefficients[(k * features + j) * stride + l] =
            (coefficients[(k * features + j) * stride + l] + coefficients[(k * features + l) * stride + j]) / 2;
  return out;
}

double objective(const Samples& samples, const Task& task, const Model& model) {
  const HierarchicalPenalty<double> penalty{task.hierarchy, task.norm, task.lambda1, task.lambda2};
  Sum<double> total;
  for_each_score(model, samples, [&](Index i, const auto& z) {
    total.add(samples.classes == 1 ? (samples.y[i] - z[0]) * (samples.y[i] - z[0]) / 2
                                   : SquaredHinge{}.value(z.data(), samples.classes, samples.labels[i], 1.0));
  });
  for (Index k = 0; k < model.outputs; ++k)
    for (Index j = 0; j < model.features; ++j) total.add(penalty.value(model.view().row(k, j), model.features));
  return total.value();
}

ProductRidge::ProductRidge(const Parts& parts) : parts_(parts) {
  const Samples& train = parts.train;
  const Samples* all[] = {&parts.train, &parts.validation, &parts.test};
  for (int part = 0; part < 3; ++part)
    for (Index i = 0; i < all[part]->count; ++i)
      for (Index l = 0; l < train.count; ++l) {
        double inner = 0;
        for (std::size_t j = 0; j < train.features; ++j)
          inner += all[part]->x[i + j * all[part]->count] * train.x[l + j * train.count];
        gram_[part].push_back(inner * (inner + 1));
      }
}

std::vector<double> ProductRidge::errors(double lambda) const {
  const Index n = parts_.train.count, width = padded<double>(n);
  std::vector<double> factor(std::size_t{n} * width), a(width);
  for (Index i = 0; i < n; ++i) {
    std::copy_n(gram_[0].data() + std::size_t{i} * n, n, factor.data() + std::size_t{i} * width);
    factor[std::size_t{i} * width + i] += 1 / (2 * lambda);
    a[i] = parts_.train.y[i];
  }
  if (!factor_cholesky(factor.data(), n, width)) throw std::runtime_error("ridge: the system is singular");
  solve_cholesky(static_cast<const double*>(factor.data()), n, width, a.data());
  std::vector<double> out;
  const Samples* all[] = {&parts_.train, &parts_.validation, &parts_.test};
  for (int part = 0; part < 3; ++part) {
    double total = 0;
    for (Index i = 0; i < all[part]->count; ++i) {
      double z = 0;
      for (Index l = 0; l < n; ++l) z += gram_[part][std::size_t{i} * n + l] * a[l];
      total += (all[part]->y[i] - z) * (all[part]->y[i] - z);
    }
    out.push_back(total / all[part]->count);
  }
  return out;
}

Memory::Memory(std::size_t bytes)
    : bytes_(bytes), data_(static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free) {
  if (!data_) throw std::runtime_error("no memory for the arena: " + std::to_string(bytes) + " bytes");
}

Solution solve(const Samples& samples, const Task& task, double gap, double seconds) {
  SolverRun<Ours> run(samples, task, {.tolerance = gap}, [](auto&) {});
  const double before = cpu_seconds();
  for (bool more = run.start(); more && cpu_seconds() - before < seconds;) more = run.step();
  Solution out{{}, run.solver().report(), cpu_seconds() - before};
  if (!has_model(out.report.status)) throw std::runtime_error(describe(out.report.status));
  out.model = copy_of(run.solver().model());
  return out;
}

}  // namespace tamis::paper_c
