#ifndef TAMIS_H
#define TAMIS_H
/*
 * tamis: sparse multiclass classifiers trained in a fixed piece of memory. The C interface, also what the WebAssembly
 * module exports. C99. Every function exists for float (_f32) and double (_f64); both behave alike.
 *
 * Nothing here allocates, prints, reads a clock or keeps hidden state. All memory is the caller's. Functions may be
 * called from several threads on different objects.
 *
 * The problem solved, w_i the sample weights, b the intercepts (never penalised):
 *
 *     minimise  F(W, b) = (1/sum w_i) sum_i w_i loss(W' x_i + b, y_i) + lambda * penalty(W)
 *
 * or, with eta instead of lambda (the objective is then the penalty, infinite before a model satisfies the constraint):
 *
 *     minimise  penalty(W)  subject to  (1/sum w_i) sum_i w_i loss(W' x_i + b, y_i) <= eta
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. Up to TAMIS_RUNNING there is a usable model; the others are refusals that changed nothing. */
typedef enum tamis_status {
  TAMIS_CONVERGED = 0,        /* the certificate is below the tolerance */
  TAMIS_PRECISION_LIMIT,      /* this scalar type can certify no more than relative_gap */
  TAMIS_ITERATION_LIMIT,      /* max_iterations reached; the model is the best so far */
  TAMIS_STOPPED,              /* the observer asked for it; the model is the best so far */
  TAMIS_RUNNING,              /* not ended: step again */
  TAMIS_INFEASIBLE,           /* no point satisfies the constraints */
  TAMIS_ARENA_TOO_SMALL,      /* report.arena_bytes says what would do */
  TAMIS_INVALID_ARENA,        /* null, or not aligned to 16 bytes */
  TAMIS_INVALID_SHAPE,        /* no samples, no features, fewer than two or more than 65536 classes, or a null pointer */
  TAMIS_INVALID_DATA,         /* a value that is not finite, at report.row, report.column; or a damaged blob */
  TAMIS_INVALID_LABEL,        /* a label >= classes, at report.row */
  TAMIS_MISSING_CLASS,        /* class report.column has no sample of positive weight */
  TAMIS_INVALID_WEIGHT,       /* negative or not finite, at report.row */
  TAMIS_INVALID_MARGIN,       /* not finite, not positive (logistic: negative), at report.row; or given twice */
  TAMIS_INVALID_LAMBDA,       /* negative or not finite */
  TAMIS_INVALID_OPTION,       /* tolerance, max_iterations, l1_ratio or epsilon out of range; unknown loss, penalty, solver */
  TAMIS_INVALID_COMBINATION,  /* the solver does not accept the loss or the penalty: tamis_refusal() says why */
  TAMIS_INVALID_GROUPS,       /* listed groups that are empty, overlap or miss a feature: report.column */
  TAMIS_INVALID_ETA           /* not positive and finite, together with lambda, or for a solver without constraint */
} tamis_status;

typedef enum tamis_loss {
  TAMIS_HINGE = 0,        /* max_k (z_k + margin [k != y]) - z_y */
  TAMIS_SQUARED_HINGE,    /* sum over k != y of max(0, margin + z_k - z_y)^2 */
  TAMIS_LOGISTIC,         /* log sum_k exp(z_k + margin [k != y]) - z_y */
  TAMIS_ONE_VS_REST_SQUARED_HINGE  /* max(0, margin - z_y)^2 + sum over k != y of max(0, margin + z_k)^2 */
} tamis_loss;

typedef enum tamis_penalty {
  TAMIS_RIDGE = 0,        /* half the sum of squares */
  TAMIS_L1,               /* sum of absolute values */
  TAMIS_GROUP_L2,         /* sum over groups of the Euclidean norm */
  TAMIS_GROUP_LINF,       /* sum over groups of the largest absolute value */
  TAMIS_ELASTIC_NET,      /* l1_ratio * L1 + (1 - l1_ratio) * RIDGE */
  TAMIS_SPARSE_GROUP,     /* l1_ratio * L1 + (1 - l1_ratio) * GROUP_L2 */
  TAMIS_REWEIGHTED_L1     /* non-convex: five rounds of weighted L1, the weights 1 at first, then 1/(|w| + epsilon).
                             The report is that of the last round, with the iterations of all */
} tamis_penalty;

