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

/* For float. */

/** Samples, entry j of sample i at values[i * row_stride + j * column_stride]; or sparse ones (columns not NULL): those
 * of sample i are at starts[i] <= e < starts[i + 1], their columns ascending and below the model's features. */
typedef struct tamis_samples_f32 {
  const float *values;
  const uint32_t *columns;
  const uint32_t *starts;
  size_t row_stride, column_stride;
  uint32_t samples;
} tamis_samples_f32;

/** Writes the scores of all samples, row after row: `classes` or `outputs` numbers each, those of one sample after the
 * other. No checks. Models of interactions and of kernels take dense samples alone. */
void tamis_scores_of_samples_f32(const tamis_model_f32 *model, const tamis_samples_f32 *samples, float *scores);
void tamis_interactions_scores_of_samples_f32(const tamis_interactions_model_f32 *model,
                                              const tamis_samples_f32 *samples, float *scores);
void tamis_kernels_scores_of_samples_f32(const tamis_kernels_model_f32 *model, const tamis_samples_f32 *samples,
                                         float *scores);

/** The same of probabilities, each row of scores replaced by its own. */
void tamis_probabilities_of_scores_f32(const tamis_calibration_f32 *calibration, uint32_t samples, float *scores);

/** Learns from samples, dense ones with column_stride 1, one after the other; weights NULL: all 1. Returns how many were
 * not refused. */
uint32_t tamis_stream_update_samples_f32(tamis_stream_f32 *stream, const tamis_samples_f32 *samples,
                                         const uint16_t *labels, const float *weights);

/** What a C header has besides its model: `classes` labels and `features` names or NULL; samples as of tamis_export_c.
 * calibration: NULL, or what makes probabilities of the scores. */
typedef struct tamis_header_f32 {
  const char *name;
  const char *const *labels;
  const char *const *feature_names;
  const float *samples;
  const tamis_calibration_f32 *calibration;
  uint32_t sample_count;
} tamis_header_f32;

/** As tamis_export_c. scratch: `classes` numbers. */
size_t tamis_export_header_f32(const tamis_model_f32 *model, const tamis_header_f32 *header, float *scratch, char *out,
                               size_t bytes);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_samples_f64 {
  const double *values;
  const uint32_t *columns;
  const uint32_t *starts;
  size_t row_stride, column_stride;
  uint32_t samples;
} tamis_samples_f64;
void tamis_scores_of_samples_f64(const tamis_model_f64 *model, const tamis_samples_f64 *samples, double *scores);
void tamis_interactions_scores_of_samples_f64(const tamis_interactions_model_f64 *model,
                                              const tamis_samples_f64 *samples, double *scores);
void tamis_kernels_scores_of_samples_f64(const tamis_kernels_model_f64 *model, const tamis_samples_f64 *samples,
                                         double *scores);
void tamis_probabilities_of_scores_f64(const tamis_calibration_f64 *calibration, uint32_t samples, double *scores);
uint32_t tamis_stream_update_samples_f64(tamis_stream_f64 *stream, const tamis_samples_f64 *samples,
                                         const uint16_t *labels, const double *weights);
typedef struct tamis_header_f64 {
  const char *name;
  const char *const *labels;
  const char *const *feature_names;
  const double *samples;
  const tamis_calibration_f64 *calibration;
  uint32_t sample_count;
} tamis_header_f64;
size_t tamis_export_header_f64(const tamis_model_f64 *model, const tamis_header_f64 *header, double *scratch, char *out,
                               size_t bytes);
/* end of catalogue */

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
