#ifndef TAMIS_KERNELS_H
#define TAMIS_KERNELS_H
/*
 * Classification by comparison with training samples, by several kernels at once, positive definite or not, that
 * keeps few samples, few kernels, or few of both, and certifies it. Beside tamis.h, whose rules hold here as well;
 * tamis_kernels.cpp is compiled on its own, and programs without it pay nothing.
 *
 * The problem solved, for the scores f_k(x) = b_k + sum_tl alpha_tlk k_t(x_l, x) and the squared hinge:
 *
 *     minimise  (1/n) sum_i loss(f(x_i), y_i) + (lambda/q) ||alpha||^q
 *     r = 1:  ||alpha||^q = sum_l (sum_tk |alpha_tlk|^p)^(q/p), a group is a sample, of all kernels
 *     r = 2:  ||alpha||^q = sum_t (sum_lk |alpha_tlk|^p)^(q/p), a group is a kernel, of all samples
 *
 * p = 2, q = 1 keeps whole groups, p = q = 1 few pairs of both, p = 1, q = 2 few in every group, p = q = 2 all.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* k(x, z). Constant kernels become part of the intercept of a model. */
typedef enum tamis_kernel_kind {
  TAMIS_KERNEL_LINEAR = 0,    /* x'z */
  TAMIS_KERNEL_POLYNOMIAL,    /* (x'z + b)^a, a whole number a from 1 to 64 */
  TAMIS_KERNEL_GAUSSIAN,      /* exp(-||x - z||^2 / (2 a^2)), a > 0 */
  TAMIS_KERNEL_LAPLACIAN,     /* exp(-||x - z||_1 / a), a > 0 */
  TAMIS_KERNEL_SIGMOID,       /* tanh(a x'z + b), indefinite */
  TAMIS_KERNEL_DISTANCE,      /* -||x - z||^2 */
  TAMIS_KERNEL_CHI2,          /* -1/2 sum (x - z)^2 / (x + z) of histograms, which have no negative entries */
  TAMIS_KERNEL_KL,            /* -1/2 sum (x - z) (ln x - ln z) of histograms, entries at least 1e-10: indefinite */
  TAMIS_KERNEL_CONSTANT       /* 1: a bias that is penalised */
} tamis_kernel_kind;

typedef enum tamis_kernels_form {
  TAMIS_KERNELS_AUTOMATIC = 0,  /* binary for two classes */
  TAMIS_KERNELS_BINARY,         /* one score, whose sign decides; loss max(0, 1 - y f)^2, y = -1 and 1 for 0 and 1 */
  TAMIS_KERNELS_MULTICLASS      /* a score per class; loss sum over k != y of max(0, 1 + f_k - f_y)^2 */
} tamis_kernels_form;

/* What is wrong with a problem, and the status that it has. */
typedef enum tamis_kernels_fault {
  TAMIS_KERNELS_NO_FAULT = 0,
  TAMIS_KERNELS_EMPTY,          /* TAMIS_INVALID_SHAPE: no samples, no kernels, or kernels but no features */
  TAMIS_KERNELS_SOURCE,         /* TAMIS_INVALID_SHAPE: both kernels and matrices, or neither */
  TAMIS_KERNELS_NULL,           /* TAMIS_INVALID_SHAPE: no labels, or kernels but no values */
  TAMIS_KERNELS_STRIDE,         /* TAMIS_INVALID_SHAPE: column_stride is less than samples */
  TAMIS_KERNELS_CLASSES,        /* TAMIS_INVALID_SHAPE: below 2 or above 65536, or not 2 in the binary form */
  TAMIS_KERNELS_SIZE,           /* TAMIS_INVALID_SHAPE: more coefficients than 32 bits can count */
  TAMIS_KERNELS_CHOICE,         /* TAMIS_INVALID_OPTION: form is unknown */
  TAMIS_KERNELS_NORM,           /* TAMIS_INVALID_OPTION: p, q or r is neither 1 nor 2 */
  TAMIS_KERNELS_EFFORT,         /* TAMIS_INVALID_OPTION: tolerance or max_iterations out of range */
  TAMIS_KERNELS_LAMBDA,         /* TAMIS_INVALID_LAMBDA */
  TAMIS_KERNELS_PARAMETERS,     /* TAMIS_INVALID_OPTION: kind or parameters of `kernel` */
  TAMIS_KERNELS_LABEL,          /* TAMIS_INVALID_LABEL: label `row` is not below classes */
  TAMIS_KERNELS_MISSING_CLASS,  /* TAMIS_MISSING_CLASS: no sample of class `column` */
  TAMIS_KERNELS_SAMPLE_VALUE,   /* TAMIS_INVALID_DATA: feature `column` of sample `row` is not finite */
  TAMIS_KERNELS_ARENA,          /* TAMIS_INVALID_ARENA */
  TAMIS_KERNELS_ARENA_SIZE,     /* TAMIS_ARENA_TOO_SMALL */
  TAMIS_KERNELS_KERNEL_VALUE,   /* TAMIS_INVALID_DATA: `kernel` of samples `row` and `column` is not finite */
  TAMIS_KERNELS_ZERO_KERNEL,    /* TAMIS_INVALID_DATA: `kernel` is zero for all pairs of samples */
  TAMIS_KERNELS_FOLDS           /* TAMIS_INVALID_SHAPE: no fold_of */
} tamis_kernels_fault;

