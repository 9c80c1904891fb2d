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

/* How a call ended. Up to TAMIS_RUNNING there is a usable model; the others are refusals that changed nothing,
 * but for the last three. */
typedef enum tamis_status {
  TAMIS_CONVERGED = 0,   /* the certificate is below the tolerance */
  TAMIS_PRECISION_LIMIT, /* this scalar type can certify no more than relative_gap */
  TAMIS_ITERATION_LIMIT, /* max_iterations reached; the model is the best so far */
  TAMIS_STOPPED,         /* the observer asked for it; the model is the best so far */
  TAMIS_RUNNING,         /* not ended: step again */
  TAMIS_INFEASIBLE,      /* no point satisfies the constraints */
  TAMIS_ARENA_TOO_SMALL, /* report.arena_bytes says what would do */
  TAMIS_INVALID_ARENA,   /* null, or not aligned to 16 bytes */
  TAMIS_INVALID_SHAPE,   /* no samples, no features, fewer than two or more than 65536 classes, or a null pointer */
  TAMIS_INVALID_DATA,    /* a value that is not finite, at report.row, report.column; of sparse samples also a row
                            out of range or order, or a column that ends before it starts; or a damaged blob */
  TAMIS_INVALID_LABEL,   /* a label >= classes, at report.row */
  TAMIS_MISSING_CLASS,   /* class report.column has no sample of positive weight */
  TAMIS_INVALID_WEIGHT,  /* negative, not finite, or too small beside the others, at report.row */
  TAMIS_INVALID_MARGIN,  /* not finite, not positive (logistic: negative), at report.row; or given twice */
  TAMIS_INVALID_LAMBDA,  /* negative or not finite */
  TAMIS_INVALID_OPTION,  /* tolerance, max_iterations, l1_ratio or epsilon out of range; unknown loss, penalty, solver;
                            an option that the solver or this build does not have: tamis_problem_refusal() says why */
  TAMIS_INVALID_COMBINATION, /* the solver does not accept loss, penalty or groups: tamis_problem_refusal() says why */
  TAMIS_INVALID_GROUPS,      /* listed groups that are empty, overlap or miss a feature: report.column */
  TAMIS_INVALID_ETA,         /* not positive and finite, together with lambda, or for a solver without constraint */
  TAMIS_SOURCE_FAILED,       /* tamis_device.h: the source of the samples failed at report.row; also in the middle of */
  TAMIS_SHORT_ROW,           /* a run, whose best model so far stays. Or gave a row of too few or too many values */
  TAMIS_INVALID_SCALE        /* samples so large or so small that their squares do not fit this scalar type: rescale */
} tamis_status;

/* What is marked (TAMIS_ALL_SOLVERS), here and below, is in a library built with that macro alone. Sets of classes from
 * scores of TAMIS_RANKING_SQUARED_HINGE: tamis_sets.h. */
/* catalogue: losses */
typedef enum tamis_loss {
  TAMIS_HINGE = 0,                      /* max_k (z_k + margin [k != y]) - z_y */
  TAMIS_SQUARED_HINGE = 1,              /* sum over k != y of max(0, margin + z_k - z_y)^2 */
  TAMIS_LOGISTIC = 2,                   /* log sum_k exp(z_k + margin [k != y]) - z_y */
  TAMIS_ONE_VS_REST_SQUARED_HINGE = 3,  /* max(0, margin - z_y)^2 + sum over k != y of max(0, margin + z_k)^2 */
  /* sum over r in Y, k not in Y of max(0, margin + z_k - z_r)^2, Y the set of classes of a sample, maybe empty:
     ranks them above the others (TAMIS_ALL_SOLVERS) */
  TAMIS_RANKING_SQUARED_HINGE = 4
} tamis_loss;
/* end of catalogue */

/* catalogue: penalties */
typedef enum tamis_penalty {
  TAMIS_RIDGE = 0,         /* half the sum of squares */
  TAMIS_L1 = 1,            /* sum of absolute values */
  TAMIS_GROUP_L2 = 2,      /* sum over groups of the Euclidean norm */
  TAMIS_GROUP_LINF = 3,    /* sum over groups of the largest absolute value */
  TAMIS_ELASTIC_NET = 4,   /* l1_ratio * l1 + (1 - l1_ratio) * ridge */
  TAMIS_SPARSE_GROUP = 5,  /* l1_ratio * l1 + (1 - l1_ratio) * group-l2 */
  /* not convex: five rounds of weighted l1, the weights 1 at first, then 1/(|w| + epsilon). The report is that of
     the last round, with the iterations of all */
  TAMIS_REWEIGHTED_L1 = 6
} tamis_penalty;
/* end of catalogue */

