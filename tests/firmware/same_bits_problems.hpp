#pragma once
/* Small float problems, each solved through the C interface and folded into one number. Every target must give
 * the same numbers: host with and without vectors, WebAssembly, Cortex-M, RISC-V. Include it in one source file of a
 * program; it needs only <stdint.h> and tamis.h. Define TAMIS_EXPORT(name) before to put an attribute on the two
 * functions. */
#include <stdint.h>

#include "tamis.h"

#ifndef TAMIS_EXPORT
#define TAMIS_EXPORT(name)
#endif

namespace same_bits {

enum : uint32_t {
  most_samples = 300,
  most_features = 100,
  most_values = 6000,
  arena_bytes = 96 * 1024,
  text_bytes = 32 * 1024,
  blob_bytes = 8 * 1024,
};

/* What a problem has beside its shape. `listed`: groups of features that are not neighbours. `bounded`: the number is
 * eta, not lambda. */
enum : uint32_t {
  plain = 0,
  no_intercept = 1,
  weighted = 2,
  margins = 4,
  sparse = 8,
  strided = 16,
  listed = 32,
  bounded = 64,
  mostly_l1 = 128,
};

struct Problem {
  uint32_t solver, loss, penalty, block, samples, features, classes, extras, max_iterations;
  float lambda, tolerance;
};

const Problem problems[] = {
    /* The solvers that are chosen for loss and penalty. Those that sizes choose have their names, for in WebAssembly
     * sizes choose nothing. */
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 40, 6, 3, plain, 4000, 0.05f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 30, 5, 2, no_intercept, 4000, 0.1f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 60, 90, 4, plain, 300, 0.03f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 300, 8, 5, weighted, 100, 0.02f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 80, 30, 9, sparse | weighted, 60, 0.01f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_L1, 0, 20, 3, 2, weighted | margins | strided, 3000, 0.02f, 1e-5f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_RIDGE, 0, 50, 7, 3, plain, 2000, 0.1f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_RIDGE, 0, 36, 8, 12, no_intercept, 500, 0.002f, 1e-2f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_RIDGE, 0, 120, 20, 5, weighted | margins | sparse, 200, 0.01f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_GROUP_L2, 0, 64, 12, 6, margins, 1000, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_GROUP_L2, 3, 45, 11, 3, plain, 2000, 0.04f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_GROUP_L2, 0, 40, 9, 3, listed | weighted, 1000, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_GROUP_LINF, 0, 48, 9, 4, plain, 2000, 0.08f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_GROUP_LINF, 4, 40, 70, 2, sparse, 400, 0.05f, 1e-2f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_ELASTIC_NET, 0, 40, 8, 3, mostly_l1, 1000, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_SPARSE_GROUP, 0, 48, 10, 4, margins, 1000, 0.04f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_HINGE, TAMIS_REWEIGHTED_L1, 0, 40, 8, 3, plain, 100, 0.02f, 1e-2f},
    {TAMIS_BLOCK_COORDINATE_DESCENT, TAMIS_SQUARED_HINGE, TAMIS_L1, 0, 40, 6, 3, plain, 4000, 0.05f, 1e-4f},
    {TAMIS_BLOCK_COORDINATE_DESCENT, TAMIS_SQUARED_HINGE, TAMIS_L1, 0, 60, 90, 5, plain, 500, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_RIDGE, 0, 50, 7, 2, no_intercept, 2000, 0.1f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_RIDGE, 0, 270, 5, 13, margins, 100, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 0, 64, 12, 6, weighted, 1000, 0.1f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 5, 40, 23, 3, strided, 1000, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_GROUP_LINF, 0, 48, 9, 4, sparse, 2000, 0.2f, 1e-4f},
    {TAMIS_FISTA, TAMIS_SQUARED_HINGE, TAMIS_GROUP_LINF, 2, 30, 40, 2, weighted | no_intercept, 200, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_SQUARED_HINGE, TAMIS_SPARSE_GROUP, 0, 48, 10, 3, listed, 500, 0.05f, 1e-4f},
    {TAMIS_BLOCK_COORDINATE_DESCENT, TAMIS_SQUARED_HINGE, TAMIS_REWEIGHTED_L1, 0, 40, 8, 3, weighted, 100, 0.02f,
     1e-2f},
    {TAMIS_AUTOMATIC, TAMIS_LOGISTIC, TAMIS_L1, 0, 60, 90, 5, plain, 500, 0.02f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_LOGISTIC, TAMIS_RIDGE, 0, 50, 7, 3, margins | weighted, 300, 0.05f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_LOGISTIC, TAMIS_GROUP_L2, 0, 64, 12, 6, no_intercept, 300, 0.02f, 1e-4f},
    {TAMIS_AUTOMATIC, TAMIS_LOGISTIC, TAMIS_GROUP_LINF, 3, 40, 12, 3, strided, 300, 0.02f, 1e-4f},
    {TAMIS_PROXIMAL_NEWTON, TAMIS_LOGISTIC, TAMIS_ELASTIC_NET, 0, 50, 11, 4, weighted, 300, 0.02f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_ONE_VS_REST_SQUARED_HINGE, TAMIS_L1, 0, 40, 20, 3, sparse, 500, 0.05f, 1e-3f},
    {TAMIS_AUTOMATIC, TAMIS_ONE_VS_REST_SQUARED_HINGE, TAMIS_GROUP_L2, 0, 64, 12, 6, weighted | margins, 500, 0.1f,
     1e-3f},
    /* Every solver by its name. */
    {TAMIS_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_L1, 0, 30, 6, 3, weighted, 400, 0.05f, 1e-3f},
    {TAMIS_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_RIDGE, 0, 30, 5, 4, no_intercept, 300, 0.05f, 1e-3f},
    {TAMIS_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_GROUP_L2, 2, 24, 8, 2, sparse, 300, 0.05f, 1e-3f},
    {TAMIS_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_GROUP_LINF, 0, 24, 6, 5, margins, 300, 0.05f, 1e-3f},
    {TAMIS_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_SPARSE_GROUP, 0, 24, 6, 3, mostly_l1 | listed, 300, 0.05f, 1e-3f},
    {TAMIS_TWO_PHASE, TAMIS_HINGE, TAMIS_L1, 0, 24, 40, 3, margins | no_intercept, 300, 0.02f, 1e-5f},
    {TAMIS_TWO_PHASE, TAMIS_HINGE, TAMIS_GROUP_L2, 0, 30, 10, 4, weighted, 300, 0.03f, 1e-5f},
    {TAMIS_CRAMMER_SINGER_DUAL, TAMIS_HINGE, TAMIS_RIDGE, 0, 40, 6, 3, weighted | strided, 300, 0.05f, 1e-4f},
    {TAMIS_CONSTRAINED_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_L1, 0, 30, 6, 3, bounded, 300, 0.4f, 1e-3f},
    {TAMIS_CONSTRAINED_PRIMAL_DUAL, TAMIS_HINGE, TAMIS_GROUP_LINF, 0, 24, 5, 4, bounded | weighted, 300, 0.5f, 1e-2f},
    {TAMIS_FISTA, TAMIS_SQUARED_HINGE, TAMIS_L1, 0, 40, 12, 3, weighted | sparse, 300, 0.05f, 1e-4f},
    {TAMIS_FISTA, TAMIS_SQUARED_HINGE, TAMIS_GROUP_L2, 0, 40, 8, 4, margins, 300, 0.1f, 1e-4f},
    {TAMIS_FISTA, TAMIS_LOGISTIC, TAMIS_GROUP_LINF, 0, 40, 7, 3, plain, 200, 0.03f, 1e-3f},
    {TAMIS_FISTA, TAMIS_LOGISTIC, TAMIS_SPARSE_GROUP, 0, 30, 8, 2, weighted, 200, 0.03f, 1e-3f},
    {TAMIS_FISTA, TAMIS_ONE_VS_REST_SQUARED_HINGE, TAMIS_ELASTIC_NET, 0, 30, 9, 3, mostly_l1, 300, 0.05f, 1e-3f},
    {TAMIS_BLOCK_COORDINATE_DESCENT, TAMIS_SQUARED_HINGE, TAMIS_ELASTIC_NET, 0, 36, 10, 4, strided, 300, 0.05f, 1e-5f},
    {TAMIS_BLOCK_COORDINATE_DESCENT, TAMIS_LOGISTIC, TAMIS_L1, 0, 36, 30, 3, sparse | margins, 300, 0.02f, 1e-5f},
};
enum : uint32_t { count = sizeof problems / sizeof problems[0] };