/* Why a problem was refused. Numbers that do not apply are TAMIS_KERNELS_NOWHERE. */
#define TAMIS_KERNELS_NOWHERE 0xffffffffu
typedef struct tamis_kernels_refusal {
  uint32_t fault;        /* tamis_kernels_fault */
  uint32_t kernel;       /* from 0, of kernels or of matrices */
  uint32_t row, column;
  const char *sentence;  /* what is wrong, and what to do */
} tamis_kernels_refusal;

/* Room for the state of a run; see tamis_training. */
#define TAMIS_KERNELS_WORDS 160
#define TAMIS_KERNELS_CROSS_VALIDATION_WORDS 260

/* k_kernel(x_sample, .), both by their position in a model. */
typedef struct tamis_kernels_term {
  uint32_t kernel;
  uint32_t sample;
} tamis_kernels_term;

/* For float. */

typedef struct tamis_kernel_f32 {
  uint8_t kind;             /**< tamis_kernel_kind */
  float a;                  /**< degree, width or slope; others do not read it */
  float b;                  /**< constant inside the power or the tanh; others do not read it */
} tamis_kernel_f32;

/** What to solve. Set every field: start from tamis_default_kernels_problem. Pointers must stay valid while it
 * runs, kernels aside. */
typedef struct tamis_kernels_problem_f32 {
  float lambda;             /**< > 0 */
  float tolerance;          /**< relative duality gap to certify, > 0; default 1e-4 */
  uint32_t max_iterations;  /**< >= 1; default 1000000, on microcontrollers 10000 */
  uint32_t intercept;       /**< 1: one free intercept per score; 0 (default): none, see TAMIS_KERNEL_CONSTANT */
  uint32_t p, q, r;         /**< the norm: 1 or 2 each */
  uint32_t form;            /**< tamis_kernels_form; default TAMIS_KERNELS_AUTOMATIC */
  uint32_t samples;
  uint32_t features;        /**< of kernels alone */
  uint32_t classes;         /**< labels are 0 ... classes - 1, each is there */
  uint32_t kernel_count;    /**< of kernels, or of matrices */
  uint32_t column_stride;   /**< entries from one column to the next; 0 (default): samples */
  const float *values;      /**< of kernels alone: feature j of sample i is values[i + j * column_stride] */
  const tamis_kernel_f32 *kernels;  /**< NULL (default): matrices */
  const float *matrices;    /**< instead of kernels: k_t(x_l, x_i) of n samples is matrices[(t n + l) n + i]; */
                            /**< symmetric or not */
  const uint16_t *labels;   /**< one per sample */
} tamis_kernels_problem_f32;

typedef struct tamis_kernels_f32 {
  uint64_t words[TAMIS_KERNELS_WORDS];
} tamis_kernels_f32;

/** A model: what is kept of kernels and samples, and the terms by kernel, then by sample. It has nothing of the
 * arena. */