/* catalogue: solvers */
typedef enum tamis_solver {
  TAMIS_AUTOMATIC = 0,  /* what suits loss, penalty, lambda and sizes */
  /* hinge and squared-hinge: restarted, reflected primal-dual iterations on a working set of features */
  TAMIS_PRIMAL_DUAL = 1,
  /* all losses but hinge: accelerated proximal gradient with line search and restarts on a working set of features */
  TAMIS_FISTA = 2,
  /* hinge and squared-hinge: Algorithm 1 of Chierchia et al. (2015), unchanged (TAMIS_ALL_SOLVERS) */
  TAMIS_PRIMAL_DUAL_AS_PRINTED = 3,
  /* hinge, with eta: primal-dual iterations with projections onto the level set of the mean loss */
  TAMIS_CONSTRAINED_PRIMAL_DUAL = 4,
  /* hinge with ridge or group-l2 or elastic-net: ascent on the dual, one sample at a time; lambda > 0; norms of rows
     or of listed groups are ridge whose weights are renewed (the default with ridge, unless n lambda is below 1/1000
     or below 1/1000, in float 3/1000, of the mean square distance of samples from their mean; with elastic-net
     unless n lambda (1 - l1_ratio) is below 1/10 of that over the classes; with group-l2 for at least 8 classes and
     samples times classes 60 times the features, unless n lambda is small beside the root of that) */
  TAMIS_CRAMMER_SINGER_DUAL = 5,
  /* hinge and squared-hinge: primal-dual iterations, then a proximal point method whose subproblems semismooth
     Newton solves on the samples that matter, if the arena has room for its linear systems; hinge and l1 in double
     by the simplex method along paths, and where steps stand still */
  TAMIS_TWO_PHASE = 6,
  /* hinge, with eta: Algorithm 2 of Chierchia et al. (2015), unchanged: epigraphical splitting (TAMIS_ALL_SOLVERS) */
  TAMIS_CONSTRAINED_PRIMAL_DUAL_AS_PRINTED = 7,
  /* hinge, with eta: the reformulation with linear constraints that Chierchia et al. (2015) compare with
     (TAMIS_ALL_SOLVERS) */
  TAMIS_LINEAR_CONSTRAINTS_PRIMAL_DUAL_AS_PRINTED = 8,
  /* all losses but hinge: FISTA with the constant step that Blondel et al. (2013) print, 4 to 100 times shorter than
     that of fista-constant-step (TAMIS_ALL_SOLVERS) */
  TAMIS_FISTA_CONSTANT_STEP_AS_PRINTED = 9,
  /* all losses but hinge: proximal gradient steps of constant length, the longest that a power iteration finds: what
     Chierchia et al. (2015) timed for the logistic loss (TAMIS_ALL_SOLVERS) */
  TAMIS_FORWARD_BACKWARD = 10,
  /* all losses but hinge and ranking-squared-hinge: descent over features, which keeps the scores up to date, then
     Newton's method with conjugate gradients on the features that are not zero, if the arena has room for it */
  TAMIS_BLOCK_COORDINATE_DESCENT = 11,
  /* all losses, not reweighted-l1: stochastic proximal gradient (Duchi and Singer 2009), one sample a step, steps
     eta_0/sqrt(t) (TAMIS_ALL_SOLVERS) */
  TAMIS_FOBOS_AS_PRINTED = 12,
  /* all losses, not reweighted-l1: dual averaging (Xiao 2010), one sample a step, sparse models, steps that adapt to
     each feature (TAMIS_ALL_SOLVERS) */
  TAMIS_ADAPTIVE_DUAL_AVERAGING = 13,
  /* all losses but hinge and ranking-squared-hinge: block coordinate descent over features in turn with a line
     search, as Blondel et al. (2013) print it; groups are rows (TAMIS_ALL_SOLVERS) */
  TAMIS_BCD_LINE_SEARCH_AS_PRINTED = 14,
  /* all losses but hinge and ranking-squared-hinge: the same at random with constant steps (TAMIS_ALL_SOLVERS) */
  TAMIS_BCD_CONSTANT_STEP_AS_PRINTED = 15,
  /* all losses but hinge: FISTA with backtracking, which Blondel et al. (2013) time against theirs
     (TAMIS_ALL_SOLVERS) */
  TAMIS_FISTA_LINE_SEARCH_AS_PRINTED = 16,
  /* all losses but hinge: Barzilai-Borwein steps, which Blondel et al. (2013) time against theirs
     (TAMIS_ALL_SOLVERS) */
  TAMIS_SPARSA_AS_PRINTED = 17,
  /* all losses but hinge: forward-backward with momentum: what Chierchia et al. (2015) timed for the squared hinge
     (TAMIS_ALL_SOLVERS) */
  TAMIS_FISTA_CONSTANT_STEP = 18,
  /* logistic with l1 or elastic-net: solves for a decreasing sequence of lambda, each by Newton's method on single
     coefficients */
  TAMIS_PROXIMAL_NEWTON = 19
} tamis_solver;
/* end of catalogue */

