#ifndef TAMIS_CALIBRATION_H
#define TAMIS_CALIBRATION_H
/*
 * Probabilities of classes from scores that are none, fitted to scores of samples that the model has not seen, such as
 * tamis_cross_validation_start_keeping leaves. Beside tamis.h, whose rules hold here as well; tamis_calibration.cpp is
 * compiled on its own, and programs without it pay nothing.
 *
 * With z_k = slope_k s_k + offset_k of the scores s: sigmoid, p_k ~ 1 / (1 + exp(-z_k)) (Platt, 1999); softmax,
 * p_k ~ exp(z_k), all slopes the same (Guo et al., 2017).
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tamis_calibration_kind {
  TAMIS_CALIBRATION_SIGMOID = 0,  /* each class against the others */
  TAMIS_CALIBRATION_SOFTMAX       /* all classes at once: the better one for losses whose scores compare classes */
} tamis_calibration_kind;

/* Exact bytes of arena that tamis_calibrate needs, the same on every target. 0 for an unknown kind. */
size_t tamis_calibration_bytes_f32(uint32_t kind, uint32_t classes);
size_t tamis_calibration_bytes_f64(uint32_t kind, uint32_t classes);

/* For float. */

/** Scores of samples and what they are: row i begins at scores[i * stride]. */
typedef struct tamis_scored_f32 {
  const float *scores;
  const uint16_t *labels;   /**< one per sample */
  const float *weights;     /**< one per sample; NULL: all 1. Samples of weight zero may have any scores */
  uint32_t samples;
  uint32_t classes;         /**< 2 ... 65536 */
  uint32_t stride;          /**< >= classes */
} tamis_scored_f32;

typedef struct tamis_calibration_options_f32 {
  float tolerance;          /**< of the gradient, > 0; default 1e-5, in double 1e-10 */
  uint32_t max_iterations;  /**< of Newton's method, >= 1; default 100 */
  uint32_t kind;            /**< tamis_calibration_kind; default TAMIS_CALIBRATION_SOFTMAX */
} tamis_calibration_options_f32;

/** Parameters, `classes` of each; may be kept anywhere. slopes NULL: 1; offsets NULL: 0. Without both and with
 * TAMIS_CALIBRATION_SOFTMAX it is what scores of TAMIS_LOGISTIC mean. */
typedef struct tamis_calibration_f32 {
  const float *slopes;
  const float *offsets;
  uint32_t classes;
  uint32_t kind;            /**< tamis_calibration_kind */
} tamis_calibration_f32;

typedef struct tamis_calibration_report_f32 {
  float objective;          /**< mean loss against the softened targets; sigmoid: the sum over the classes */
  float gradient;           /**< its largest partial derivative, scores in units of their spread */
  uint32_t status;          /**< tamis_status */
  uint32_t iterations;
  uint32_t row, column;     /**< of a refusal: the first bad sample and class */
  uint32_t arena_bytes;     /**< what is asked for */
} tamis_calibration_report_f32;

void tamis_default_calibration_options_f32(tamis_calibration_options_f32 *options);

/** Fits the parameters; calibration is then a view of the first bytes of the arena, aligned to TAMIS_ALIGNMENT.
 * TAMIS_CONVERGED, TAMIS_PRECISION_LIMIT or TAMIS_ITERATION_LIMIT: the best parameters so far (unless this scalar
 * type does not hold them: classes is 0 then). Otherwise a refusal, the arena is untouched and classes is 0:
 * TAMIS_INVALID_SHAPE, TAMIS_INVALID_LABEL, TAMIS_INVALID_WEIGHT, TAMIS_MISSING_CLASS for a class without a sample
 * of positive weight, TAMIS_INVALID_DATA for a score that is not finite, and as usual. report may be NULL. */
tamis_status tamis_calibrate_f32(const tamis_scored_f32 *scored, const tamis_calibration_options_f32 *options,
                                 void *arena, size_t arena_bytes, tamis_calibration_f32 *calibration,
                                 tamis_calibration_report_f32 *report);