typedef struct tamis_kernels_model_f32 {
  const tamis_kernel_f32 *kernels;
  const float *samples;             /**< feature j of sample s is samples[j + s * features] */
  const tamis_kernels_term *terms;
  const float *coefficients;        /**< term_count rows of outputs */
  const float *intercepts;          /**< outputs */
  const uint32_t *origins;          /**< the numbers of the samples in training, ascending */
  uint32_t kernel_count, sample_count, term_count;
  uint32_t features;
  uint32_t outputs;                 /**< 1 of the binary form, otherwise classes */
} tamis_kernels_model_f32;

/** What training samples alone say of the error on others, of the binary form without intercept; see
 * tamis_kernels_bound_of. An estimate, for comparing kernels, norms and lambdas; above 1 it says nothing. */
typedef struct tamis_kernels_bound_f32 {
  float value;              /**< clipped_loss + 16 complexity + deviation */
  float clipped_loss;       /**< mean over the training samples of min(max(0, 1 - y f)^2, 1) */
  float complexity;         /**< radius times the mean over draws of signs s of ||K s|| / n, the norm dual to p, q, r */
  float standard_error;     /**< of the complexity */
  float deviation;          /**< sqrt(ln(1/delta) / 2n) */
  float radius;             /**< ||alpha|| of the model */
  uint32_t has_proved_rate; /**< 1 where the complexity is proved to fall as sqrt(ln n / n): p = q = 1; p = 2, q = 1, */
} tamis_kernels_bound_f32;  /**< r = 1; p = 1, q = 2, r = 2 */

typedef struct tamis_kernels_cross_validation_f32 {
  uint64_t words[TAMIS_KERNELS_CROSS_VALIDATION_WORDS];
} tamis_kernels_cross_validation_f32;

/** Fills in the defaults; p, q, r, shape, values, kernels or matrices, labels, and lambda remain to be set. */
void tamis_default_kernels_problem_f32(tamis_kernels_problem_f32 *problem);

/** Exact bytes of arena, with those of the matrices of kernels: depends on samples, classes, form, kernel_count
 * and on whether there are kernels or matrices only, and is the same on every target. SIZE_MAX: more than can be
 * addressed. */
size_t tamis_kernels_bytes_f32(const tamis_kernels_problem_f32 *problem);

/** Checks the problem, fills the matrices of kernels, and prepares: about (features/2 + 1) kernel_count n^2 +
 * kernel_count n^3 products for n samples. arena: tamis_kernels_bytes bytes, aligned to TAMIS_ALIGNMENT. Returns
 * TAMIS_RUNNING, or how it ended already. A refusal writes nothing to the arena, but for that of a value of a
 * kernel, or of a kernel that is zero. problem may be discarded afterwards. */
tamis_status tamis_kernels_start_f32(tamis_kernels_f32 *run, const tamis_kernels_problem_f32 *problem, void *arena,
                                     size_t arena_bytes);

/** Advances by up to `steps` iterations. TAMIS_RUNNING: call again. Most take 2 outputs n^2 (kernel_count + 1)
 * flops; once in a while one takes as much as all before it. */
tamis_status tamis_kernels_step_f32(tamis_kernels_f32 *run, uint32_t steps);

/** Starts and steps to the end. observe may be NULL; context is passed through to it. */
tamis_status tamis_kernels_train_f32(tamis_kernels_f32 *run, const tamis_kernels_problem_f32 *problem, void *arena,
                                     size_t arena_bytes, tamis_observer_f32 observe, void *context);

/** Goes on with another lambda from where the run is: the next point of a path. Its report and coefficients are
 * gone. Returns TAMIS_RUNNING, or how it ended already; TAMIS_INVALID_LAMBDA, or the status of a run that was
 * refused, when nothing has changed. */
tamis_status tamis_kernels_go_on_f32(tamis_kernels_f32 *run, float lambda);

/** Ends the run with the best model so far. */
void tamis_kernels_stop_f32(tamis_kernels_f32 *run);

/** The report of the run, at any time after start. nonzero_rows counts pairs of a kernel and a sample; row and
 * column of a refusal are those of tamis_kernels_refusal_of, or 0. */
