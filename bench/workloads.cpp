#include "workloads.hpp"

#include "work.hpp"

namespace tamis::bench {

Memory memory;

namespace {

constexpr Case workloads[] = {
    {"peak", &peak, 0, 0, 1},
    {"read/16kB", &read_memory, 16, 0, 1},
    {"read/256kB", &read_memory, 256, 0, 1},
    {"read/4MB", &read_memory, 4096, 0, 1},
    {"read/64MB", &read_memory, 65536, 0, 1},
    {"update/16kB", &update_memory, 16, 0, 1},
    {"update/256kB", &update_memory, 256, 0, 1},
    {"update/4MB", &update_memory, 4096, 0, 1},
    {"update/64MB", &update_memory, 65536, 0, 1},
    {"read_rows/4000x500x3", &read_rows, 4000, 500, 3},
    {"read_rows/4000x500x10", &read_rows, 4000, 500, 10},
    {"read_rows/4000x500x20", &read_rows, 4000, 500, 20},
    {"update_rows/4000x500x3", &update_rows, 4000, 500, 3},
    {"update_rows/4000x500x10", &update_rows, 4000, 500, 10},
    {"update_rows/4000x500x20", &update_rows, 4000, 500, 20},

    {"dot/64", &inner_product, 64, 1, 1},
    {"dot/1024", &inner_product, 1024, 1, 1},
    {"dot/100000", &inner_product, 100000, 1, 1},
    {"multiply/150x4x3", &multiply, 150, 4, 3},
    {"multiply/600x64x2", &multiply, 600, 64, 2},
    {"multiply/600x64x3", &multiply, 600, 64, 3},
    {"multiply/600x64x4", &multiply, 600, 64, 4},
    {"multiply/600x64x5", &multiply, 600, 64, 5},
    {"multiply/600x64x7", &multiply, 600, 64, 7},
    {"multiply/600x64x10", &multiply, 600, 64, 10},
    {"multiply/600x64x13", &multiply, 600, 64, 13},
    {"multiply/600x64x16", &multiply, 600, 64, 16},
    {"multiply/600x64x20", &multiply, 600, 64, 20},
    {"multiply/600x64x26", &multiply, 600, 64, 26},
    {"multiply/1797x64x10", &multiply, 1797, 64, 10},
    {"multiply/38x7129x3", &multiply, 38, 7129, 3},
    {"multiply/2000x784x10", &multiply, 2000, 784, 10},
    {"transposed_multiply/150x4x3", &transposed_multiply, 150, 4, 3},
    {"transposed_multiply/600x64x2", &transposed_multiply, 600, 64, 2},
    {"transposed_multiply/600x64x3", &transposed_multiply, 600, 64, 3},
    {"transposed_multiply/600x64x4", &transposed_multiply, 600, 64, 4},
    {"transposed_multiply/600x64x5", &transposed_multiply, 600, 64, 5},
    {"transposed_multiply/600x64x7", &transposed_multiply, 600, 64, 7},
    {"transposed_multiply/600x64x10", &transposed_multiply, 600, 64, 10},
    {"transposed_multiply/600x64x13", &transposed_multiply, 600, 64, 13},
    {"transposed_multiply/600x64x16", &transposed_multiply, 600, 64, 16},
    {"transposed_multiply/600x64x20", &transposed_multiply, 600, 64, 20},
    {"transposed_multiply/600x64x26", &transposed_multiply, 600, 64, 26},
    {"transposed_multiply/1797x64x10", &transposed_multiply, 1797, 64, 10},
    {"transposed_multiply/38x7129x3", &transposed_multiply, 38, 7129, 3},
    {"transposed_multiply/2000x784x10", &transposed_multiply, 2000, 784, 10},
    {"cholesky/200", &cholesky, 200, 1, 1},
    {"simplex_projection/1797x3", &simplex_projection, 1797, 1, 3},
    {"simplex_projection/1797x10", &simplex_projection, 1797, 1, 10},
    {"simplex_projection/1797x26", &simplex_projection, 1797, 1, 26},
    {"epigraph_projection/1797x3", &epigraph_projection, 1797, 1, 3},
    {"epigraph_projection/1797x10", &epigraph_projection, 1797, 1, 10},
    {"epigraph_projection/1797x26", &epigraph_projection, 1797, 1, 26},
    {"group_l2_prox/784x3", &group_l2_prox, 784, 1, 3},
    {"group_l2_prox/784x10", &group_l2_prox, 784, 1, 10},
    {"group_l2_prox/784x26", &group_l2_prox, 784, 1, 26},
    {"group_linf_prox/784x10", &group_linf_prox, 784, 1, 10},
    {"column_sum/4000x500x3", &column_sum, 4000, 500, 3},
    {"column_sum/4000x500x10", &column_sum, 4000, 500, 10},
    {"column_sum/4000x500x20", &column_sum, 4000, 500, 20},
    {"column_violations/4000x500x3", &column_violations, 4000, 500, 3},
    {"column_violations/4000x500x10", &column_violations, 4000, 500, 10},
    {"column_violations/4000x500x20", &column_violations, 4000, 500, 20},
    {"column_update/4000x500x3", &column_update, 4000, 500, 3},
    {"column_update/4000x500x10", &column_update, 4000, 500, 10},
    {"column_update/4000x500x20", &column_update, 4000, 500, 20},

    {"hinge+l1/150x4x3", &hinge_l1, 150, 4, 3, 0.02f, 1e-3f},
    {"hinge+l1/600x64x10", &hinge_l1, 600, 64, 10, 0.005f, 1e-3f},
    {"hinge+l1/38x7129x3", &hinge_l1, 38, 7129, 3, 0.05f, 1e-3f},
    {"hinge+group-l2/600x64x10", &hinge_group_l2, 600, 64, 10, 0.02f, 1e-3f},
    {"hinge+ridge/1797x64x10", &hinge_ridge, 1797, 64, 10, 0.001f, 1e-3f},
    {"squared-hinge+group-l2/150x4x3", &squared_hinge_group_l2, 150, 4, 3, 0.02f, 1e-3f},
    {"squared-hinge+group-l2/600x64x10", &squared_hinge_group_l2, 600, 64, 10, 0.05f, 1e-3f},
    {"squared-hinge+group-l2/1797x64x10", &squared_hinge_group_l2, 1797, 64, 10, 0.001f, 1e-4f},
    {"squared-hinge+group-l2/2000x784x10", &squared_hinge_group_l2, 2000, 784, 10, 0.05f, 1e-3f},
    {"logistic+group-l2/150x4x3", &logistic_group_l2, 150, 4, 3, 0.02f, 1e-3f},
    {"logistic+group-l2/1797x64x10", &logistic_group_l2, 1797, 64, 10, 0.001f, 1e-4f},
    {"one-vs-rest-squared-hinge+l1/1797x64x10", &one_vs_rest_l1, 1797, 64, 10, 0.001f, 1e-4f},
    {"path-hinge+l1/150x4x3", &hinge_path, 150, 4, 3, 0.05f, 1e-3f},
    {"path-squared-hinge+group-l2/600x64x10", &squared_hinge_path, 600, 64, 10, 0.02f, 1e-3f},
    {"path-logistic+l1/600x64x10", &logistic_path, 600, 64, 10, 0.02f, 1e-3f},
    {"interactions-weak/60x10x1", &weak_interactions, 60, 10, 1, 0.05f, 1e-3f},
    {"interactions-weak/150x40x1", &weak_interactions, 150, 40, 1, 0.05f, 1e-3f},
    {"interactions-strong/200x100x1", &strong_interactions, 200, 100, 1, 0.05f, 1e-3f},
    {"interactions-weak/150x20x3", &weak_interactions, 150, 20, 3, 0.05f, 1e-3f},
    {"kernels-samples/60x3x1", &kernels_for_samples, 60, 3, 1, 0.02f, 1e-3f},
    {"kernels-samples/150x3x1", &kernels_for_samples, 150, 3, 1, 0.02f, 1e-3f},
    {"kernels-pairs/300x4x1", &kernels_for_pairs, 300, 4, 1, 0.02f, 1e-3f},
    {"kernels-samples/150x3x3", &kernels_for_samples, 150, 3, 3, 0.02f, 1e-3f},

    {"predict/150x4x3", &prediction, 150, 4, 3},
    {"predict/1797x64x10", &prediction, 1797, 64, 10},
    {"predict/2000x784x10", &prediction, 2000, 784, 10},
    {"predict/600x64x26", &prediction, 600, 64, 26},
};
constexpr std::uint32_t count = sizeof workloads / sizeof workloads[0];

std::uint32_t prepared = count;  // the workload that the data are of
Cost costs[count];               // of a solve: known once it has run

constexpr bool fits(const Case& c) {
  if (c.features <= 1 && c.classes == 1) return true;  // floors, inner products, a factor
  const std::size_t stride = c.stride();
  return c.samples <= most_samples && c.samples * stride <= most_scores &&
         std::size_t{c.samples} * c.features <= most_values && (c.features + 1) * stride <= most_coefficients;
}
constexpr bool all_fit() {
  for (const Case& c : workloads)
    if (!fits(c)) return false;
  return true;
}
static_assert(all_fit());

void prepare(std::uint32_t workload) {
  if (prepared == workload) return;
  prepared = workload;
  workloads[workload].work->prepare(workloads[workload]);
}

}  // namespace

void draw_samples(const Case& c) {
  Random random;
  for (Index i = 0; i < c.samples; ++i)
    memory.labels[i] = static_cast<std::uint16_t>(i < c.classes ? i : random.bits() % c.classes);
  for (Index j = 0; j < c.features; ++j)
    for (Index i = 0; i < c.samples; ++i) {
      const Real centre = j % 2 == 0 && j / 2 % c.classes == memory.labels[i] ? Real(1) : Real(0);
      memory.x[i + std::size_t{j} * c.samples] = centre + random.uniform();
    }
}

}  // namespace tamis::bench

using namespace tamis::bench;

std::uint32_t tamis_bench_count() { return count; }

const char* tamis_bench_name(std::uint32_t workload) { return workloads[workload].name; }

const char* tamis_bench_kind(std::uint32_t workload) { return workloads[workload].work->kind; }

double tamis_bench_flops(std::uint32_t workload) { return costs[workload].flops; }

double tamis_bench_bytes(std::uint32_t workload) { return costs[workload].bytes; }

double tamis_bench_span(std::uint32_t workload) {
  const Cost& cost = costs[workload];
  return cost.span > 0 ? cost.span : cost.bytes;
}

int tamis_bench_traffic(std::uint32_t workload) { return workloads[workload].work->traffic; }

void tamis_bench_run(std::uint32_t workload, std::uint32_t repeats) {
  prepare(workload);
  const Case& c = workloads[workload];
  for (std::uint32_t r = 0; r < repeats; ++r) {
    c.work->run(c);
    keep();
  }
  if (repeats > 0) costs[workload] = c.work->cost(c);
}

std::uint64_t tamis_bench_checksum(std::uint32_t workload) {
  tamis_bench_run(workload, 1);
  Hash hash;
  return workloads[workload].work->hash(workloads[workload], hash) ? hash.value : 0;
}