/* What ends a run beside the iteration limit. Rules other than the gap are those of published baselines, of a library
 * built with TAMIS_ALL_SOLVERS: they compute no certificate on the way, only one at the end, and the status is
 * TAMIS_CONVERGED if that is below the tolerance, else TAMIS_STOPPED. */
/* catalogue: stopping rules */
typedef enum tamis_stopping {
  TAMIS_STOPPING_GAP = 0,           /* the certificate */
  TAMIS_STOPPING_ITERATES = 1,      /* |x - x_before| / |x| of consecutive iterates, below the threshold */
  /* sum of the optimality violations of an outer pass over that of the first; block coordinate descent as printed */
  TAMIS_STOPPING_VIOLATION_SUM = 2,
  TAMIS_STOPPING_VIOLATION_MAX = 3  /* the same of the largest violation */
} tamis_stopping;
/* end of catalogue */

/* Alignment of arenas, coefficients and nothing else, in bytes. */
#define TAMIS_ALIGNMENT 16

/* Room for the state of a training run; its contents are private. Lives anywhere, 8-byte aligned, and may not be copied
 * or moved between start and the last use. */
#define TAMIS_TRAINING_WORDS 220

/* The same for a path, and for a cross-validation. */
#define TAMIS_PATH_WORDS 270
#define TAMIS_CROSS_VALIDATION_WORDS 308

/* The fold of a sample that is never held out. */
#define TAMIS_NO_FOLD 0xffffffffu

/* Which held-out measure chooses lambda. */
typedef enum tamis_measure {
  TAMIS_ERROR = 0,        /* share of wrong predictions */
  TAMIS_LOSS              /* mean loss */
} tamis_measure;

/* For float. */

/** What to solve. Set every field: start from tamis_default_problem. Pointers must stay valid while training runs. */
typedef struct tamis_problem_f32 {
  float lambda;             /**< >= 0; 0 with eta */
  float tolerance;          /**< relative duality gap to certify, > 0; default 1e-4 */
  float margin;             /**< of all samples; NaN (default): 1, for TAMIS_LOGISTIC 0; or one per sample in margins */
  float l1_ratio;           /**< elastic net, sparse group: 0 ... 1; default 0.5 */
  float epsilon;            /**< reweighted l1: > 0; default 0.1 */
  float eta;                /**< > 0, and then lambda 0: the bound of the mean loss; default 0: none */
  uint32_t max_iterations;  /**< >= 1; default 1000000, on microcontrollers 10000 */
  uint32_t intercept;       /**< 1 (default): one free intercept per class; 0: none */
  uint32_t loss;            /**< tamis_loss */
  uint32_t penalty;         /**< tamis_penalty; default TAMIS_L1 */
  uint32_t block;           /**< groups: 0 (default) a feature's row; B: B consecutive features within a class */
  uint32_t solver;          /**< tamis_solver */
  uint32_t samples;
  uint32_t features;
  uint32_t classes;         /**< labels are 0 ... classes - 1 */
  uint32_t column_stride;   /**< dense: entries from one column to the next; 0 (default): samples */
  const float *values;      /**< dense: feature j of sample i is values[i + j * column_stride]; sparse: the entries */
  const uint32_t *rows;     /**< sparse: the sample of each entry, ascending in a column; NULL (default): dense */
  const uint32_t *starts;   /**< sparse: features + 1 positions; column j is starts[j] <= e < starts[j + 1] */
  const uint16_t *labels;   /**< one per sample */
  const float *weights;     /**< one per sample; NULL (default): all 1 */
  const float *margins;     /**< one per sample, margin being NaN; NULL (default): margin */
  const uint32_t *group_order;  /**< listed groups across all classes, instead of block: a permutation of the */
  const uint32_t *group_starts; /**< features, group g at group_starts[g] <= e < group_starts[g + 1]; NULL */
  uint32_t group_count;     /**< (default): see block; both must stay valid while training runs */
  const uint32_t *set_starts;   /**< TAMIS_RANKING_SQUARED_HINGE: the distinct sets of classes, of which labels are */
  const uint16_t *set_members;  /**< the numbers: set y holds set_members[e], ascending, set_starts[y] <= e < */
  uint32_t set_count;           /**< set_starts[y + 1]; at most 65536 of them. NULL and 0 (default) for the other losses */
  uint32_t stopping;        /**< tamis_stopping */
  uint32_t shrinking;       /**< 1: the two block coordinate descents as printed leave out rows that are likely to stay */
                            /**< zero, for a while; default 0 */
  uint64_t seed;            /**< of what the solver draws: baselines that learn one sample after the other, and block */
                            /**< coordinate descent with constant steps; default 0 */
  float learning_rate;      /**< of the former: the first step length, > 0; 0 (default): tried on samples held out */
  float stopping_threshold; /**< of a tamis_stopping but the gap: > 0; default 0 */
} tamis_problem_f32;