void tamis_kernels_report_of_f32(const tamis_kernels_f32 *run, tamis_report_f32 *report);

/** Why start has refused; TAMIS_KERNELS_NO_FAULT when it has not. */
void tamis_kernels_refusal_of_f32(const tamis_kernels_f32 *run, tamis_kernels_refusal *refusal);

/** ---- which lambda: a path with start at the largest and go_on, and what held-out samples say of its points ---- */

/** Where a path begins: a lambda from which the model of zeros is the answer (of several classes with intercepts
 * about that); for q = 2, which keeps all, one at which it is within 1 % of that. arena: tamis_kernels_bytes bytes,
 * which are overwritten. The problem's lambda is not read. NaN: it is refused; tamis_kernels_start says why. */
float tamis_kernels_first_lambda_f32(const tamis_kernels_problem_f32 *problem, void *arena, size_t arena_bytes);

/** Exact bytes of arena: the matrices of kernels, and with m training samples outside a fold at most a copy of their
 * rows and columns and what training takes for m. SIZE_MAX as in tamis_kernels_bytes; 0 without fold_of. */
size_t tamis_kernels_cross_validation_bytes_f32(const tamis_kernels_problem_f32 *problem, const tamis_grid_f32 *grid,
                                                const uint32_t *fold_of, uint32_t folds);

/** Checks everything, fills the matrices and begins with the first fold; as tamis_cross_validation_start. The
 * problem's lambda is not read. Lambdas are positive. One fold, and TAMIS_NO_FOLD for the samples that are never
 * held out, is hold-out validation. */
tamis_status tamis_kernels_cross_validation_start_f32(tamis_kernels_cross_validation_f32 *validation,
                                                      const tamis_kernels_problem_f32 *problem,
                                                      const tamis_grid_f32 *grid, const uint32_t *fold_of,
                                                      uint32_t folds, void *arena, size_t arena_bytes);

/** As the functions of tamis_cross_validation, and of tamis_kernels, with the same ends. */
tamis_status tamis_kernels_cross_validation_step_f32(tamis_kernels_cross_validation_f32 *validation, uint32_t steps);
void tamis_kernels_cross_validation_stop_f32(tamis_kernels_cross_validation_f32 *validation);
uint32_t tamis_kernels_cross_validation_fold_f32(const tamis_kernels_cross_validation_f32 *validation);
uint32_t tamis_kernels_cross_validation_points_done_f32(const tamis_kernels_cross_validation_f32 *validation);
void tamis_kernels_cross_validation_report_f32(const tamis_kernels_cross_validation_f32 *validation,
                                               tamis_report_f32 *report);
void tamis_kernels_cross_validation_refusal_f32(const tamis_kernels_cross_validation_f32 *validation,
                                                tamis_kernels_refusal *refusal);
tamis_status tamis_kernels_cross_validation_at_f32(const tamis_kernels_cross_validation_f32 *validation,
                                                   uint32_t point, tamis_held_out_f32 *held_out);
uint32_t tamis_kernels_cross_validation_best_f32(const tamis_kernels_cross_validation_f32 *validation,
                                                 uint32_t measure);
uint32_t tamis_kernels_cross_validation_one_standard_error_f32(const tamis_kernels_cross_validation_f32 *validation,
                                                               uint32_t measure);

/** Bytes that tamis_kernels_bound_of needs; 0 for a run that was refused. */
size_t tamis_kernels_bound_bytes_f32(const tamis_kernels_f32 *run);

/** The bound of the error of the best model so far on other samples that holds with probability 1 - delta, from
 * `draws` draws of signs with a seed. scratch: tamis_kernels_bound_bytes bytes, aligned to TAMIS_ALIGNMENT. Takes
 * draws kernel_count n^2 products. TAMIS_CONVERGED, or, and then bound is zero: TAMIS_INVALID_COMBINATION of the
 * multiclass form and with intercepts, of which nothing is proved; TAMIS_INVALID_OPTION for fewer than two draws or a
 * delta outside of (0, 1); TAMIS_INVALID_ARENA, TAMIS_ARENA_TOO_SMALL; TAMIS_PRECISION_LIMIT where products leave the
 * scalar type; the status of a run that was refused. */
