#ifndef TAMIS_DYNAMIC_H
#define TAMIS_DYNAMIC_H
/*
 * What programs that load the shared library at run time ask for besides: scores of many samples in one call, headers
 * with all that the command writes into them, the names of the catalogue, and the sizes of structures. Beside tamis.h,
 * whose rules hold here as well.
 */
#include "tamis_calibration.h"
#include "tamis_features.h"
#include "tamis_interactions.h"
#include "tamis_kernels.h"
#include "tamis_stability.h"
#include "tamis_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAMIS_DYNAMIC_DECLARE(REAL, S)                                                                                   \
  /* Samples, entry j of sample i at values[i * row_stride + j * column_stride]; or sparse ones (columns not NULL): those\
   * of sample i are at starts[i] <= e < starts[i + 1], their columns ascending and below the model's features. */       \
  typedef struct tamis_samples_##S {                                                                                     \
    const REAL *values;                                                                                                  \
    const uint32_t *columns;                                                                                             \
    const uint32_t *starts;                                                                                              \
    size_t row_stride, column_stride;                                                                                    \
    uint32_t samples;                                                                                                    \
  } tamis_samples_##S;                                                                                                   \
                                                                                                                         \
  /* Writes the scores of all samples, row after row: `classes` or `outputs` numbers each, those of one sample after the \
   * other. No checks. Models of interactions and of kernels take dense samples alone. */                                \
  void tamis_scores_of_samples_##S(const tamis_model_##S *model, const tamis_samples_##S *samples, REAL *scores);        \
  void tamis_interactions_scores_of_samples_##S(const tamis_interactions_model_##S *model,                               \
                                                const tamis_samples_##S *samples, REAL *scores);                         \
  void tamis_kernels_scores_of_samples_##S(const tamis_kernels_model_##S *model, const tamis_samples_##S *samples,       \
                                           REAL *scores);                                                                \
                                                                                                                         \
  /* The same of probabilities, each row of scores replaced by its own. */                                               \
  void tamis_probabilities_of_scores_##S(const tamis_calibration_##S *calibration, uint32_t samples, REAL *scores);      \
                                                                                                                         \
  /* Learns from samples, dense ones with column_stride 1, one after the other; weights NULL: all 1. Returns how many were\
   * not refused. */                                                                                                     \
  uint32_t tamis_stream_update_samples_##S(tamis_stream_##S *stream, const tamis_samples_##S *samples,                   \
                                           const uint16_t *labels, const REAL *weights);                                 \
                                                                                                                         \
  /* What a C header has besides its model: `classes` labels and `features` names or NULL; samples as of tamis_export_c. \
   * calibration: NULL, or what makes probabilities of the scores. */                                                    \
  typedef struct tamis_header_##S {                                                                                      \
    const char *name;                                                                                                    \
    const char *const *labels;                                                                                           \
    const char *const *feature_names;                                                                                    \
    const REAL *samples;                                                                                                 \
    const tamis_calibration_##S *calibration;                                                                            \
    uint32_t sample_count;                                                                                               \
  } tamis_header_##S;                                                                                                    \
                                                                                                                         \
  /* As tamis_export_c. scratch: `classes` numbers. */                                                                   \
  size_t tamis_export_header_##S(const tamis_model_##S *model, const tamis_header_##S *header, REAL *scratch, char *out, \
                                 size_t bytes);

TAMIS_DYNAMIC_DECLARE(float, f32)
TAMIS_DYNAMIC_DECLARE(double, f64)
#undef TAMIS_DYNAMIC_DECLARE

/* The range of a feature, from which integers are made; both 0: the feature is an integer of 16 bits itself. */
typedef struct tamis_range {
  float least, most;
} tamis_range;

/* The same of a model whose weights are integers of `bits` bits, 8 or 16. ranges: one per feature; remark: NULL, or a
 * sentence for its head. scratch: tamis_integer_header_bytes bytes, aligned to 8. 0: the numbers of the model are too
 * many, too large or too small for sums of 32 bits. calibration is not read. */
size_t tamis_integer_header_bytes(uint32_t features, uint32_t classes);
size_t tamis_export_integer_header(const tamis_model_f64 *model, const tamis_header_f32 *header, uint32_t bits,
                                   const tamis_range *ranges, const char *remark, void *scratch, char *out,
                                   size_t bytes);

/* The names of the catalogue, by number: of a "loss", a "penalty", a "solver"; NULL past the last one. */
const char *tamis_name_of(const char *kind, uint32_t number);

/* Bytes of a structure of the headers by its name, such as "tamis_problem_f64", for other languages to compare; 0: not
 * known. */
size_t tamis_size_of(const char *structure);

#ifdef __cplusplus
}
#endif
#endif
