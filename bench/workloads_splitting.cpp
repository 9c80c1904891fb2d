// Whole solves with products of features and with several kernels: the problems of Jiu et al. (2020) and Kowalski et
// al. (2009).
#include "tamis/features/kernels.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "work_solve.hpp"

namespace tamis::bench {

namespace {

Cost cost_unknown(const Case&) { return {}; }

// ---- interactions ---------------------------------------------------------------------------------------------------

/// Ten features matter, and products of neighbours among them. One class is a regression, with targets of variance
/// about 1; of more, a sample has that of its target's place among equal parts of [-2, 2].
void draw_products(const Case& c) {
  Random random;
  fill_randomly(memory.x, std::size_t{c.samples} * c.features, random);
  const auto x = [&](Index i, Index j) { return memory.x[i + std::size_t{j} * c.samples]; };
  for (Index i = 0; i < c.samples; ++i) {
    Real y = Real(0.3) * random.uniform();
    for (Index j = 0; j + 1 < smallest(Index(10), c.features); j += 2) y += Real(0.5) * x(i, j) + x(i, j) * x(i, j + 1);
    memory.targets[i] = y;
    const Real place = (smallest(largest(y, Real(-1.99)), Real(1.99)) + Real(2)) / Real(4);
    memory.labels[i] = static_cast<std::uint16_t>(place * Real(c.classes));
  }
}
template <Hierarchy hierarchy>
void solve_interactions(const Case& c) {
  const bool regression = c.classes == 1;
  const InteractionTargets<Real> targets{
      regression ? memory.targets : nullptr,
      regression ? std::span<const Label>() : std::span<const Label>(memory.labels, c.samples), c.classes};
  InteractionAdmm<Real> solver(DenseDesign<Real>(memory.x, c.samples, c.features), targets, hierarchy,
                               HierarchyNorm::l1, Real(c.lambda) / Real(2), options_of(c));
  solve_to_end(solver);
  if (!has_model(last_report.status)) return;
  const InteractionModel<Real> model = solver.model();
  for (Index k = 0; k < c.classes; ++k)
    for (Index j = 0; j < smallest(c.features, Index(64)); ++j)
      copy<Real>(model.row(k, j), smallest(model.stride(), Index(64)), memory.w + (k * 64 + j) * 64);
}
bool hash_interactions(const Case& c, Hash& hash) {
  for (Index k = 0; k < c.classes; ++k)
    hash.matrix(memory.w + k * 64 * 64, smallest(c.features, Index(64)), smallest(c.features + 1, Index(64)), 64);
  return hash_report(hash);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

/// Points of the plane on rings around the origin, one for each class; `features` kernels, one of them indefinite.
void draw_kernels(const Case& c) {
  Random random;
  const Index n = c.samples;
  Real* const points = memory.u;  // by columns
  const Index rings = largest(c.classes, Index(2));
  for (Index i = 0; i < n; ++i) {
    Real a, b, square;
    do {
      a = random.uniform();
      b = random.uniform();
      square = a * a + b * b;
    } while (!(square > Real(0.01)) || square > Real(1));
    memory.labels[i] = static_cast<std::uint16_t>(i % rings);
    const Real radius = (Real(1) + Real(i % rings) + Real(0.3) * random.uniform()) / square_root(square);
    points[i] = radius * a;
    points[n + i] = radius * b;
  }
  const SampleTable<Real> table{points, n, 2, 1, n};
  const Kernel<Real> kernels[] = {{KernelKind::gaussian, Real(0.5)},
                                  {KernelKind::linear},
                                  {KernelKind::sigmoid, Real(0.5), Real(-1)},
                                  {KernelKind::gaussian, Real(2)},
                                  {KernelKind::laplacian, Real(1)}};
  for (Index t = 0; t < c.features; ++t)
    for (Index l = 0; l < n; ++l) fill_kernel_row(kernels[t], table, table[l], memory.x + (std::size_t{t} * n + l) * n);
}
template <int p, int q, int r>
void solve_kernels(const Case& c) {
  const Index n = c.samples;
  KernelAdmm<Real> solver(DenseDesign<Real>(memory.x, n, n * c.features), std::span<const Label>(memory.labels, n),
                          c.features, c.classes, MixedNorm<Real>{p, q, r}, options_of(c));
  solve_to_end(solver);
  if (!has_model(last_report.status)) return;
  const KernelCoefficients<Real> model = solver.model();
  copy<Real>(model.coefficients, std::size_t{n} * c.features * c.stride(), memory.w);
}
bool hash_kernels(const Case& c, Hash& hash) {
  hash.matrix(memory.w, c.samples * c.features, c.classes, c.stride());
  return hash_report(hash);
}

}  // namespace

const Work weak_interactions{"solve",          reads, draw_products, solve_interactions<Hierarchy::weak>, cost_unknown,
                             hash_interactions};
const Work strong_interactions{
    "solve", reads, draw_products, solve_interactions<Hierarchy::strong>, cost_unknown, hash_interactions};
const Work kernels_for_samples{"solve", reads, draw_kernels, solve_kernels<2, 1, 1>, cost_unknown, hash_kernels};
const Work kernels_for_pairs{"solve", reads, draw_kernels, solve_kernels<1, 1, 1>, cost_unknown, hash_kernels};

}  // namespace tamis::bench