tamis_status tamis_kernels_bound_of_f32(const tamis_kernels_f32 *run, uint32_t draws, uint64_t seed, float delta,
                                        void *scratch, size_t bytes, tamis_kernels_bound_f32 *bound);

/** Copies all coefficients of the best model so far: alpha_tlk is coefficients[(t n + l) outputs + k] of n
 * samples, and one intercept per output; either may be NULL. Returns the number of outputs; 0, and copies
 * nothing, when the run was refused. */
uint32_t tamis_kernels_coefficients_of_f32(const tamis_kernels_f32 *run, float *coefficients, float *intercepts);

/** Bytes that tamis_kernels_model_of needs for the best model so far; 0 when it would refuse. */
size_t tamis_kernels_model_bytes_f32(const tamis_kernels_f32 *run);

/** Copies what the best model so far keeps of kernels and samples into memory, aligned to TAMIS_ALIGNMENT, and
 * sets model to it. Returns the status of the run, or, with a model of 0 features, TAMIS_INVALID_SHAPE when the
 * run was refused, TAMIS_INVALID_COMBINATION when matrices were given, which have nothing to compare other
 * samples with, TAMIS_ARENA_TOO_SMALL and TAMIS_INVALID_ARENA for the memory. */
tamis_status tamis_kernels_model_of_f32(const tamis_kernels_f32 *run, void *memory, size_t bytes,
                                        tamis_kernels_model_f32 *model);

/** Writes the scores of one sample, one per output. sample: entries `stride` apart. No checks: NaN where a kernel
 * has no value. Costs term_count (features + outputs) products. */
void tamis_kernels_scores_f32(const tamis_kernels_model_f32 *model, const float *sample, size_t stride, float *scores);

/** The same, and returns the class: of the binary form 1 for a positive score, otherwise the first of those with
 * the largest. */
uint32_t tamis_kernels_predict_f32(const tamis_kernels_model_f32 *model, const float *sample, size_t stride,
                                   float *scores);

/** Writes the model as a C99 header into out and returns its length without a terminating zero; more than `bytes`
 * means that it was cut: call again with that much. As tamis_export_c; the header includes <math.h>. scratch:
 * features + outputs numbers. */
size_t tamis_kernels_export_c_f32(const tamis_kernels_model_f32 *model, const char *name, const char *const *labels,
                                  const float *samples, uint32_t sample_count, float *scratch, char *out, size_t bytes);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_kernel_f64 {
  uint8_t kind;
  double a;
  double b;
} tamis_kernel_f64;
typedef struct tamis_kernels_problem_f64 {
  double lambda;
  double tolerance;
  uint32_t max_iterations;
  uint32_t intercept;
  uint32_t p, q, r;
  uint32_t form;
  uint32_t samples;
  uint32_t features;
  uint32_t classes;
  uint32_t kernel_count;
  uint32_t column_stride;
  const double *values;
  const tamis_kernel_f64 *kernels;
  const double *matrices;
  const uint16_t *labels;
} tamis_kernels_problem_f64;
typedef struct tamis_kernels_f64 {
  uint64_t words[TAMIS_KERNELS_WORDS];
} tamis_kernels_f64;
typedef struct tamis_kernels_model_f64 {
  const tamis_kernel_f64 *kernels;
  const double *samples;
  const tamis_kernels_term *terms;
  const double *coefficients;
  const double *intercepts;
  const uint32_t *origins;
  uint32_t kernel_count, sample_count, term_count;
  uint32_t features;
  uint32_t outputs;
} tamis_kernels_model_f64;
typedef struct tamis_kernels_bound_f64 {
  double value;
  double clipped_loss;
  double complexity;
  double standard_error;
  double deviation;
  double radius;
  uint32_t has_proved_rate;
} tamis_kernels_bound_f64;
typedef struct tamis_kernels_cross_validation_f64 {
  uint64_t words[TAMIS_KERNELS_CROSS_VALIDATION_WORDS];
} tamis_kernels_cross_validation_f64;
void tamis_default_kernels_problem_f64(tamis_kernels_problem_f64 *problem);
size_t tamis_kernels_bytes_f64(const tamis_kernels_problem_f64 *problem);
tamis_status tamis_kernels_start_f64(tamis_kernels_f64 *run, const tamis_kernels_problem_f64 *problem, void *arena,
                                     size_t arena_bytes);
