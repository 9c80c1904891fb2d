#include "workloads.hpp"

#include "tamis.h"
#include "tamis/design/dense.hpp"
#include "tamis/projection/simplex.hpp"

namespace tamis::bench {

namespace {

enum class Work { multiply, transposed_multiply, simplex_projection, solve, prediction };

struct Workload {
  const char* name;
  Work work;
  Index samples, features, classes;
  std::uint32_t loss = 0, penalty = 0;
  float lambda = 0, tolerance = 0;
};

constexpr Workload workloads[] = {
    {"multiply/150x4x3", Work::multiply, 150, 4, 3},
    {"multiply/1797x64x10", Work::multiply, 1797, 64, 10},
    {"multiply/38x7129x3", Work::multiply, 38, 7129, 3},
    {"multiply/2000x784x10", Work::multiply, 2000, 784, 10},
    {"transposed_multiply/150x4x3", Work::transposed_multiply, 150, 4, 3},
    {"transposed_multiply/1797x64x10", Work::transposed_multiply, 1797, 64, 10},
    {"transposed_multiply/38x7129x3", Work::transposed_multiply, 38, 7129, 3},
    {"transposed_multiply/2000x784x10", Work::transposed_multiply, 2000, 784, 10},
    {"simplex_projection/1797x10", Work::simplex_projection, 1797, 1, 10},
    {"hinge+l1/150x4x3", Work::solve, 150, 4, 3, TAMIS_HINGE, TAMIS_L1, 0.02f, 1e-3f},
    {"hinge+l1/600x64x10", Work::solve, 600, 64, 10, TAMIS_HINGE, TAMIS_L1, 0.005f, 1e-2f},
    {"squared-hinge+group-l2/150x4x3", Work::solve, 150, 4, 3, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 0.02f, 1e-3f},
    {"squared-hinge+group-l2/600x64x10", Work::solve, 600, 64, 10, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 0.05f, 1e-2f},
    {"squared-hinge+group-l2/1797x64x10", Work::solve, 1797, 64, 10, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 0.001f,
     1e-4f},
    {"logistic+group-l2/1797x64x10", Work::solve, 1797, 64, 10, TAMIS_LOGISTIC, TAMIS_GROUP_L2, 0.001f, 1e-4f},
    {"predict/1797x64x10", Work::prediction, 1797, 64, 10},
};
constexpr std::uint32_t count = sizeof workloads / sizeof workloads[0];

constexpr Index most_samples = 2000;
constexpr Index most_values = 2000 * 784;
constexpr Index most_coefficients = (7129 + 1) * 4;
constexpr Index most_scores = most_samples * 12;

// What the workloads read and write.
alignas(16) float x[most_values];        // samples, by columns; by rows for a prediction
alignas(16) float w[most_coefficients];  // coefficients, the intercepts last
alignas(16) float u[most_scores];        // one row per sample
alignas(16) float z[most_scores];        // results of the size of u
alignas(16) float g[most_coefficients];  // results of the size of w
std::uint16_t labels[most_samples];
std::uint32_t predicted[most_samples];
alignas(16) unsigned char arena[2u << 20];
tamis_training_f32 training;

std::uint32_t prepared = count;  // the workload that the data are of
double epochs[count];            // of a solve: products with all samples, XW and X'u together

constexpr Index stride_of(const Workload& d) { return (d.classes + 3) / 4 * 4; }
constexpr bool fits(const Workload& d) {
  return d.samples <= most_samples && d.samples * d.features <= most_values && stride_of(d) <= 12 &&
         (d.features + 1) * stride_of(d) <= most_coefficients;
}
constexpr bool all_fit() {
  for (const Workload& d : workloads)
    if (!fits(d)) return false;
  return true;
}
static_assert(all_fit());

/// Numbers without pattern: Knuth's linear congruential generator, its upper bits.
struct Random {
  std::uint32_t state;
  std::uint32_t bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return static_cast<float>(bits()) / 8388608.0f - 1.0f; }  // in [-1, 1), exact
};

void fill(float* out, std::size_t entries, Random& random) {
  for (std::size_t e = 0; e < entries; ++e) out[e] = random.uniform();
}

/// Samples to learn from: each class is centred on features of its own, half of the features are noise.
void draw_samples(const Workload& d, Random& random) {
  for (Index i = 0; i < d.samples; ++i)
    labels[i] = static_cast<std::uint16_t>(i < d.classes ? i : random.bits() % d.classes);
  for (Index j = 0; j < d.features; ++j)
    for (Index i = 0; i < d.samples; ++i) {
      const float centre = j % 2 == 0 && j / 2 % d.classes == labels[i] ? 1.0f : 0.0f;
      x[i + j * d.samples] = centre + random.uniform();
    }
}

void prepare(std::uint32_t workload) {
  if (prepared == workload) return;
  prepared = workload;
  const Workload& d = workloads[workload];
  Random random{1};
  if (d.work == Work::solve) return draw_samples(d, random);
  fill(x, std::size_t{d.samples} * d.features, random);
  fill(w, std::size_t{d.features + 1} * stride_of(d), random);
  fill(u, std::size_t{d.samples} * stride_of(d), random);
}

void project(const Workload& d) {
  const Index stride = stride_of(d);
  for (Index e = 0; e < d.samples * stride; ++e) z[e] = u[e];
  for (Index i = 0; i < d.samples; ++i) project_simplex(row_of(z, i, stride), d.classes, 1.0f);
}

void solve(const Workload& d) {
  tamis_problem_f32 problem;
  tamis_default_problem_f32(&problem);
  problem.loss = d.loss;
  problem.penalty = d.penalty;
  problem.lambda = d.lambda;
  problem.tolerance = d.tolerance;
  problem.max_iterations = 20000;
  problem.samples = d.samples;
  problem.features = d.features;
  problem.classes = d.classes;
  problem.values = x;
  problem.labels = labels;
  tamis_train_f32(&training, &problem, arena, sizeof arena, nullptr, nullptr);
}

void predict(const Workload& d) {
  const tamis_model_f32 model{w, d.features, d.classes};
  for (Index i = 0; i < d.samples; ++i) predicted[i] = tamis_predict_f32(&model, x + i * d.features, 1);
}

void run_once(const Workload& d) {
  const DenseDesign<float> design(x, d.samples, d.features);
  const Index stride = stride_of(d);
  switch (d.work) {
    case Work::multiply: design.multiply(nullptr, d.features, w, stride, row_of(w, d.features, stride), z); break;
    case Work::transposed_multiply: design.transposed_multiply(nullptr, d.features, u, stride, g); break;
    case Work::simplex_projection: project(d); break;
    case Work::solve: solve(d); break;
    case Work::prediction: predict(d); break;
  }
  asm volatile("" ::: "memory");  // a run is not dropped because the next one writes the same
}

/// FNV-1a with 64 bits.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  void word(std::uint32_t bits) {
    for (int shift = 0; shift < 32; shift += 8) value = (value ^ (bits >> shift & 0xff)) * 0x100000001b3u;
  }
  void real(float number) { word(__builtin_bit_cast(std::uint32_t, number)); }
  void matrix(const float* rows, Index length, Index columns, Index stride) {
    for (Index i = 0; i < length; ++i)
      for (Index k = 0; k < columns; ++k) real(row_of(rows, i, stride)[k]);
  }
};