/** What a run says of the model it would return now. gap and what follows from it are NaN without a dual norm. */
typedef struct tamis_report_f32 {
  float objective;
  float dual_objective;     /**< a lower bound of the optimum */
  float gap;                /**< objective - dual_objective */
  float relative_gap;       /**< gap / max(|objective|, |dual_objective|, 1e-12) */
  float kkt_residual;
  float lambda_max;         /**< all coefficients are zero from here on; NaN: not yet known */
  float epochs;             /**< passes over the data */
  uint32_t status;          /**< tamis_status */
  uint32_t iterations;
  uint32_t nonzeros;        /**< coefficients that are not zero */
  uint32_t nonzero_rows;    /**< features with such a coefficient */
  uint32_t row, column;     /**< where a refusal found the first fault */
  uint32_t arena_bytes;     /**< what the run asks for; all ones: more than this machine can address */
  uint32_t arena_used_bytes;
  float constraint_value;   /**< with eta: the mean loss; infeasible: the least one seen; otherwise NaN */
  float constraint_bound;   /**< infeasible: a lower bound of the mean loss of all models; otherwise NaN */
  float multiplier;         /**< with eta: the multiplier of the constraint, about 1/lambda; otherwise NaN */
} tamis_report_f32;

/** A model: (features + 1) rows of stride = classes rounded up to 16 bytes; the last row holds the intercepts. */
typedef struct tamis_model_f32 {
  const float *coefficients;
  uint32_t features;
  uint32_t classes;
} tamis_model_f32;

/** The lambdas of a path, from the largest to the smallest. Set every field: start from tamis_default_grid. */
typedef struct tamis_grid_f32 {
  float first;              /**< without lambdas: the largest; NaN (default): lambda_max of the problem, which a */
                            /**< penalty without zeros (ridge) does not have: see tamis_mean_square_norm */
  float ratio;              /**< without lambdas: of the last to the first, equally spaced in logarithm; > 0, at most */
                            /**< 1; default 0.01 */
  uint32_t points;          /**< how many lambdas, >= 1; default 100 */
  uint32_t max_features;    /**< the path ends before a point that keeps more features; default all ones: no limit */
  const float *lambdas;     /**< as given, `points` of them, descending, >= 0; NULL (default): from first and ratio. */
} tamis_grid_f32;           /**< Must stay valid while the path runs */

typedef struct tamis_path_f32 {
  uint64_t words[TAMIS_PATH_WORDS];
} tamis_path_f32;

typedef struct tamis_cross_validation_f32 {
  uint64_t words[TAMIS_CROSS_VALIDATION_WORDS];
} tamis_cross_validation_f32;

/** What the held-out samples say of one lambda: means over the folds by the weight of their samples, and the standard
 * errors of these means. */
typedef struct tamis_held_out_f32 {
  float lambda;
  float error;              /**< share of wrong predictions */
  float error_deviation;
  float loss;               /**< mean loss */
  float loss_deviation;
} tamis_held_out_f32;

typedef struct tamis_training_f32 {
  uint64_t words[TAMIS_TRAINING_WORDS];
} tamis_training_f32;

/** Called at each certificate; 0 stops the run with the best model so far. */
typedef int (*tamis_observer_f32)(void *context, const tamis_report_f32 *report);

/** Fills in the defaults; shape, values, labels and lambda remain to be set. */
void tamis_default_problem_f32(tamis_problem_f32 *problem);

/** Exact bytes of arena that training needs: depends on shape, solver, loss and penalty only (and whether there is
 * eta, or a tiny lambda, which mean other solvers), and is the same on every target. SIZE_MAX: more than can be
 * addressed. 0: solver or combination unknown. */
size_t tamis_training_bytes_f32(const tamis_problem_f32 *problem);

/** The same with room that makes some solvers faster: for the samples' values that are not zero, `entries` of them
 * (TAMIS_CRAMMER_SINGER_DUAL and TAMIS_BLOCK_COORDINATE_DESCENT all at once, TAMIS_TWO_PHASE some), and for so many
 * coefficients that are not zero, intercepts included, in one linear system (TAMIS_TWO_PHASE: about 2 active_limit^2
 * numbers; TAMIS_BLOCK_COORDINATE_DESCENT: features, active_limit^2). Never fewer bytes. Where the samples decide
 * between two solvers, as with hinge and ridge, as many as the larger takes; in an arena without room for the one that
 * they ask for it is the other. */
size_t tamis_fast_bytes_f32(const tamis_problem_f32 *problem, size_t entries, uint32_t active_limit);

/** Checks the problem and prepares. arena: tamis_training_bytes bytes, aligned to TAMIS_ALIGNMENT. Returns
 * TAMIS_RUNNING, or how it ended already. A refusal writes nothing to the arena. problem may be discarded afterwards,
 * what it points to may not. */
tamis_status tamis_start_f32(tamis_training_f32 *training, const tamis_problem_f32 *problem, void *arena,
                             size_t arena_bytes);

