// The loops that solvers spend their time in, at the sizes that they meet.
#include "tamis/design/column_passes.hpp"
#include "tamis/design/dense.hpp"
#include "tamis/linalg/cholesky.hpp"
#include "tamis/model/linear.hpp"
#include "tamis/penalty/group.hpp"
#include "tamis/projection/epigraph.hpp"
#include "tamis/projection/simplex.hpp"
#include "work.hpp"

namespace tamis::bench {

namespace {

std::size_t values_of(const Case& c) { return std::size_t{c.samples} * c.features; }
std::size_t scores_of(const Case& c) { return std::size_t{c.samples} * c.stride(); }
constexpr double real_bytes = sizeof(Real);

/// Rows of the classes' entries, their padding zero as it is for solvers.
void fill_rows_randomly(const Case& c, Real* out, std::size_t rows, Random& random) {
  fill_randomly(out, rows * c.stride(), random);
  for (std::size_t i = 0; i < rows; ++i)
    for (Index k = c.classes; k < c.stride(); ++k) out[i * c.stride() + k] = Real(0);
}
void prepare_matrices(const Case& c) {
  Random random;
  fill_randomly(memory.x, values_of(c), random);
  fill_rows_randomly(c, memory.w, std::size_t{c.features} + 1, random);
  fill_rows_randomly(c, memory.u, c.samples, random);
}
bool hash_scores(const Case& c, Hash& hash) {
  hash.matrix(memory.z, c.samples, c.classes, c.stride());
  return true;
}
bool hash_gradient(const Case& c, Hash& hash) {
  hash.matrix(memory.g, c.features, c.classes, c.stride());
  return true;
}

// ---- products -------------------------------------------------------------------------------------------------------

void run_inner_product(const Case& c) { memory.z[0] = dot<Real>(memory.x, memory.x + c.samples, c.samples); }
Cost cost_of_inner_product(const Case& c) { return {2.0 * c.samples, 2 * real_bytes * c.samples}; }
void prepare_inner_product(const Case& c) {
  Random random;
  fill_randomly(memory.x, 2 * std::size_t{c.samples}, random);
}
bool hash_number(const Case&, Hash& hash) {
  hash.real(memory.z[0]);
  return true;
}

DenseDesign<Real> design_of(const Case& c) { return {memory.x, c.samples, c.features}; }
void run_multiply(const Case& c) {
  const Index stride = c.stride();
  design_of(c).multiply(nullptr, c.features, memory.w, stride, row_of(memory.w, c.features, stride), memory.z);
}
void run_transposed(const Case& c) {
  design_of(c).transposed_multiply(nullptr, c.features, memory.u, c.stride(), memory.g);
}
Cost cost_of_product(const Case& c) {
  const double numbers = double(values_of(c)) + double(c.features) * c.stride() + double(scores_of(c));
  return {2.0 * double(values_of(c)) * c.classes, real_bytes * numbers};
}

/// A symmetric positive definite matrix: 1 on the diagonal and at most 1/size beside it, in sum.
void prepare_cholesky(const Case& c) {
  Random random;
  for (Index i = 0; i < c.samples; ++i)
    for (Index j = 0; j <= i; ++j)
      row_of(memory.x, i, padded<Real>(c.samples))[j] = i == j ? Real(1) : random.uniform() / Real(c.samples);
}
void run_cholesky(const Case& c) {
  const Index stride = padded<Real>(c.samples);
  copy<Real>(memory.x, std::size_t{c.samples} * stride, memory.u);
  factor_cholesky(memory.u, c.samples, stride);
}
Cost cost_of_cholesky(const Case& c) {
  const double n = c.samples;
  return {n * n * n / 3, 2 * real_bytes * n * padded<Real>(c.samples)};
}
bool hash_cholesky(const Case& c, Hash& hash) {
  for (Index i = 0; i < c.samples; ++i) hash.matrix(row_of(memory.u, i, padded<Real>(c.samples)), 1, i + 1, i + 1);
  return true;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

Cost cost_of_rows(const Case& c) {  // some three operations an entry
  return {3.0 * c.samples * c.classes, 2 * real_bytes * double(scores_of(c))};
}
void run_simplex(const Case& c) {
  copy<Real>(memory.u, scores_of(c), memory.z);
  project_simplex_rows(memory.z, c.samples, c.classes, c.stride(), [](Index) { return Real(1); });
}
void run_epigraph(const Case& c) {
  copy<Real>(memory.u, scores_of(c), memory.z);
  for (Index i = 0; i < c.samples; ++i) {
    Real level = Real(0.25);
    project_hinge_epigraph(row_of(memory.z, i, c.stride()), level, c.classes, i % c.classes, Real(1));
  }
}
template <class Norm>
void run_prox(const Case& c) {
  copy<Real>(memory.u, scores_of(c), memory.z);
  for (Index i = 0; i < c.samples; ++i)
    Norm{}.prox(Rows<Real>{row_of(memory.z, i, c.stride()), 1, c.classes, c.stride()}, Real(0.5));
}

// ---- sparse columns -------------------------------------------------------------------------------------------------

/// `samples` of them in `features` columns of 80 entries each, sorted by label as descent has them.
void prepare_columns(const Case& c) {
  Random random;
  for (Index i = 0; i < c.samples; ++i)
    memory.labels[i] = static_cast<std::uint16_t>(std::size_t{i} * c.classes / c.samples);
  draw_column_rows(c, random);
  fill_randomly(memory.x, std::size_t{c.features} * column_entries, random);
  fill_rows_randomly(c, memory.u, c.samples, random);
  fill(memory.z, scores_of(c), Real(0));
  for (Index k = 0; k < c.stride(); ++k) {
    memory.targets[k] = Real(k);                           // the classes' numbers
    memory.targets[32 + k] = Real(k < c.classes ? 1 : 0);  // and which are none
  }
  fill_rows_randomly(c, memory.w, c.features, random);
}
Column<Real> column_of(Index feature) {
  return {memory.x + std::size_t{feature} * column_entries, memory.rows + std::size_t{feature} * column_entries,
          column_entries};
}
void run_column_sum(const Case& c) {
  for (Index j = 0; j < c.features; ++j)
    sum_column(column_of(j), memory.u, c.stride(), row_of(memory.g, j, c.stride()));
}
void run_column_violations(const Case& c) {
  const detail::ViolationPass<Real> pass{memory.u,       memory.labels,      nullptr, nullptr, Real(1),
                                         memory.targets, memory.targets + 32};
  for (Index j = 0; j < c.features; ++j)
    detail::sum_violations<Real, Violations::of_pairs>(column_of(j), pass, c.stride(), row_of(memory.g, j, c.stride()),
                                                       memory.z);
}
void run_column_update(const Case& c) {
  for (Index j = 0; j < c.features; ++j)
    add_column<Real>(column_of(j), row_of(memory.w, j, c.stride()), c.stride(), memory.z);
}
Cost cost_of_column_sum(const Case& c) { return cost_of_columns(c, 2, 1); }
Cost cost_of_column_violations(const Case& c) {  // three additions an entry, beside a product and a comparison
  return cost_of_columns(c, 2 * 3, 1);
}
Cost cost_of_column_update(const Case& c) { return cost_of_columns(c, 2, 2); }
bool hash_column_update(const Case& c, Hash& hash) {
  fill(memory.z, scores_of(c), Real(0));  // runs before this one have added to it
  run_column_update(c);
  return hash_scores(c, hash);
}

// ---- prediction -----------------------------------------------------------------------------------------------------

void run_prediction(const Case& c) {
  const LinearModel<Real> model{memory.w, c.features, c.classes};
  for (Index i = 0; i < c.samples; ++i) memory.predicted[i] = model.predict(memory.x + std::size_t{i} * c.features);
}
bool hash_predictions(const Case& c, Hash& hash) {
  for (Index i = 0; i < c.samples; ++i) hash.word(memory.predicted[i]);
  return true;
}

}  // namespace

const Work inner_product{"kernel", reads, prepare_inner_product, run_inner_product, cost_of_inner_product, hash_number};
const Work multiply{"kernel", reads, prepare_matrices, run_multiply, cost_of_product, hash_scores};
const Work transposed_multiply{"kernel", reads, prepare_matrices, run_transposed, cost_of_product, hash_gradient};
const Work cholesky{"kernel", updates, prepare_cholesky, run_cholesky, cost_of_cholesky, hash_cholesky};
const Work simplex_projection{"kernel", updates, prepare_matrices, run_simplex, cost_of_rows, hash_scores};
const Work epigraph_projection{"kernel", updates, prepare_matrices, run_epigraph, cost_of_rows, hash_scores};
const Work group_l2_prox{"kernel", updates, prepare_matrices, run_prox<EuclideanNorm>, cost_of_rows, hash_scores};
const Work group_linf_prox{"kernel", updates, prepare_matrices, run_prox<LargestEntryNorm>, cost_of_rows, hash_scores};
const Work column_sum{"kernel", reads_rows, prepare_columns, run_column_sum, cost_of_column_sum, hash_gradient};
const Work column_violations{
    "kernel", reads_rows, prepare_columns, run_column_violations, cost_of_column_violations, hash_gradient};
const Work column_update{"kernel",          updates_rows,          prepare_columns,
                         run_column_update, cost_of_column_update, hash_column_update};
const Work prediction{"prediction", reads, prepare_matrices, run_prediction, cost_of_product, hash_predictions};

}  // namespace tamis::bench
