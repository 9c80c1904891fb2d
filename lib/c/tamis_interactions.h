#ifndef TAMIS_INTERACTIONS_H
#define TAMIS_INTERACTIONS_H
/*
 * Features and products of two features: regression and classification that learn which of them matter, and certify it.
 * Beside tamis.h, whose rules hold here as well; tamis_interactions.cpp is compiled on its own, and programs without it
 * pay nothing.
 *
 * The problem solved, for the scores z_k(x) = b_k + v_k' x + x' Theta_k x:
 *
 *     minimise  (1/n) sum_i loss(z(x_i), y_i) + sum_k sum_j (lambda max(|v_kj|, ||Theta_kj||) + lambda2 ||Theta_kj||_1)
 *
 * What is kept are terms: coefficient x_first, or coefficient x_first x_second.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which products are paid for by the features in them: the maximum above is lambda |v_kj| without. */
typedef enum tamis_hierarchy {
  TAMIS_HIERARCHY_WEAK = 0,  /* a product needs one of its features */
  TAMIS_HIERARCHY_STRONG,    /* both; Theta_k is symmetric */
  TAMIS_HIERARCHY_FULL,      /* none: products alone as well */
  TAMIS_HIERARCHY_MAIN       /* there are no products, and no lambda2 */
} tamis_hierarchy;

/* The norm of the products of a feature that its main effect has to match; L2: products and main effect are one group
   instead; RIDGE, for TAMIS_HIERARCHY_FULL and TAMIS_HIERARCHY_MAIN (others: TAMIS_INVALID_COMBINATION): squares,
   lambda/2 v^2 + lambda2/2 Theta^2, which make nothing zero. */
typedef enum tamis_hierarchy_norm {
  TAMIS_HIERARCHY_L1 = 0,
  TAMIS_HIERARCHY_LINF,
  TAMIS_HIERARCHY_L2,
  TAMIS_HIERARCHY_RIDGE
} tamis_hierarchy_norm;

typedef enum tamis_interactions_loss {
  TAMIS_INTERACTIONS_LEAST_SQUARES = 0,  /* (z - y)^2 / 2 for real targets: a regression, one score */
  TAMIS_INTERACTIONS_SQUARED_HINGE       /* sum over k != y of max(0, 1 + z_k - z_y)^2 for labels: a score per class */
} tamis_interactions_loss;

/* Where a term is not a product: its `second`. */
#define TAMIS_NO_FEATURE 0xffffffffu

/* Room for the state of a run; see tamis_training. */
#define TAMIS_INTERACTIONS_WORDS 160
#define TAMIS_INTERACTIONS_CROSS_VALIDATION_WORDS 260

/* For float. */

/** What to solve. Set every field: start from tamis_default_interactions_problem. Pointers must stay valid while it
 * runs. */
typedef struct tamis_interactions_problem_f32 {
  float lambda;             /**< > 0 */
  float lambda2;            /**< of products; >= 0, for TAMIS_HIERARCHY_FULL > 0; NaN (default): lambda / 2, for */
                            /**< TAMIS_HIERARCHY_FULL lambda; TAMIS_HIERARCHY_MAIN does not read it */
  float tolerance;          /**< relative duality gap to certify, > 0; default 1e-4 */
  uint32_t max_iterations;  /**< >= 1; default 1000000, on microcontrollers 10000 */
  uint32_t intercept;       /**< 1 (default): one free intercept per score; 0: none */
  uint32_t loss;            /**< tamis_interactions_loss; default TAMIS_INTERACTIONS_LEAST_SQUARES */
  uint32_t hierarchy;       /**< tamis_hierarchy; default TAMIS_HIERARCHY_STRONG */
  uint32_t norm;            /**< tamis_hierarchy_norm; default TAMIS_HIERARCHY_L1 */
  uint32_t samples;
  uint32_t features;
  uint32_t classes;         /**< squared hinge: labels are 0 ... classes - 1; least squares does not read it */
  uint32_t column_stride;   /**< entries from one column to the next; 0 (default): samples */
  const float *values;      /**< feature j of sample i is values[i + j * column_stride] */
  const float *targets;     /**< least squares: one per sample */
  const uint16_t *labels;   /**< squared hinge: one per sample */
  float lambda2_ratio;      /**< instead of lambda2 (NaN): lambda2 / lambda, also at other lambdas; >= 0, for */
                            /**< TAMIS_HIERARCHY_FULL > 0; NaN (default): 1/2, for TAMIS_HIERARCHY_FULL 1. Both given, */
                            /**< or for TAMIS_HIERARCHY_MAIN: TAMIS_INVALID_OPTION */
} tamis_interactions_problem_f32;

