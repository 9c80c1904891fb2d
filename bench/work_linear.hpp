#pragma once
/// Solves of linear models as workloads.

#include "tamis/selection/path.hpp"
#include "tamis/training.hpp"
#include "work_solve.hpp"

namespace tamis::bench {

template <class Training>
void solve_linear(const Case& c) {
  const Training training(options_of(c));
  auto solver = training.solver(DenseDesign<Real>(memory.x, c.samples, c.features),
                                {std::span<const Label>(memory.labels, c.samples), c.classes});
  solve_to_end(solver);
  if (!has_model(last_report.status)) return;
  const LinearModel<Real> model = solver.model();
  copy<Real>(model.coefficients, std::size_t{c.features + 1} * c.stride(), memory.w);
}

inline bool hash_linear(const Case& c, Hash& hash) {
  hash.matrix(memory.w, c.features + 1, c.classes, c.stride());
  return hash_report(hash);
}

/// Of the products with the samples, in the last solve.
inline Cost cost_of_linear(const Case& c) {
  const double values = double(c.samples) * c.features;
  const double numbers = values + double(c.features) * c.stride() + double(c.samples) * c.stride();
  const double products = 2 * double(last_report.epochs);
  return {2 * values * c.classes * products, sizeof(Real) * numbers * products, sizeof(Real) * numbers};
}

template <class Training>
constexpr Work linear_solve{"solve", reads, draw_samples, solve_linear<Training>, cost_of_linear, hash_linear};

/// Twenty values of λ, from λ_max to the λ of the case.
template <class Training>
void solve_path(const Case& c) {
  const Training training(options_of(c));
  const DenseDesign<Real> design(memory.x, c.samples, c.features);
  const auto make = [&](const Targets<Real>& targets) { return training.solver(design, targets); };
  Path<Real, decltype(make)> path(make, c.features, {std::span<const Label>(memory.labels, c.samples), c.classes},
                                  {.points = 20, .ratio = Real(c.lambda)});
  path.start(memory.arena);
  advance_path(path, [](const auto& at) { return at.report().status == Status::converged; });
  last_report = path.report();
  if (!has_model(last_report.status)) return;
  const LinearModel<Real> model = path.model();
  copy<Real>(model.coefficients, std::size_t{c.features + 1} * c.stride(), memory.w);
}

/// Its last solve says nothing of what the others have cost.
inline Cost no_cost(const Case&) { return {}; }

template <class Training>
constexpr Work linear_path{"solve", reads, draw_samples, solve_path<Training>, no_cost, hash_linear};

}  // namespace tamis::bench