/* Numbers without pattern: Knuth's linear congruential generator, its upper bits. */
struct Random {
  uint32_t state;
  uint32_t bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return static_cast<float>(bits()) / 16777216.0f; } /* in [0, 1), exact */
};

/* FNV-1a with 64 bits. */
struct Hash {
  uint64_t value;
  void byte(uint8_t b) { value = (value ^ b) * 0x100000001b3u; }
  void word(uint32_t w) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<uint8_t>(w >> shift));
  }
  void real(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    word(bits);
  }
};

struct Data {
  float values[most_values];
  uint32_t rows[most_values];
  uint32_t starts[most_features + 1];
  uint32_t group_order[most_features], group_starts[most_features + 1];
  uint16_t labels[most_samples];
  float weights[most_samples];
  float margins[most_samples];
};

/* Classes are centred on different features; half of the features are noise. */
inline float draw(const Problem& p, Random& random, uint32_t feature, uint32_t label) {
  const float noise = random.uniform() + random.uniform() - 1.0f;
  const float centre = feature % 2 == 0 && feature / 2 % p.classes == label ? 1.0f : 0.0f;
  return centre + noise;
}

inline void make_data(const Problem& p, Random random, Data& data) {
  for (uint32_t i = 0; i < p.samples; ++i) {
    data.labels[i] = static_cast<uint16_t>(i < p.classes ? i : random.bits() % p.classes);
    data.weights[i] = 0.5f + random.uniform();
    data.margins[i] = 0.5f + random.uniform();
  }
  const uint32_t stride = p.samples + (p.extras & strided ? 3 : 0);
  uint32_t entries = 0;
  for (uint32_t j = 0; j < p.features; ++j) {
    data.starts[j] = entries;
    for (uint32_t i = 0; i < p.samples; ++i) {
      const float value = draw(p, random, j, data.labels[i]);
      if (!(p.extras & sparse)) {
        data.values[i + j * stride] = value;
      } else if (random.bits() % 4 == 0) {
        data.values[entries] = value;
        data.rows[entries++] = i;
      }
    }
  }
  data.starts[p.features] = entries;
}