tamis_status tamis_kernels_step_f64(tamis_kernels_f64 *run, uint32_t steps);
tamis_status tamis_kernels_train_f64(tamis_kernels_f64 *run, const tamis_kernels_problem_f64 *problem, void *arena,
                                     size_t arena_bytes, tamis_observer_f64 observe, void *context);
tamis_status tamis_kernels_go_on_f64(tamis_kernels_f64 *run, double lambda);
void tamis_kernels_stop_f64(tamis_kernels_f64 *run);
void tamis_kernels_report_of_f64(const tamis_kernels_f64 *run, tamis_report_f64 *report);
void tamis_kernels_refusal_of_f64(const tamis_kernels_f64 *run, tamis_kernels_refusal *refusal);
double tamis_kernels_first_lambda_f64(const tamis_kernels_problem_f64 *problem, void *arena, size_t arena_bytes);
size_t tamis_kernels_cross_validation_bytes_f64(const tamis_kernels_problem_f64 *problem, const tamis_grid_f64 *grid,
                                                const uint32_t *fold_of, uint32_t folds);
tamis_status tamis_kernels_cross_validation_start_f64(tamis_kernels_cross_validation_f64 *validation,
                                                      const tamis_kernels_problem_f64 *problem,
                                                      const tamis_grid_f64 *grid, const uint32_t *fold_of,
                                                      uint32_t folds, void *arena, size_t arena_bytes);
tamis_status tamis_kernels_cross_validation_step_f64(tamis_kernels_cross_validation_f64 *validation, uint32_t steps);
void tamis_kernels_cross_validation_stop_f64(tamis_kernels_cross_validation_f64 *validation);
uint32_t tamis_kernels_cross_validation_fold_f64(const tamis_kernels_cross_validation_f64 *validation);
uint32_t tamis_kernels_cross_validation_points_done_f64(const tamis_kernels_cross_validation_f64 *validation);
void tamis_kernels_cross_validation_report_f64(const tamis_kernels_cross_validation_f64 *validation,
                                               tamis_report_f64 *report);
void tamis_kernels_cross_validation_refusal_f64(const tamis_kernels_cross_validation_f64 *validation,
                                                tamis_kernels_refusal *refusal);
tamis_status tamis_kernels_cross_validation_at_f64(const tamis_kernels_cross_validation_f64 *validation,
                                                   uint32_t point, tamis_held_out_f64 *held_out);
uint32_t tamis_kernels_cross_validation_best_f64(const tamis_kernels_cross_validation_f64 *validation,
                                                 uint32_t measure);
uint32_t tamis_kernels_cross_validation_one_standard_error_f64(const tamis_kernels_cross_validation_f64 *validation,
                                                               uint32_t measure);
size_t tamis_kernels_bound_bytes_f64(const tamis_kernels_f64 *run);
tamis_status tamis_kernels_bound_of_f64(const tamis_kernels_f64 *run, uint32_t draws, uint64_t seed, double delta,
                                        void *scratch, size_t bytes, tamis_kernels_bound_f64 *bound);
uint32_t tamis_kernels_coefficients_of_f64(const tamis_kernels_f64 *run, double *coefficients, double *intercepts);
size_t tamis_kernels_model_bytes_f64(const tamis_kernels_f64 *run);
tamis_status tamis_kernels_model_of_f64(const tamis_kernels_f64 *run, void *memory, size_t bytes,
                                        tamis_kernels_model_f64 *model);
void tamis_kernels_scores_f64(const tamis_kernels_model_f64 *model, const double *sample, size_t stride, double *scores);
uint32_t tamis_kernels_predict_f64(const tamis_kernels_model_f64 *model, const double *sample, size_t stride,
                                   double *scores);
size_t tamis_kernels_export_c_f64(const tamis_kernels_model_f64 *model, const char *name, const char *const *labels,
                                  const double *samples, uint32_t sample_count, double *scratch, char *out, size_t bytes);
/* end of catalogue */

#ifdef __cplusplus
}
#endif
#endif