typedef struct tamis_interactions_f32 {
  uint64_t words[TAMIS_INTERACTIONS_WORDS];
} tamis_interactions_f32;

/** coefficient x_first of one score, where second is TAMIS_NO_FEATURE; else coefficient x_first x_second, first <=
 * second. */
typedef struct tamis_interactions_term_f32 {
  uint32_t output;          /**< which score: the class; 0 of a regression */
  uint32_t first;
  uint32_t second;
  float coefficient;
} tamis_interactions_term_f32;

/** A model: the terms of one output after the other, and an intercept per output. It has nothing of the arena. */
typedef struct tamis_interactions_model_f32 {
  const tamis_interactions_term_f32 *terms;
  const float *intercepts;
  uint32_t term_count;
  uint32_t features;
  uint32_t outputs;         /**< classes; 1 of a regression */
} tamis_interactions_model_f32;

/** Fills in the defaults; shape, values, targets or labels, and lambda remain to be set. */
void tamis_default_interactions_problem_f32(tamis_interactions_problem_f32 *problem);

/** Exact bytes of arena: depends on shape and loss only, and is the same on every target. SIZE_MAX: more than can be
 * addressed. 0: loss unknown. */
size_t tamis_interactions_bytes_f32(const tamis_interactions_problem_f32 *problem);

/** Checks the problem and prepares. arena: tamis_interactions_bytes bytes, aligned to TAMIS_ALIGNMENT. Returns
 * TAMIS_RUNNING, or how it ended already. A refusal writes nothing to the arena. problem may be discarded afterwards,
 * what it points to may not. A fault in `targets` has the row of the sample and the column `features`. */
tamis_status tamis_interactions_start_f32(tamis_interactions_f32 *run, const tamis_interactions_problem_f32 *problem,
                                          void *arena, size_t arena_bytes);

/** Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. */
tamis_status tamis_interactions_step_f32(tamis_interactions_f32 *run, uint32_t steps);

/** Starts and steps to the end. observe may be NULL; context is passed through to it. */
tamis_status tamis_interactions_train_f32(tamis_interactions_f32 *run, const tamis_interactions_problem_f32 *problem,
                                          void *arena, size_t arena_bytes, tamis_observer_f32 observe, void *context);

/** Goes on with other weights from where the run is, which is most of the way: the next point of a path. Its report
 * and terms are gone. lambda2 NaN: the ratio of the problem to lambda. Returns TAMIS_RUNNING, or how it ended already;
 * TAMIS_INVALID_LAMBDA, or the status of a run that was refused, when nothing has changed. */
tamis_status tamis_interactions_go_on_f32(tamis_interactions_f32 *run, float lambda, float lambda2);

/** Ends the run with the best model so far. */
void tamis_interactions_stop_f32(tamis_interactions_f32 *run);

/** The report of the run, at any time after start. nonzeros counts the entries of v and Theta. */
void tamis_interactions_report_of_f32(const tamis_interactions_f32 *run, tamis_report_f32 *report);

/** Copies the terms of the best model so far into `terms`, at most `capacity` of them, and one intercept per output
 * into `intercepts`, and sets model to both; terms (with 0), intercepts and model may be NULL. Returns how many terms
 * there are: more than `capacity` means that the last are missing, and model is one of 0 features. So is that of a
 * run that was refused, which has 0 terms. */
size_t tamis_interactions_terms_of_f32(const tamis_interactions_f32 *run, tamis_interactions_term_f32 *terms,
                                       size_t capacity, float *intercepts, tamis_interactions_model_f32 *model);

/** ---- which lambda: a path with start at the largest and go_on, and what held-out samples say of its points ------ */

typedef struct tamis_interactions_cross_validation_f32 {
  uint64_t words[TAMIS_INTERACTIONS_CROSS_VALIDATION_WORDS];
} tamis_interactions_cross_validation_f32;