/** Why a problem asks for what its solver or this build does not have (a loss, label sets, stopping, seed, learning
 * rate), in one sentence; NULL when it does not. */
const char *tamis_problem_refusal_f32(const tamis_problem_f32 *problem);

/** Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. */
tamis_status tamis_step_f32(tamis_training_f32 *training, uint32_t steps);

/** Starts and steps to the end. observe may be NULL; context is passed through to it. */
tamis_status tamis_train_f32(tamis_training_f32 *training, const tamis_problem_f32 *problem, void *arena,
                             size_t arena_bytes, tamis_observer_f32 observe, void *context);

/** Ends the run with the best model so far. */
void tamis_stop_f32(tamis_training_f32 *training);

/** The report of the run, at any time after start. */
void tamis_report_of_f32(const tamis_training_f32 *training, tamis_report_f32 *report);

/** The best model so far: a view of the first bytes of the arena, valid until they are overwritten.
 * TAMIS_INVALID_SHAPE, and a model of 0 features, when the run was refused. */
tamis_status tamis_model_of_f32(const tamis_training_f32 *training, tamis_model_f32 *model);

/** The class of one sample, the first of those with the largest score. sample: entries `stride` apart (1 for a plain
 * array, the column stride for a row of a column-major matrix). No checks: NaN gives some class. A model of 0 features,
 * which is that of a refused run, has none: 65535. */
uint32_t tamis_predict_f32(const tamis_model_f32 *model, const float *sample, size_t stride);

/** Writes the `classes` scores of one sample. */
void tamis_scores_f32(const tamis_model_f32 *model, const float *sample, size_t stride, float *scores);

/** Bytes of the model as a blob: kept features only, with version and CRC, the same on every target. */
size_t tamis_blob_bytes_f32(const tamis_model_f32 *model);

/** Writes the blob and returns its length; 0, and nothing written, when `bytes` is less than tamis_blob_bytes. */
size_t tamis_blob_write_f32(const tamis_model_f32 *model, void *out, size_t bytes);

/** Bytes of coefficients that tamis_blob_read needs; 0 for a blob that is damaged or of the other scalar type. */
size_t tamis_blob_coefficient_bytes_f32(const void *blob, size_t bytes);

/** What keeps a blob from being read, in one sentence (cut off, no blob, another version, damaged, the other scalar
 * type); NULL: nothing. */
const char *tamis_blob_fault_f32(const void *blob, size_t bytes);

/** Expands a blob into coefficients (aligned to TAMIS_ALIGNMENT) and sets model to them. TAMIS_CONVERGED when done;
 * TAMIS_INVALID_DATA or TAMIS_ARENA_TOO_SMALL, everything untouched, otherwise. */
tamis_status tamis_blob_read_f32(const void *blob, size_t bytes, void *coefficients, size_t coefficient_bytes,
                                 tamis_model_f32 *model);

/** Writes the model as a C99 header into out and returns its length without a terminating zero; more than `bytes`
 * means that it was cut: call again with that much. name: a C identifier, the prefix of its symbols. labels: `classes`
 * names or NULL. samples: sample_count samples, row-major, for the header's self-test; may be NULL with 0. */
size_t tamis_export_c_f32(const tamis_model_f32 *model, const char *name, const char *const *labels,
                          const float *samples, uint32_t sample_count, char *out, size_t bytes);

/** ---- paths: a problem for every lambda of a grid, from where one ended for the next if that pays. lambda of it is
 * not read. With eta, TAMIS_INVALID_ETA; for TAMIS_CONSTRAINED_PRIMAL_DUAL, TAMIS_INVALID_COMBINATION. ---- */

/** Fills in the defaults: 100 lambdas from lambda_max to a hundredth of it. */
void tamis_default_grid_f32(tamis_grid_f32 *grid);

/** Mean of the squared norms of the samples, about their mean when there are intercepts: a first lambda for ridge. NaN
 * without values. scratch: one number per sample. Values are not checked. */
float tamis_mean_square_norm_f32(const tamis_problem_f32 *problem, float *scratch);

/** Exact bytes of arena that a path needs: those of training, and a coefficient matrix. SIZE_MAX and 0 as in
 * tamis_training_bytes; 0 also for a problem that has no path. */
size_t tamis_path_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid);

/** The same with room that makes some solvers faster: see tamis_fast_bytes. */
size_t tamis_path_fast_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid, size_t entries,
                                 uint32_t active_limit);

/** Checks problem and grid and begins with the first lambda. arena: tamis_path_bytes bytes, aligned to TAMIS_ALIGNMENT.
 * Returns TAMIS_RUNNING, or how the path ended already; a grid that does not descend, or has no first lambda, is
 * TAMIS_INVALID_LAMBDA. problem and grid may be discarded afterwards, what they point to may not. */