typedef enum tamis_solver {
  TAMIS_AUTOMATIC = 0,            /* what suits loss, penalty, and lambda */
  TAMIS_PRIMAL_DUAL,              /* hinge */
  TAMIS_FISTA,                    /* the other losses */
  TAMIS_CONSTRAINED_PRIMAL_DUAL = 4, /* hinge, with eta: what TAMIS_AUTOMATIC is then */
  TAMIS_CRAMMER_SINGER_DUAL,      /* hinge and ridge, lambda > 0 */
  TAMIS_TWO_PHASE                 /* hinge, not ridge: primal-dual, then Newton where the arena has room */
} tamis_solver;

/* Alignment of arenas, coefficients and nothing else, in bytes. */
#define TAMIS_ALIGNMENT 16

/* Room for the state of a training run; its contents are private. Lives anywhere, 8-byte aligned, and may not be copied
 * or moved between start and the last use. */
#define TAMIS_TRAINING_WORDS 220

#define TAMIS_DECLARE(REAL, S)                                                                                            \
  /* What to solve. Set every field: start from tamis_default_problem. Pointers must stay valid while training runs. */   \
  typedef struct tamis_problem_##S {                                                                                      \
    REAL lambda;              /* >= 0; 0 with eta */                                                                      \
    REAL tolerance;           /* relative duality gap to certify, > 0; default 1e-4 */                                    \
    REAL margin;              /* of all samples; NaN (default): 1, for TAMIS_LOGISTIC 0; or one per sample in margins */  \
    REAL l1_ratio;            /* elastic net, sparse group: 0 ... 1; default 0.5 */                                       \
    REAL epsilon;             /* reweighted l1: > 0; default 0.1 */                                                       \
    REAL eta;                 /* > 0, and then lambda 0: the bound of the mean loss; default 0: none */                   \
    uint32_t max_iterations;  /* >= 1; default 1000000 */                                                                 \
    uint32_t intercept;       /* 1 (default): one free intercept per class; 0: none */                                    \
    uint32_t loss;            /* tamis_loss */                                                                            \
    uint32_t penalty;         /* tamis_penalty; default TAMIS_L1 */                                                       \
    uint32_t block;           /* groups: 0 (default) a feature's row; B: B consecutive features within a class */         \
    uint32_t solver;          /* tamis_solver */                                                                          \
    uint32_t samples;                                                                                                     \
    uint32_t features;                                                                                                    \
    uint32_t classes;         /* labels are 0 ... classes - 1 */                                                          \
    uint32_t column_stride;   /* dense: entries from one column to the next; 0 (default): samples */                      \
    const REAL *values;       /* dense: feature j of sample i is values[i + j * column_stride]; sparse: the entries */    \
    const uint32_t *rows;     /* sparse: the sample of each entry, ascending in a column; NULL (default): dense */        \
    const uint32_t *starts;   /* sparse: features + 1 positions; column j is starts[j] <= e < starts[j + 1] */            \
    const uint16_t *labels;   /* one per sample */                                                                        \
    const REAL *weights;      /* one per sample; NULL (default): all 1 */                                                 \
    const REAL *margins;      /* one per sample, margin being NaN; NULL (default): margin */                              \
    const uint32_t *group_order;  /* listed groups across all classes, instead of block: a permutation of the */          \
    const uint32_t *group_starts; /* features, group g at group_starts[g] <= e < group_starts[g + 1]; NULL */             \
    uint32_t group_count;     /* (default): see block; both must stay valid while training runs */                        \
  } tamis_problem_##S;                                                                                                    \
                                                                                                                          \
  /* What a run says of the model it would return now. gap and what follows from it are NaN without a dual norm. */       \
  typedef struct tamis_report_##S {                                                                                       \
    REAL objective;                                                                                                       \
    REAL dual_objective;      /* a lower bound of the optimum */                                                          \
    REAL gap;                 /* objective - dual_objective */                                                            \
    REAL relative_gap;        /* gap / max(|objective|, |dual_objective|, 1e-12) */                                       \
    REAL kkt_residual;                                                                                                    \
    REAL lambda_max;          /* all coefficients are zero from here on */                                                \
    REAL epochs;              /* passes over the data */                                                                  \
    uint32_t status;          /* tamis_status */                                                                          \
    uint32_t iterations;                                                                                                  \
    uint32_t nonzeros;        /* coefficients that are not zero */                                                        \
    uint32_t nonzero_rows;    /* features with such a coefficient */                                                      \
    uint32_t row, column;     /* where a refusal found the first fault */                                                 \
    uint32_t arena_bytes;     /* what the run asks for; all ones: more than this machine can address */                   \
    uint32_t arena_used_bytes;                                                                                            \
    REAL constraint_value;    /* with eta: the mean loss; infeasible: the least one seen; otherwise NaN */                \
    REAL constraint_bound;    /* infeasible: a lower bound of the mean loss of all models; otherwise NaN */               \
    REAL multiplier;          /* with eta: the multiplier of the constraint, about 1/lambda; otherwise NaN */             \
  } tamis_report_##S;                                                                                                     \
                                                                                                                          \
  /* A model: (features + 1) rows of stride = classes rounded up to 16 bytes; the last row holds the intercepts. */       \
  typedef struct tamis_model_##S {                                                                                        \
    const REAL *coefficients;                                                                                             \
    uint32_t features;                                                                                                    \
    uint32_t classes;                                                                                                     \
  } tamis_model_##S;                                                                                                      \
                                                                                                                          \
  typedef struct tamis_training_##S {                                                                                     \
    uint64_t words[TAMIS_TRAINING_WORDS];                                                                                 \
  } tamis_training_##S;                                                                                                   \
                                                                                                                          \
  /* Called at each certificate; 0 stops the run with the best model so far. */                                           \
  typedef int (*tamis_observer_##S)(void *context, const tamis_report_##S *report);                                       \
                                                                                                                          \
  /* Fills in the defaults; shape, values, labels and lambda remain to be set. */                                         \
  void tamis_default_problem_##S(tamis_problem_##S *problem);                                                             \
                                                                                                                          \
  /* Exact bytes of arena that training needs: depends on shape, solver, loss and penalty only (and whether there is      \
   * eta, or a tiny lambda, which mean other solvers), and is the same on every target. SIZE_MAX: more than can be        \
   * addressed. 0: solver or combination unknown. */                                                                      \
  size_t tamis_training_bytes_##S(const tamis_problem_##S *problem);                                                      \
                                                                                                                          \
  /* The same with room that makes some solvers faster: for the samples' values that are not zero, `entries` of them      \
   * (TAMIS_CRAMMER_SINGER_DUAL all at once, TAMIS_TWO_PHASE some), and for so many coefficients that are not zero,       \
   * intercepts included, in one linear system (TAMIS_TWO_PHASE: about 2 active_limit^2 numbers). Never fewer bytes. */   \
  size_t tamis_fast_bytes_##S(const tamis_problem_##S *problem, size_t entries, uint32_t active_limit);                   \
                                                                                                                          \
  /* Checks the problem and prepares. arena: tamis_training_bytes bytes, aligned to TAMIS_ALIGNMENT. Returns              \
   * TAMIS_RUNNING, or how it ended already. A refusal writes nothing to the arena. problem may be discarded afterwards,  \
   * what it points to may not. */                                                                                        \
  tamis_status tamis_start_##S(tamis_training_##S *training, const tamis_problem_##S *problem, void *arena,               \
                               size_t arena_bytes);                                                                       \
                                                                                                                          \
  /* Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. */                            \
  tamis_status tamis_step_##S(tamis_training_##S *training, uint32_t steps);                                              \
                                                                                                                          \
  /* Starts and steps to the end. observe may be NULL; context is passed through to it. */                                \
  tamis_status tamis_train_##S(tamis_training_##S *training, const tamis_problem_##S *problem, void *arena,               \
                               size_t arena_bytes, tamis_observer_##S observe, void *context);                            \
                                                                                                                          \
  /* Ends the run with the best model so far. */                                                                          \
  void tamis_stop_##S(tamis_training_##S *training);                                                                      \
                                                                                                                          \
  /* The report of the run, at any time after start. */                                                                   \
  void tamis_report_of_##S(const tamis_training_##S *training, tamis_report_##S *report);                                 \
                                                                                                                          \
  /* The best model so far: a view of the first bytes of the arena, valid until they are overwritten.                     \
   * TAMIS_INVALID_SHAPE, and a model of 0 features, when the run was refused. */                                         \
  tamis_status tamis_model_of_##S(const tamis_training_##S *training, tamis_model_##S *model);                            \
                                                                                                                          \
  /* The class of one sample, the first of those with the largest score. sample: entries `stride` apart (1 for a plain    \
   * array, the column stride for a row of a column-major matrix). No checks: NaN gives some class. */                   \
  uint32_t tamis_predict_##S(const tamis_model_##S *model, const REAL *sample, size_t stride);                            \
                                                                                                                          \
  /* Writes the `classes` scores of one sample. */                                                                        \
  void tamis_scores_##S(const tamis_model_##S *model, const REAL *sample, size_t stride, REAL *scores);                   \
                                                                                                                          \
  /* Bytes of the model as a blob: kept features only, with version and CRC, the same on every target. */                 \
  size_t tamis_blob_bytes_##S(const tamis_model_##S *model);                                                              \
                                                                                                                          \
  /* Writes the blob and returns its length; 0, and nothing written, when `bytes` is less than tamis_blob_bytes. */       \
  size_t tamis_blob_write_##S(const tamis_model_##S *model, void *out, size_t bytes);                                     \
                                                                                                                          \
  /* Bytes of coefficients that tamis_blob_read needs; 0 for a blob that is damaged or of the other scalar type. */       \
  size_t tamis_blob_coefficient_bytes_##S(const void *blob, size_t bytes);                                                \
                                                                                                                          \
  /* Expands a blob into coefficients (aligned to TAMIS_ALIGNMENT) and sets model to them. TAMIS_CONVERGED when done;     \
   * TAMIS_INVALID_DATA or TAMIS_ARENA_TOO_SMALL, everything untouched, otherwise. */                                     \
  tamis_status tamis_blob_read_##S(const void *blob, size_t bytes, void *coefficients, size_t coefficient_bytes,          \
                                   tamis_model_##S *model);                                                               \
                                                                                                                          \
  /* Writes the model as a C99 header into out and returns its length without a terminating zero; more than `bytes`       \
   * means that it was cut: call again with that much. name: a C identifier, the prefix of its symbols. labels: `classes` \
   * names or NULL. samples: sample_count samples, row-major, for the header's self-test; may be NULL with 0. */          \
  size_t tamis_export_c_##S(const tamis_model_##S *model, const char *name, const char *const *labels,                    \
                            const REAL *samples, uint32_t sample_count, char *out, size_t bytes);

TAMIS_DECLARE(float, f32)
TAMIS_DECLARE(double, f64)
#undef TAMIS_DECLARE

/* The name of a status ("converged"), and one sentence on what it means and what to do. Never NULL. */
const char *tamis_status_name(uint32_t status);
const char *tamis_status_sentence(uint32_t status);

/* Why a solver does not accept a loss and a penalty, in one sentence; NULL when it does. */
const char *tamis_refusal(uint32_t solver, uint32_t loss, uint32_t penalty);

/* The version of the library, such as "0.1.0". */
const char *tamis_version(void);

#ifdef __cplusplus
}
#endif
#endif
