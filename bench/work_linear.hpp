#pragma once
/// Solves of linear models as workloads.

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

}  // namespace tamis::bench