tamis_status tamis_path_start_f32(tamis_path_f32 *path, const tamis_problem_f32 *problem, const tamis_grid_f32 *grid,
                                  void *arena, size_t arena_bytes);

/** Advances by up to `steps` iterations, each of bounded work, but not beyond a point. TAMIS_RUNNING: call again.
 * TAMIS_CONVERGED: the whole path, or up to max_features, whatever the statuses of its points. So a path is
 *   status = start(...);
 *   for (;;) { if (at_point) use(lambda, report, model); if (status != TAMIS_RUNNING) break; status = step(...); }
 */
tamis_status tamis_path_step_f32(tamis_path_f32 *path, uint32_t steps);

/** Ends the path with the points so far. */
void tamis_path_stop_f32(tamis_path_f32 *path);

/** 1 where lambda, report and model are those of a point of the path, until the next step; else 0. */
int tamis_path_at_point_f32(const tamis_path_f32 *path);

/** The lambda at hand; infinite until the first one is found, NaN after a refusal that came before. */
float tamis_path_lambda_f32(const tamis_path_f32 *path);

/** Points so far. */
uint32_t tamis_path_points_f32(const tamis_path_f32 *path);

/** The report of the lambda at hand, with iterations and epochs of this lambda only; arena_bytes is what the path asks
 * for. status is that of the point at one, otherwise that of the path. */
void tamis_path_report_f32(const tamis_path_f32 *path, tamis_report_f32 *report);

/** The model of the point, or the best so far for the lambda at hand: a view into the arena, valid until the next step.
 * TAMIS_INVALID_SHAPE, and a model of 0 features, when the path was refused. */
tamis_status tamis_path_model_f32(const tamis_path_f32 *path, tamis_model_f32 *model);

/** ---- cross-validation: the path without the samples of each fold in turn, measured on them ---- */

/** Exact bytes of arena that cross-validation needs: those of the path, and samples (classes + 1) + 2 points folds
 * numbers. SIZE_MAX and 0 as in tamis_path_bytes. */
size_t tamis_cross_validation_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid, uint32_t folds);

/** The same with room that makes some solvers faster: see tamis_fast_bytes. */
size_t tamis_cross_validation_fast_bytes_f32(const tamis_problem_f32 *problem, const tamis_grid_f32 *grid,
                                             uint32_t folds, size_t entries, uint32_t active_limit);

/** Checks everything and begins with the first fold. fold_of: one number below folds per sample, or TAMIS_NO_FOLD, such
 * as tamis_deal_folds and tamis_deal_groups write; must stay valid. grid: with lambdas or a first one, the same for
 * all folds (those of the path on all samples, usually); max_features is not read. arena: tamis_cross_validation_bytes
 * bytes, aligned to TAMIS_ALIGNMENT. TAMIS_INVALID_LAMBDA for a grid without a first lambda, TAMIS_INVALID_OPTION for
 * no folds, a fold that there is not, or no sample of positive weight in any. A refusal of the problem, or the last one,
 * may have written to the arena. */
tamis_status tamis_cross_validation_start_f32(tamis_cross_validation_f32 *validation,
                                              const tamis_problem_f32 *problem, const tamis_grid_f32 *grid,
                                              const uint32_t *fold_of, uint32_t folds, void *arena,
                                              size_t arena_bytes);

/** The same, and leaves in scores what the model of point l that has not seen sample i says of it: row i of matrix l,
 * points x samples rows of stride = classes rounded up to 16 bytes; for tamis_calibrate, say. NULL: nothing is kept.
 * Rows of samples with TAMIS_NO_FOLD, and of points that no fold reaches, stay as they are. Must stay valid. */
tamis_status tamis_cross_validation_start_keeping_f32(
    tamis_cross_validation_f32 *validation, const tamis_problem_f32 *problem, const tamis_grid_f32 *grid,
    const uint32_t *fold_of, uint32_t folds, float *scores, void *arena, size_t arena_bytes);

/** Advances by up to `steps` iterations, each of bounded work. TAMIS_RUNNING: call again. TAMIS_CONVERGED: all folds
 * are measured. TAMIS_MISSING_CLASS: the samples outside tamis_cross_validation_fold lack class report.column. */
tamis_status tamis_cross_validation_step_f32(tamis_cross_validation_f32 *validation, uint32_t steps);

/** Ends the run without a result. */
void tamis_cross_validation_stop_f32(tamis_cross_validation_f32 *validation);

/** The fold at hand, and the points done in it. */
uint32_t tamis_cross_validation_fold_f32(const tamis_cross_validation_f32 *validation);
uint32_t tamis_cross_validation_points_done_f32(const tamis_cross_validation_f32 *validation);

/** The report of the fold and lambda at hand, but with status, row and column of the run, and arena_bytes as what the
 * run asks for. */
void tamis_cross_validation_report_f32(const tamis_cross_validation_f32 *validation, tamis_report_f32 *report);