/* Groups of one and two features in turn, of the even features, then of the odd ones. */
inline uint32_t list_groups(const Problem& p, Data& data) {
  for (uint32_t j = 0, odd = (p.features + 1) / 2; j < p.features; ++j) data.group_order[j % 2 ? odd++ : j / 2] = j;
  uint32_t groups = 0;
  for (uint32_t e = 0; e < p.features; e += 1 + groups++ % 2) data.group_starts[groups] = e;
  data.group_starts[groups] = p.features;
  return groups;
}

inline tamis_problem_f32 problem_of(const Problem& p, Data& data) {
  tamis_problem_f32 out;
  tamis_default_problem_f32(&out);
  out.lambda = p.extras & bounded ? 0 : p.lambda;
  out.eta = p.extras & bounded ? p.lambda : 0;
  if (p.extras & mostly_l1) out.l1_ratio = 0.8f;
  out.tolerance = p.tolerance;
  out.max_iterations = p.max_iterations;
  out.intercept = p.extras & no_intercept ? 0 : 1;
  out.loss = p.loss;
  out.penalty = p.penalty;
  out.solver = p.solver;
  out.block = p.block;
  out.samples = p.samples;
  out.features = p.features;
  out.classes = p.classes;
  out.column_stride = p.extras & strided ? p.samples + 3 : 0;
  out.values = data.values;
  if (p.extras & sparse) {
    out.rows = data.rows;
    out.starts = data.starts;
  }
  out.labels = data.labels;
  if (p.extras & weighted) out.weights = data.weights;
  if (p.extras & margins) out.margins = data.margins;
  if (p.extras & listed) {
    out.group_order = data.group_order;
    out.group_starts = data.group_starts;
    out.group_count = list_groups(p, data);
  }
  return out;
}