/** Where a path begins: a lambda from which the model of zeros is the answer (of classes with intercepts about that; of
 * TAMIS_HIERARCHY_RIDGE one beside which coefficients are small), with lambda2 as in the problem: in proportion where
 * it is NaN. arena: tamis_interactions_bytes bytes, which are overwritten. The problem's lambda is not read. NaN: the
 * problem is refused; tamis_interactions_start says why. */
float tamis_interactions_first_lambda_f32(const tamis_interactions_problem_f32 *problem, void *arena,
                                          size_t arena_bytes);

/** Exact bytes of arena: those of training on the samples outside a fold (the most of them), and their values and
 * targets once more. SIZE_MAX and 0 as in tamis_interactions_bytes; 0 also without fold_of. */
size_t tamis_interactions_cross_validation_bytes_f32(const tamis_interactions_problem_f32 *problem,
                                                     const tamis_grid_f32 *grid, const uint32_t *fold_of,
                                                     uint32_t folds);

/** Checks everything and begins with the first fold; as tamis_cross_validation_start. The problem's lambda is not read;
 * its lambda2 NaN: in proportion at each lambda. Lambdas are positive. One fold, and TAMIS_NO_FOLD for the samples that
 * are never held out, is hold-out validation. Of a regression the error is the mean squared error, and the loss half
 * of that. */
tamis_status tamis_interactions_cross_validation_start_f32(
    tamis_interactions_cross_validation_f32 *validation, const tamis_interactions_problem_f32 *problem,
    const tamis_grid_f32 *grid, const uint32_t *fold_of, uint32_t folds, void *arena, size_t arena_bytes);

/** As the functions of tamis_cross_validation with the same ends; row and column of a refusal's report are those of all
 * samples. */
tamis_status tamis_interactions_cross_validation_step_f32(tamis_interactions_cross_validation_f32 *validation,
                                                          uint32_t steps);
void tamis_interactions_cross_validation_stop_f32(tamis_interactions_cross_validation_f32 *validation);
uint32_t tamis_interactions_cross_validation_fold_f32(const tamis_interactions_cross_validation_f32 *validation);
uint32_t tamis_interactions_cross_validation_points_done_f32(
    const tamis_interactions_cross_validation_f32 *validation);
void tamis_interactions_cross_validation_report_f32(const tamis_interactions_cross_validation_f32 *validation,
                                                    tamis_report_f32 *report);
tamis_status tamis_interactions_cross_validation_at_f32(const tamis_interactions_cross_validation_f32 *validation,
                                                        uint32_t point, tamis_held_out_f32 *held_out);
uint32_t tamis_interactions_cross_validation_best_f32(const tamis_interactions_cross_validation_f32 *validation,
                                                      uint32_t measure);
uint32_t tamis_interactions_cross_validation_one_standard_error_f32(
    const tamis_interactions_cross_validation_f32 *validation, uint32_t measure);

/** The class of one sample, the first of those with the largest score. sample: entries `stride` apart. No checks. */
uint32_t tamis_interactions_predict_f32(const tamis_interactions_model_f32 *model, const float *sample, size_t stride);

/** Writes the scores of one sample, one per class; of a regression the value that it predicts. */
void tamis_interactions_scores_f32(const tamis_interactions_model_f32 *model, const float *sample, size_t stride,
                                   float *scores);

/** Writes the model as a C99 header into out and returns its length without a terminating zero; more than `bytes`
 * means that it was cut: call again with that much. As tamis_export_c; labels are those of classes. positions:
 * scratch of `features` numbers. */