/** What the folds say of a point: TAMIS_CONVERGED after a complete run. Otherwise, or where there is no such point,
 * zeros and TAMIS_INVALID_SHAPE. */
tamis_status tamis_cross_validation_at_f32(const tamis_cross_validation_f32 *validation, uint32_t point,
                                           tamis_held_out_f32 *held_out);

/** The point of the least mean of a tamis_measure (of equal ones that of the least loss, then the largest lambda), and
 * the one of the largest lambda whose mean is within one standard error of it. 0 before a complete run. */
uint32_t tamis_cross_validation_best_f32(const tamis_cross_validation_f32 *validation, uint32_t measure);
uint32_t tamis_cross_validation_one_standard_error_f32(const tamis_cross_validation_f32 *validation,
                                                       uint32_t measure);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_problem_f64 {
  double lambda;
  double tolerance;
  double margin;
  double l1_ratio;
  double epsilon;
  double eta;
  uint32_t max_iterations;
  uint32_t intercept;
  uint32_t loss;
  uint32_t penalty;
  uint32_t block;
  uint32_t solver;
  uint32_t samples;
  uint32_t features;
  uint32_t classes;
  uint32_t column_stride;
  const double *values;
  const uint32_t *rows;
  const uint32_t *starts;
  const uint16_t *labels;
  const double *weights;
  const double *margins;
  const uint32_t *group_order;
  const uint32_t *group_starts;
  uint32_t group_count;
  const uint32_t *set_starts;
  const uint16_t *set_members;
  uint32_t set_count;
  uint32_t stopping;
  uint32_t shrinking;
  uint64_t seed;
  double learning_rate;
  double stopping_threshold;
} tamis_problem_f64;
typedef struct tamis_report_f64 {
  double objective;
  double dual_objective;
  double gap;
  double relative_gap;
  double kkt_residual;
  double lambda_max;
  double epochs;
  uint32_t status;
  uint32_t iterations;
  uint32_t nonzeros;
  uint32_t nonzero_rows;
  uint32_t row, column;
  uint32_t arena_bytes;
  uint32_t arena_used_bytes;
  double constraint_value;
  double constraint_bound;
  double multiplier;
} tamis_report_f64;
typedef struct tamis_model_f64 {
  const double *coefficients;
  uint32_t features;
  uint32_t classes;
} tamis_model_f64;
typedef struct tamis_grid_f64 {
  double first;
  double ratio;
  uint32_t points;
  uint32_t max_features;
  const double *lambdas;
} tamis_grid_f64;
typedef struct tamis_path_f64 {
  uint64_t words[TAMIS_PATH_WORDS];
} tamis_path_f64;
typedef struct tamis_cross_validation_f64 {
  uint64_t words[TAMIS_CROSS_VALIDATION_WORDS];
} tamis_cross_validation_f64;
typedef struct tamis_held_out_f64 {
  double lambda;
  double error;
  double error_deviation;
  double loss;
  double loss_deviation;
} tamis_held_out_f64;
typedef struct tamis_training_f64 {
  uint64_t words[TAMIS_TRAINING_WORDS];
} tamis_training_f64;
typedef int (*tamis_observer_f64)(void *context, const tamis_report_f64 *report);
void tamis_default_problem_f64(tamis_problem_f64 *problem);
size_t tamis_training_bytes_f64(const tamis_problem_f64 *problem);
size_t tamis_fast_bytes_f64(const tamis_problem_f64 *problem, size_t entries, uint32_t active_limit);
tamis_status tamis_start_f64(tamis_training_f64 *training, const tamis_problem_f64 *problem, void *arena,
                             size_t arena_bytes);
const char *tamis_problem_refusal_f64(const tamis_problem_f64 *problem);
tamis_status tamis_step_f64(tamis_training_f64 *training, uint32_t steps);
tamis_status tamis_train_f64(tamis_training_f64 *training, const tamis_problem_f64 *problem, void *arena,
                             size_t arena_bytes, tamis_observer_f64 observe, void *context);
void tamis_stop_f64(tamis_training_f64 *training);
void tamis_report_of_f64(const tamis_training_f64 *training, tamis_report_f64 *report);
tamis_status tamis_model_of_f64(const tamis_training_f64 *training, tamis_model_f64 *model);
uint32_t tamis_predict_f64(const tamis_model_f64 *model, const double *sample, size_t stride);
void tamis_scores_f64(const tamis_model_f64 *model, const double *sample, size_t stride, double *scores);
size_t tamis_blob_bytes_f64(const tamis_model_f64 *model);
size_t tamis_blob_write_f64(const tamis_model_f64 *model, void *out, size_t bytes);
size_t tamis_blob_coefficient_bytes_f64(const void *blob, size_t bytes);
const char *tamis_blob_fault_f64(const void *blob, size_t bytes);
tamis_status tamis_blob_read_f64(const void *blob, size_t bytes, void *coefficients, size_t coefficient_bytes,
                                 tamis_model_f64 *model);