/// False: the solve did not reach its tolerance.
bool hash_solve(std::uint32_t workload, Hash& hash) {
  tamis_report_f32 report;
  tamis_report_of_f32(&training, &report);
  epochs[workload] = static_cast<double>(report.epochs);
  const float reals[] = {report.objective, report.dual_objective, report.relative_gap, report.epochs};
  const std::uint32_t words[] = {report.status, report.iterations, report.nonzeros, report.arena_bytes};
  for (const float number : reals) hash.real(number);
  for (const std::uint32_t number : words) hash.word(number);
  if (report.status != TAMIS_CONVERGED) return false;
  tamis_model_f32 model;
  tamis_model_of_f32(&training, &model);
  hash.matrix(model.coefficients, model.features + 1, model.classes, stride_of(workloads[workload]));
  return true;
}

}  // namespace

}  // namespace tamis::bench

using namespace tamis::bench;
using tamis::Index;

std::uint32_t tamis_bench_count() { return count; }

const char* tamis_bench_name(std::uint32_t workload) { return workloads[workload].name; }

const char* tamis_bench_kind(std::uint32_t workload) {
  switch (workloads[workload].work) {
    case Work::solve: return "solve";
    case Work::prediction: return "prediction";
    default: return "kernel";
  }
}

double tamis_bench_flops(std::uint32_t workload) {
  const Workload& d = workloads[workload];
  if (d.work == Work::simplex_projection) return 3.0 * d.samples * d.classes;
  const double product = 2.0 * d.samples * d.features * d.classes;
  return d.work == Work::solve ? 2 * product * epochs[workload] : product;
}

double tamis_bench_bytes(std::uint32_t workload) {
  const Workload& d = workloads[workload];
  const double scores = 4.0 * d.samples * stride_of(d);
  if (d.work == Work::simplex_projection) return 2 * scores;
  const double product = 4.0 * d.samples * d.features + 4.0 * d.features * stride_of(d) + scores;
  return d.work == Work::solve ? 2 * product * epochs[workload] : product;
}

void tamis_bench_run(std::uint32_t workload, std::uint32_t repeats) {
  prepare(workload);
  for (std::uint32_t r = 0; r < repeats; ++r) run_once(workloads[workload]);
}

std::uint64_t tamis_bench_checksum(std::uint32_t workload) {
  const Workload& d = workloads[workload];
  tamis_bench_run(workload, 1);
  Hash hash;
  switch (d.work) {
    case Work::multiply:
    case Work::simplex_projection: hash.matrix(z, d.samples, d.classes, stride_of(d)); break;
    case Work::transposed_multiply: hash.matrix(g, d.features, d.classes, stride_of(d)); break;
    case Work::solve:
      if (!hash_solve(workload, hash)) return 0;
      break;
    case Work::prediction:
      for (Index i = 0; i < d.samples; ++i) hash.word(predicted[i]);
  }
  return hash.value;
}