inline void hash_report(const tamis_report_f32& r, Hash& hash) {
  const float reals[] = {r.objective,    r.dual_objective, r.gap,    r.relative_gap,
                         r.kkt_residual, r.lambda_max,     r.epochs, r.constraint_value};
  const uint32_t words[] = {r.status, r.iterations, r.nonzeros,    r.nonzero_rows,
                            r.row,    r.column,     r.arena_bytes, r.arena_used_bytes};
  for (const float x : reals) hash.real(x);
  for (const uint32_t x : words) hash.word(x);
}

/* Each certificate of the run counts, not the last alone. */
inline int observe(void* hash, const tamis_report_f32* report) {
  hash_report(*report, *static_cast<Hash*>(hash));
  return 1;
}

inline void hash_model(const tamis_model_f32& model, const float* samples, Hash& hash) {
  const uint32_t stride = (model.classes + 3) / 4 * 4;
  for (uint32_t e = 0; e < (model.features + 1) * stride; ++e) hash.real(model.coefficients[e]);
  for (uint32_t i = 0; i + model.features <= most_values && i < 64; ++i) {
    float scores[16];
    tamis_scores_f32(&model, samples + i, 1, scores);
    for (uint32_t k = 0; k < model.classes; ++k) hash.real(scores[k]);
    hash.word(tamis_predict_f32(&model, samples + i, 1));
  }
}

/* The model as a blob and as a C header. */
inline void hash_written(const tamis_model_f32& model, const float* samples, Hash& hash) {
  static unsigned char blob[blob_bytes];
  static char text[text_bytes];
  const size_t blob_length = tamis_blob_write_f32(&model, blob, sizeof blob);
  for (size_t i = 0; i < blob_length; ++i) hash.byte(blob[i]);
  const size_t length = tamis_export_c_f32(&model, "model", nullptr, samples, 3, text, sizeof text);
  for (size_t i = 0; i < length && i < sizeof text; ++i) hash.byte(static_cast<uint8_t>(text[i]));
}

}  // namespace same_bits

extern "C" {

TAMIS_EXPORT(tamis_same_bits_count)
uint32_t tamis_same_bits_count(void) { return same_bits::count; }

/* Every certificate, the final report, the model, its scores, its blob and its C header in one number; 0 when the
 * problem was refused. */
TAMIS_EXPORT(tamis_same_bits_hash)
uint64_t tamis_same_bits_hash(uint32_t problem) {
  using namespace same_bits;
  static Data data;
  static tamis_training_f32 training;
  alignas(TAMIS_ALIGNMENT) static unsigned char arena[arena_bytes];

  for (float& value : data.values) value = 0.0f;
  make_data(problems[problem], Random{problem + 1}, data);
  const tamis_problem_f32 to_solve = problem_of(problems[problem], data);
  Hash hash{0xcbf29ce484222325u};
  if (tamis_train_f32(&training, &to_solve, arena, sizeof arena, observe, &hash) > TAMIS_STOPPED) return 0;

  tamis_report_f32 report;
  tamis_model_f32 model;
  tamis_report_of_f32(&training, &report);
  tamis_model_of_f32(&training, &model);
  hash_report(report, hash);
  hash_model(model, data.values, hash);
  hash_written(model, data.values, hash);
  return hash.value;
}

} /* extern "C" */