/** Writes the probabilities of one sample's scores, >= 0 and of sum 1; may be written over the scores. */
void tamis_probabilities_f32(const tamis_calibration_f32 *calibration, const float *scores, float *probabilities);

/** The logarithm of one of them, finite also where the probability is too small for the scalar type. */
float tamis_log_probability_f32(const tamis_calibration_f32 *calibration, const float *scores, uint32_t label);

/** The most probable class, the first of equals: with sigmoids it need not be that of the largest score. */
uint32_t tamis_most_probable_f32(const tamis_calibration_f32 *calibration, const float *scores);

/** Samples whose confidence, the largest of their probabilities, is in one interval of a reliability diagram. */
typedef struct tamis_reliability_bin_f32 {
  float weight;             /**< share of all samples, by weight */
  float confidence;         /**< its mean; 0 without any */
  float accuracy;           /**< share of these samples that are right */
} tamis_reliability_bin_f32;

typedef struct tamis_reliability_f32 {
  float log_loss;           /**< mean of -log p of the label */
  float error;              /**< share of samples whose label is not the most probable */
  float calibration_error;  /**< sum over the bins of weight |accuracy - confidence| */
  uint32_t row, column;     /**< of a refusal */
} tamis_reliability_f32;

/** Measures probabilities on samples that neither the model nor the calibration has seen; bin b of B holds the
 * confidences from b/B to (b + 1)/B. TAMIS_CONVERGED, or a refusal as of tamis_calibrate, the bins untouched; classes
 * without samples are none. TAMIS_INVALID_OPTION without bins. */
tamis_status tamis_measure_reliability_f32(const tamis_calibration_f32 *calibration, const tamis_scored_f32 *scored,
                                           tamis_reliability_bin_f32 *bins, uint32_t bin_count,
                                           tamis_reliability_f32 *reliability);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_scored_f64 {
  const double *scores;
  const uint16_t *labels;
  const double *weights;
  uint32_t samples;
  uint32_t classes;
  uint32_t stride;
} tamis_scored_f64;
typedef struct tamis_calibration_options_f64 {
  double tolerance;
  uint32_t max_iterations;
  uint32_t kind;
} tamis_calibration_options_f64;
typedef struct tamis_calibration_f64 {
  const double *slopes;
  const double *offsets;
  uint32_t classes;
  uint32_t kind;
} tamis_calibration_f64;
typedef struct tamis_calibration_report_f64 {
  double objective;
  double gradient;
  uint32_t status;
  uint32_t iterations;
  uint32_t row, column;
  uint32_t arena_bytes;
} tamis_calibration_report_f64;
void tamis_default_calibration_options_f64(tamis_calibration_options_f64 *options);
tamis_status tamis_calibrate_f64(const tamis_scored_f64 *scored, const tamis_calibration_options_f64 *options,
                                 void *arena, size_t arena_bytes, tamis_calibration_f64 *calibration,
                                 tamis_calibration_report_f64 *report);
void tamis_probabilities_f64(const tamis_calibration_f64 *calibration, const double *scores, double *probabilities);
double tamis_log_probability_f64(const tamis_calibration_f64 *calibration, const double *scores, uint32_t label);
uint32_t tamis_most_probable_f64(const tamis_calibration_f64 *calibration, const double *scores);
typedef struct tamis_reliability_bin_f64 {
  double weight;
  double confidence;
  double accuracy;
} tamis_reliability_bin_f64;
typedef struct tamis_reliability_f64 {
  double log_loss;
  double error;
  double calibration_error;
  uint32_t row, column;
} tamis_reliability_f64;
tamis_status tamis_measure_reliability_f64(const tamis_calibration_f64 *calibration, const tamis_scored_f64 *scored,
                                           tamis_reliability_bin_f64 *bins, uint32_t bin_count,
                                           tamis_reliability_f64 *reliability);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
