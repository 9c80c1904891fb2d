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

#define TAMIS_INTERACTIONS_DECLARE(REAL, S)                                                                              \
  /* What to solve. Set every field: start from tamis_default_interactions_problem. Pointers must stay valid while it    \
   * runs. */                                                                                                            \
  typedef struct tamis_interactions_problem_##S {                                                                        \
    REAL lambda;              /* > 0 */                                                                                  \
    REAL lambda2;             /* of products; >= 0, for TAMIS_HIERARCHY_FULL > 0; NaN (default): lambda / 2, for */      \
                              /* TAMIS_HIERARCHY_FULL lambda; TAMIS_HIERARCHY_MAIN does not read it */                   \
    REAL tolerance;           /* relative duality gap to certify, > 0; default 1e-4 */                                   \
    uint32_t max_iterations;  /* >= 1; default 1000000, on microcontrollers 10000 */                                     \
    uint32_t intercept;       /* 1 (default): one free intercept per score; 0: none */                                   \
    uint32_t loss;            /* tamis_interactions_loss; default TAMIS_INTERACTIONS_LEAST_SQUARES */                    \
    uint32_t hierarchy;       /* tamis_hierarchy; default TAMIS_HIERARCHY_STRONG */                                      \
    uint32_t norm;            /* tamis_hierarchy_norm; default TAMIS_HIERARCHY_L1 */                                     \
    uint32_t samples;                                                                                                    \
    uint32_t features;                                                                                                   \
    uint32_t classes;         /* squared hinge: labels are 0 ... classes - 1; least squares does not read it */          \
    uint32_t column_stride;   /* entries from one column to the next; 0 (default): samples */                            \
    const REAL *values;       /* feature j of sample i is values[i + j * column_stride] */                               \
    const REAL *targets;      /* least squares: one per sample */                                                        \
    const uint16_t *labels;   /* squared hinge: one per sample */                                                        \
    REAL lambda2_ratio;       /* instead of lambda2 (NaN): lambda2 / lambda, also at other lambdas; >= 0, for */         \
                              /* TAMIS_HIERARCHY_FULL > 0; NaN (default): 1/2, for TAMIS_HIERARCHY_FULL 1. Both given, */\
                              /* or for TAMIS_HIERARCHY_MAIN: TAMIS_INVALID_OPTION */                                    \
  } tamis_interactions_problem_##S;                                                                                      \
                                                                                                                         \
  typedef struct tamis_interactions_##S {                                                                                \
    uint64_t words[TAMIS_INTERACTIONS_WORDS];                                                                            \
  } tamis_interactions_##S;                                                                                              \
                                                                                                                         \
  /* coefficient x_first of one score, where second is TAMIS_NO_FEATURE; else coefficient x_first x_second, first <=     \
   * second. */                                                                                                          \
  typedef struct tamis_interactions_term_##S {                                                                           \
    uint32_t output;          /* which score: the class; 0 of a regression */                                            \
    uint32_t first;                                                                                                      \
    uint32_t second;                                                                                                     \
    REAL coefficient;                                                                                                    \
  } tamis_interactions_term_##S;                                                                                         \
                                                                                                                         \
  /* A model: the terms of one output after the other, and an intercept per output. It has nothing of the arena. */      \
  typedef struct tamis_interactions_model_##S {                                                                          \
    const tamis_interactions_term_##S *terms;                                                                            \
    const REAL *intercepts;                                                                                              \
    uint32_t term_count;                                                                                                 \
    uint32_t features;                                                                                                   \
    uint32_t outputs;         /* classes; 1 of a regression */                                                           \
  } tamis_interactions_model_##S;                                                                                        \
                                                                                                                         \
  /* Fills in the defaults; shape, values, targets or labels, and lambda remain to be set. */                            \
  void tamis_default_interactions_problem_##S(tamis_interactions_problem_##S *problem);                                  \
                                                                                                                         \
  /* Exact bytes of arena: depends on shape and loss only, and is the same on every target. SIZE_MAX: more than can be   \
   * addressed. 0: loss unknown. */                                                                                      \
  size_t tamis_interactions_bytes_##S(const tamis_interactions_problem_##S *problem);                                    \
                                                                                                                         \
  /* Checks the problem and prepares. arena: tamis_interactions_bytes bytes, aligned to TAMIS_ALIGNMENT. Returns         \
   * TAMIS_RUNNING, or how it ended already. A refusal writes nothing to the arena. problem may be discarded afterwards, \
   * what it points to may not. A fault in `targets` has the row of the sample and the column `features`. */             \
  tamis_status tamis_interactions_start_##S(tamis_interactions_##S *run, const tamis_interactions_problem_##S *problem,  \
                                            void *arena, size_t arena_bytes);                                            \
                                                                                                                         \
  /* Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. */                           \
  tamis_status tamis_interactions_step_##S(tamis_interactions_##S *run, uint32_t steps);                                 \
                                                                                                                         \
  /* Starts and steps to the end. observe may be NULL; context is passed through to it. */                               \
  tamis_status tamis_interactions_train_##S(tamis_interactions_##S *run, const tamis_interactions_problem_##S *problem,  \
                                            void *arena, size_t arena_bytes, tamis_observer_##S observe, void *context); \
                                                                                                                         \
  /* Goes on with other weights from where the run is, which is most of the way: the next point of a path. Its report    \
   * and terms are gone. lambda2 NaN: the ratio of the problem to lambda. Returns TAMIS_RUNNING, or how it ended already;                 \
   * TAMIS_INVALID_LAMBDA, or the status of a run that was refused, when nothing has changed. */                         \
  tamis_status tamis_interactions_go_on_##S(tamis_interactions_##S *run, REAL lambda, REAL lambda2);                     \
                                                                                                                         \
  /* Ends the run with the best model so far. */                                                                         \
  void tamis_interactions_stop_##S(tamis_interactions_##S *run);                                                         \
                                                                                                                         \
  /* The report of the run, at any time after start. nonzeros counts the entries of v and Theta. */                      \
  void tamis_interactions_report_of_##S(const tamis_interactions_##S *run, tamis_report_##S *report);                    \
                                                                                                                         \
  /* Copies the terms of the best model so far into `terms`, at most `capacity` of them, and one intercept per output    \
   * into `intercepts`, and sets model to both; terms (with 0), intercepts and model may be NULL. Returns how many terms \
   * there are: more than `capacity` means that the last are missing, and model is one of 0 features. So is that of a    \
   * run that was refused, which has 0 terms. */                                                                         \
  size_t tamis_interactions_terms_of_##S(const tamis_interactions_##S *run, tamis_interactions_term_##S *terms,          \
                                         size_t capacity, REAL *intercepts, tamis_interactions_model_##S *model);        \
                                                                                                                         \
  /* ---- which lambda: a path with start at the largest and go_on, and what held-out samples say of its points ------ */\
                                                                                                                         \
  typedef struct tamis_interactions_cross_validation_##S {                                                               \
    uint64_t words[TAMIS_INTERACTIONS_CROSS_VALIDATION_WORDS];                                                           \
  } tamis_interactions_cross_validation_##S;                                                                             \
                                                                                                                         \
  /* Where a path begins: a lambda from which the model of zeros is the answer (of classes with intercepts about that; of\
   * TAMIS_HIERARCHY_RIDGE one beside which coefficients are small), with lambda2 as in the problem: in proportion where \
   * it is NaN. arena: tamis_interactions_bytes bytes, which are overwritten. The problem's lambda is not read. NaN: the \
   * problem is refused; tamis_interactions_start says why. */                                                           \
  REAL tamis_interactions_first_lambda_##S(const tamis_interactions_problem_##S *problem, void *arena,                   \
                                           size_t arena_bytes);                                                          \
                                                                                                                         \
  /* Exact bytes of arena: those of training on the samples outside a fold (the most of them), and their values and      \
   * targets once more. SIZE_MAX and 0 as in tamis_interactions_bytes; 0 also without fold_of. */                        \
  size_t tamis_interactions_cross_validation_bytes_##S(const tamis_interactions_problem_##S *problem,                    \
                                                       const tamis_grid_##S *grid, const uint32_t *fold_of,              \
                                                       uint32_t folds);                                                  \
                                                                                                                         \
  /* Checks everything and begins with the first fold; as tamis_cross_validation_start. The problem's lambda is not read;\
   * its lambda2 NaN: in proportion at each lambda. Lambdas are positive. One fold, and TAMIS_NO_FOLD for the samples that\
   * are never held out, is hold-out validation. Of a regression the error is the mean squared error, and the loss half  \
   * of that. */                                                                                                         \
  tamis_status tamis_interactions_cross_validation_start_##S(                                                            \
      tamis_interactions_cross_validation_##S *validation, const tamis_interactions_problem_##S *problem,                \
      const tamis_grid_##S *grid, const uint32_t *fold_of, uint32_t folds, void *arena, size_t arena_bytes);             \
                                                                                                                         \
  /* As the functions of tamis_cross_validation with the same ends; row and column of a refusal's report are those of all\
   * samples. */                                                                                                         \
  tamis_status tamis_interactions_cross_validation_step_##S(tamis_interactions_cross_validation_##S *validation,         \
                                                            uint32_t steps);                                             \
  void tamis_interactions_cross_validation_stop_##S(tamis_interactions_cross_validation_##S *validation);                \
  uint32_t tamis_interactions_cross_validation_fold_##S(const tamis_interactions_cross_validation_##S *validation);      \
  uint32_t tamis_interactions_cross_validation_points_done_##S(                                                          \
      const tamis_interactions_cross_validation_##S *validation);                                                        \
  void tamis_interactions_cross_validation_report_##S(const tamis_interactions_cross_validation_##S *validation,         \
                                                      tamis_report_##S *report);                                         \
  tamis_status tamis_interactions_cross_validation_at_##S(const tamis_interactions_cross_validation_##S *validation,     \
                                                          uint32_t point, tamis_held_out_##S *held_out);                 \
  uint32_t tamis_interactions_cross_validation_best_##S(const tamis_interactions_cross_validation_##S *validation,       \
                                                        uint32_t measure);                                               \
  uint32_t tamis_interactions_cross_validation_one_standard_error_##S(                                                   \
      const tamis_interactions_cross_validation_##S *validation, uint32_t measure);                                      \
                                                                                                                         \
  /* The class of one sample, the first of those with the largest score. sample: entries `stride` apart. No checks. */   \
  uint32_t tamis_interactions_predict_##S(const tamis_interactions_model_##S *model, const REAL *sample, size_t stride); \
                                                                                                                         \
  /* Writes the scores of one sample, one per class; of a regression the value that it predicts. */                      \
  void tamis_interactions_scores_##S(const tamis_interactions_model_##S *model, const REAL *sample, size_t stride,       \
                                     REAL *scores);                                                                      \
                                                                                                                         \
  /* Writes the model as a C99 header into out and returns its length without a terminating zero; more than `bytes`      \
   * means that it was cut: call again with that much. As tamis_export_c; labels are those of classes. positions:        \
   * scratch of `features` numbers. */                                                                                   \
  size_t tamis_interactions_export_c_##S(const tamis_interactions_model_##S *model, const char *name,                    \
                                         const char *const *labels, const REAL *samples, uint32_t sample_count,          \
                                         uint32_t *positions, char *out, size_t bytes);

TAMIS_INTERACTIONS_DECLARE(float, f32)
TAMIS_INTERACTIONS_DECLARE(double, f64)
#undef TAMIS_INTERACTIONS_DECLARE

#ifdef __cplusplus
}
#endif
#endif