size_t tamis_export_c_f64(const tamis_model_f64 *model, const char *name, const char *const *labels,
                          const double *samples, uint32_t sample_count, char *out, size_t bytes);
void tamis_default_grid_f64(tamis_grid_f64 *grid);
double tamis_mean_square_norm_f64(const tamis_problem_f64 *problem, double *scratch);
size_t tamis_path_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid);
size_t tamis_path_fast_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid, size_t entries,
                                 uint32_t active_limit);
tamis_status tamis_path_start_f64(tamis_path_f64 *path, const tamis_problem_f64 *problem, const tamis_grid_f64 *grid,
                                  void *arena, size_t arena_bytes);
tamis_status tamis_path_step_f64(tamis_path_f64 *path, uint32_t steps);
void tamis_path_stop_f64(tamis_path_f64 *path);
int tamis_path_at_point_f64(const tamis_path_f64 *path);
double tamis_path_lambda_f64(const tamis_path_f64 *path);
uint32_t tamis_path_points_f64(const tamis_path_f64 *path);
void tamis_path_report_f64(const tamis_path_f64 *path, tamis_report_f64 *report);
tamis_status tamis_path_model_f64(const tamis_path_f64 *path, tamis_model_f64 *model);
size_t tamis_cross_validation_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid, uint32_t folds);
size_t tamis_cross_validation_fast_bytes_f64(const tamis_problem_f64 *problem, const tamis_grid_f64 *grid,
                                             uint32_t folds, size_t entries, uint32_t active_limit);
tamis_status tamis_cross_validation_start_f64(tamis_cross_validation_f64 *validation,
                                              const tamis_problem_f64 *problem, const tamis_grid_f64 *grid,
                                              const uint32_t *fold_of, uint32_t folds, void *arena,
                                              size_t arena_bytes);
tamis_status tamis_cross_validation_start_keeping_f64(
    tamis_cross_validation_f64 *validation, const tamis_problem_f64 *problem, const tamis_grid_f64 *grid,
    const uint32_t *fold_of, uint32_t folds, double *scores, void *arena, size_t arena_bytes);
tamis_status tamis_cross_validation_step_f64(tamis_cross_validation_f64 *validation, uint32_t steps);
void tamis_cross_validation_stop_f64(tamis_cross_validation_f64 *validation);
uint32_t tamis_cross_validation_fold_f64(const tamis_cross_validation_f64 *validation);
uint32_t tamis_cross_validation_points_done_f64(const tamis_cross_validation_f64 *validation);
void tamis_cross_validation_report_f64(const tamis_cross_validation_f64 *validation, tamis_report_f64 *report);
tamis_status tamis_cross_validation_at_f64(const tamis_cross_validation_f64 *validation, uint32_t point,
                                           tamis_held_out_f64 *held_out);
uint32_t tamis_cross_validation_best_f64(const tamis_cross_validation_f64 *validation, uint32_t measure);
uint32_t tamis_cross_validation_one_standard_error_f64(const tamis_cross_validation_f64 *validation,
                                                       uint32_t measure);
/* end of catalogue */

/* The name of a status ("converged"), and one sentence on what it means and what to do. Never NULL. */
const char *tamis_status_name(uint32_t status);
const char *tamis_status_sentence(uint32_t status);

/* Why a solver does not accept a loss and a penalty, in one sentence; NULL when it does. */
const char *tamis_refusal(uint32_t solver, uint32_t loss, uint32_t penalty);

/* Deals the samples, in an order drawn with the seed, to folds: those of each class in turn when stratified (not 0), so
 * that every fold has its share of every class. fold: receives one number below folds per sample; order: scratch of as
 * many. Returns 1; or 0, and fold is of no use, when folds < 2 or there are fewer samples than folds (stratified: of
 * class *rare_class, which is `classes` otherwise). rare_class may be NULL. Labels and fold numbers are as in C++. */
int tamis_deal_folds(const uint16_t *labels, uint32_t samples, uint32_t classes, uint32_t folds, int stratified,
                     uint64_t seed, uint32_t *fold, uint32_t *order, uint32_t *rare_class);

/* Gives whole groups (subjects, say) to folds, each where it does most for an even share of every class, so that no
 * group is on both sides. group: a number per sample. Scratch: order and starts of samples + 1 numbers each, counts of
 * folds * classes. Returns 0 when folds < 2, there are fewer groups than folds, or a label is not below classes. */
int tamis_deal_groups(const uint16_t *labels, uint32_t samples, uint32_t classes, const uint32_t *group, uint32_t folds,
                      uint32_t *fold, uint32_t *order, uint32_t *starts, uint32_t *counts);

/* The version of the library, such as "0.2.0". */
const char *tamis_version(void);

#ifdef __cplusplus
}
#endif
#endif