size_t tamis_interactions_export_c_f32(const tamis_interactions_model_f32 *model, const char *name,
                                       const char *const *labels, const float *samples, uint32_t sample_count,
                                       uint32_t *positions, char *out, size_t bytes);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_interactions_problem_f64 {
  double lambda;
  double lambda2;
  double tolerance;
  uint32_t max_iterations;
  uint32_t intercept;
  uint32_t loss;
  uint32_t hierarchy;
  uint32_t norm;
  uint32_t samples;
  uint32_t features;
  uint32_t classes;
  uint32_t column_stride;
  const double *values;
  const double *targets;
  const uint16_t *labels;
  double lambda2_ratio;
} tamis_interactions_problem_f64;
typedef struct tamis_interactions_f64 {
  uint64_t words[TAMIS_INTERACTIONS_WORDS];
} tamis_interactions_f64;
typedef struct tamis_interactions_term_f64 {
  uint32_t output;
  uint32_t first;
  uint32_t second;
  double coefficient;
} tamis_interactions_term_f64;
typedef struct tamis_interactions_model_f64 {
  const tamis_interactions_term_f64 *terms;
  const double *intercepts;
  uint32_t term_count;
  uint32_t features;
  uint32_t outputs;
} tamis_interactions_model_f64;
void tamis_default_interactions_problem_f64(tamis_interactions_problem_f64 *problem);
size_t tamis_interactions_bytes_f64(const tamis_interactions_problem_f64 *problem);
tamis_status tamis_interactions_start_f64(tamis_interactions_f64 *run, const tamis_interactions_problem_f64 *problem,
                                          void *arena, size_t arena_bytes);
tamis_status tamis_interactions_step_f64(tamis_interactions_f64 *run, uint32_t steps);
tamis_status tamis_interactions_train_f64(tamis_interactions_f64 *run, const tamis_interactions_problem_f64 *problem,
                                          void *arena, size_t arena_bytes, tamis_observer_f64 observe, void *context);
tamis_status tamis_interactions_go_on_f64(tamis_interactions_f64 *run, double lambda, double lambda2);
void tamis_interactions_stop_f64(tamis_interactions_f64 *run);
void tamis_interactions_report_of_f64(const tamis_interactions_f64 *run, tamis_report_f64 *report);
size_t tamis_interactions_terms_of_f64(const tamis_interactions_f64 *run, tamis_interactions_term_f64 *terms,
                                       size_t capacity, double *intercepts, tamis_interactions_model_f64 *model);
typedef struct tamis_interactions_cross_validation_f64 {
  uint64_t words[TAMIS_INTERACTIONS_CROSS_VALIDATION_WORDS];
} tamis_interactions_cross_validation_f64;
double tamis_interactions_first_lambda_f64(const tamis_interactions_problem_f64 *problem, void *arena,
                                          size_t arena_bytes);
size_t tamis_interactions_cross_validation_bytes_f64(const tamis_interactions_problem_f64 *problem,
                                                     const tamis_grid_f64 *grid, const uint32_t *fold_of,
                                                     uint32_t folds);
tamis_status tamis_interactions_cross_validation_start_f64(
    tamis_interactions_cross_validation_f64 *validation, const tamis_interactions_problem_f64 *problem,
    const tamis_grid_f64 *grid, const uint32_t *fold_of, uint32_t folds, void *arena, size_t arena_bytes);
tamis_status tamis_interactions_cross_validation_step_f64(tamis_interactions_cross_validation_f64 *validation,
                                                          uint32_t steps);
void tamis_interactions_cross_validation_stop_f64(tamis_interactions_cross_validation_f64 *validation);
uint32_t tamis_interactions_cross_validation_fold_f64(const tamis_interactions_cross_validation_f64 *validation);
uint32_t tamis_interactions_cross_validation_points_done_f64(
    const tamis_interactions_cross_validation_f64 *validation);
void tamis_interactions_cross_validation_report_f64(const tamis_interactions_cross_validation_f64 *validation,
                                                    tamis_report_f64 *report);
tamis_status tamis_interactions_cross_validation_at_f64(const tamis_interactions_cross_validation_f64 *validation,
                                                        uint32_t point, tamis_held_out_f64 *held_out);
uint32_t tamis_interactions_cross_validation_best_f64(const tamis_interactions_cross_validation_f64 *validation,
                                                      uint32_t measure);
uint32_t tamis_interactions_cross_validation_one_standard_error_f64(
    const tamis_interactions_cross_validation_f64 *validation, uint32_t measure);
uint32_t tamis_interactions_predict_f64(const tamis_interactions_model_f64 *model, const double *sample, size_t stride);
void tamis_interactions_scores_f64(const tamis_interactions_model_f64 *model, const double *sample, size_t stride,
                                   double *scores);
size_t tamis_interactions_export_c_f64(const tamis_interactions_model_f64 *model, const char *name,
                                       const char *const *labels, const double *samples, uint32_t sample_count,
                                       uint32_t *positions, char *out, size_t bytes);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
