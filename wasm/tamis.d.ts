/** Loads the library. SIMD is used where there is some. Rejects with TamisError 'unsupported' without WebAssembly. */
export function load(options?: LoadOptions): Promise<Tamis>;

// What TypeScript has of `using` since 5.2, for older ones and older libraries.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
}

export interface LoadOptions {
  /**
   * The single-precision module of all usual solvers: its address, a file name (Node), its bytes, or a WebAssembly.Module.
   * It is loaded at once, and trains all that it can. Default: modules beside this file, as they are asked for.
   */
  wasm?: ModuleSource;
  /** The same for double precision. */
  wasmDouble?: ModuleSource;
  /** The same of the module of sparse samples and large problems, in single precision. With `wasm` and without this there is none. */
  wasmLarge?: ModuleSource;
  /** The same of the module with all solvers, in single precision. */
  wasmBaselines?: ModuleSource;
  /** The same of the modules that `trainInteractions` loads. */
  wasmInteractions?: ModuleSource;
  wasmInteractionsDouble?: ModuleSource;
  /** The same of the modules that `trainKernels` loads. */
  wasmKernels?: ModuleSource;
  wasmKernelsDouble?: ModuleSource;
  /** The same of the modules that features and `calibrate` load. */
  wasmFeatures?: ModuleSource;
  wasmFeaturesDouble?: ModuleSource;
  /** Which modules are loaded, or, with `wasm`, of which kind it is. Default: as this engine allows; false with `wasm`. */
  simd?: boolean;
  /** Problems, or what is known of them, whose modules are loaded now: `{ loss, penalty }` and so on, as `train` takes them. */
  problems?: Partial<Problem>[];
  /**
   * Also loads now the module with all solvers: what the baselines with `seed`, `learningRate`, `shrinking` and `stopping`
   * need, and paths, cross-validation and stability by `fista` or of samples with several labels. `train` loads it when a problem
   * asks for a baseline, and has small modules for the others.
   */
  baselines?: boolean;
  /** Also loads the double-precision module now. `train` loads it when it is needed; the functions that return at once cannot. */
  double?: boolean;
}

export type ModuleSource = string | { readonly href: string } | ArrayBuffer | ArrayBufferView | CompiledModule;
/** A WebAssembly.Module. */
export interface CompiledModule {}

export type Label = string | number;
// catalogue: losses
export type Loss =
  /** max_k (z_k + margin [k != y]) - z_y */
  | 'hinge'
  /** sum over k != y of max(0, margin + z_k - z_y)^2 */
  | 'squared-hinge'
  /** log sum_k exp(z_k + margin [k != y]) - z_y */
  | 'logistic'
  /** max(0, margin - z_y)^2 + sum over k != y of max(0, margin + z_k)^2 */
  | 'one-vs-rest-squared-hinge'
  /** sum over r in Y, k not in Y of max(0, margin + z_k - z_r)^2, Y the set of classes of a sample, maybe empty:
   * ranks them above the others. In the module with all solvers */
  | 'ranking-squared-hinge';
// end of catalogue
/** What of the published solvers ends a run beside the iteration limit; the gap is what ends it elsewhere. */
// catalogue: stopping rules
export type StoppingRule =
  /** |x - x_before| / |x| of consecutive iterates, below the threshold */
  | 'iterates'
  /** sum of the optimality violations of an outer pass over that of the first; block coordinate descent as printed */
  | 'violation-sum'
  /** the same of the largest violation */
  | 'violation-max';
// end of catalogue
export type ThresholdKind = 'linear' | 'per-class';
// catalogue: penalties
export type Penalty =
  /** half the sum of squares */
  | 'ridge'
  /** sum of absolute values */
  | 'l1'
  /** sum over groups of the Euclidean norm */
  | 'group-l2'
  /** sum over groups of the largest absolute value */
  | 'group-linf'
  /** l1_ratio * l1 + (1 - l1_ratio) * ridge */
  | 'elastic-net'
  /** l1_ratio * l1 + (1 - l1_ratio) * group-l2 */
  | 'sparse-group'
  /** not convex: five rounds of weighted l1, the weights 1 at first, then 1/(|w| + epsilon). The report is that of
   * the last round, with the iterations of all */
  | 'reweighted-l1';
// end of catalogue
/**
 * 'auto' is the fastest for the problem. The baselines are in a module of their own: see LoadOptions.baselines; some refuse
 * some losses or penalties.
 */
// catalogue: solvers
export type Solver =
  /** what suits loss, penalty, lambda and sizes */
  | 'auto'
  /** restarted, reflected primal-dual iterations on a working set of features */
  | 'primal-dual'
  /** accelerated proximal gradient with line search and restarts on a working set of features */
  | 'fista'
  /** primal-dual iterations with projections onto the level set of the mean loss */
  | 'constrained-primal-dual'
  /** ascent on the dual, one sample at a time; lambda > 0; norms of rows or of listed groups are ridge whose weights
   * are renewed (the default with ridge, unless n lambda is below 1/1000 or below 1/1000, in float 3/1000, of the
   * mean square distance of samples from their mean; with elastic-net unless n lambda (1 - l1_ratio) is below 1/10
   * of that over the classes; with group-l2 for at least 8 classes and samples times classes 60 times the features,
   * unless n lambda is small beside the root of that) */
  | 'crammer-singer-dual'
  /** primal-dual iterations, then a proximal point method whose subproblems semismooth Newton solves on the samples
   * that matter, if the arena has room for its linear systems; hinge and l1 in double by the simplex method along
   * paths, and where steps stand still */
  | 'two-phase'
  /** descent over features, which keeps the scores up to date, then Newton's method with conjugate gradients on the
   * features that are not zero, if the arena has room for it */
  | 'block-coordinate-descent'
  | Baseline;
// end of catalogue
/** Published algorithms, most of them as they were printed. */
// catalogue: baselines
export type Baseline =
  /** Algorithm 1 of Chierchia et al. (2015), unchanged */
  | 'primal-dual-as-printed'
  /** Algorithm 2 of Chierchia et al. (2015), unchanged: epigraphical splitting */
  | 'constrained-primal-dual-as-printed'
  /** the reformulation with linear constraints that Chierchia et al. (2015) compare with */
  | 'linear-constraints-primal-dual-as-printed'
  /** FISTA with the constant step that Blondel et al. (2013) print, 4 to 100 times shorter than that of
   * fista-constant-step */
  | 'fista-constant-step-as-printed'
  /** proximal gradient steps of constant length, the longest that a power iteration finds: what Chierchia et al.
   * (2015) timed for the logistic loss */
  | 'forward-backward'
  /** stochastic proximal gradient (Duchi and Singer 2009), one sample a step, steps eta_0/sqrt(t) */
  | 'fobos-as-printed'
  /** dual averaging (Xiao 2010), one sample a step, sparse models, steps that adapt to each feature */
  | 'adaptive-dual-averaging'
  /** block coordinate descent over features in turn with a line search, as Blondel et al. (2013) print it; groups
   * are rows */
  | 'bcd-line-search-as-printed'
  /** the same at random with constant steps */
  | 'bcd-constant-step-as-printed'
  /** FISTA with backtracking, which Blondel et al. (2013) time against theirs */
  | 'fista-line-search-as-printed'
  /** Barzilai-Borwein steps, which Blondel et al. (2013) time against theirs */
  | 'sparsa-as-printed'
  /** forward-backward with momentum: what Chierchia et al. (2015) timed for the squared hinge */
  | 'fista-constant-step';
// end of catalogue
export type Precision = 'float' | 'double';
export type Reals = Float32Array | Float64Array;

/** How a training ended, or why it did not begin. */
export type Status =
  | 'converged'        // the certificate is below the tolerance
  | 'precision_limit'  // this precision can certify no more than relativeGap
  | 'iteration_limit'  // the model is the best so far
  | 'stopped'          // by a signal or by onProgress; the model is the best so far
  | 'running'
  | 'infeasible'
  | 'arena_too_small'
  | 'invalid_arena'
  | 'invalid_shape'
  | 'invalid_data'
  | 'invalid_label'
  | 'missing_class'
  | 'invalid_weight'
  | 'invalid_margin'
  | 'invalid_lambda'
  | 'invalid_option'
  | 'invalid_combination'
  | 'invalid_groups'
  | 'invalid_eta'
  | 'invalid_scale'    // values so large or so small that their squares do not fit the precision: rescale the features
  | 'unknown'          // of a model read from a blob, which does not say
  | 'worker_lost'      // of a client whose worker has ended: make another client and begin again
  | 'unsupported';     // no WebAssembly, or no module to load

export interface Tamis {
  readonly version: string;
  /** Whether the modules use SIMD. The results are the same bits either way. */
  readonly simd: boolean;
  /**
   * Trains in slices of about `sliceMilliseconds`, between which other work gets its turn. The problem is copied before
   * the first slice, once its module is loaded. Trainings may overlap: each has memory of its own
   * until it ends. Rejects with TamisError.
   */
  train(problem: Problem, options?: TrainOptions): Promise<Model>;
  /** The same without a pause; a module of single precision that is not loaded is loaded without a pause, too. */
  trainSync(problem: Problem, options?: TrainOptions): Model;
  /**
   * Solves for a descending row of lambdas, each from where the one before ended where that pays, in slices as `train` does.
   * Rejects with TamisError.
   */
  path(problem: PathProblem, options?: PathOptions): Promise<Path>;
  /**
   * Chooses lambda by cross-validation: the path of all samples, then the same lambdas without the samples of each fold
   * in turn, measured on them. `model` is that of the path at the lambda chosen. Samples are used as they are given:
   * scale them beforehand. Rejects with TamisError.
   */
  crossValidate(problem: PathProblem, options?: CrossValidationOptions): Promise<CrossValidation>;
  /**
   * Learns which features, and which products of two, matter together, and certifies it: a regression or a
   * classification, in slices as `train` does. Loads a module of its own when it is first called (`tamis-interactions*.wasm`,
   * 71 kB). Rejects with TamisError.
   */
  trainInteractions(problem: InteractionProblem, options?: TrainOptions): Promise<InteractionModel>;
  /**
   * Chooses lambda for `trainInteractions` by cross-validation, or on samples held out once, and trains with it on all
   * samples. Features are used as they are: scale them beforehand. Rejects with TamisError.
   */
  selectInteractions(problem: InteractionSelectionProblem, options?: InteractionSelectionOptions): Promise<InteractionSelection>;
  /**
   * Learns to compare with training samples by several kernels, positive definite or not, keeps few samples, few kernels
   * or few of both, and certifies it. In slices as `train` does, the first of which makes the matrices of the kernels.
   * Loads a module of its own when it is first called (`tamis-kernels*.wasm`,
   * 92 kB). Rejects with TamisError.
   */
  trainKernels(problem: KernelProblem, options?: TrainOptions): Promise<KernelModel>;
  /**
   * Chooses lambda for `trainKernels` as `selectInteractions` does. The kernels of the problem are used as they are: what
   * they compare is scaled beforehand.
   */
  selectKernels(problem: KernelSelectionProblem, options?: KernelSelectionOptions): Promise<KernelSelection>;
  /**
   * Finds the features that are kept whichever half of the samples is trained on: solves the path for both halves of
   * random pairs, and counts. In slices as `train` does. Rejects with TamisError.
   */
  stabilitySelection(problem: PathProblem, options?: StabilityOptions): Promise<StabilitySelection>;

  // Features. What makes them loads a module of its own when it is first called (`tamis-features*.wasm`, 52 kB), works in
  // slices, and rejects with TamisError. The results serve as X of a problem.

  /**
   * The scattering transform of images, each a row of height · width pixels: moduli of wavelet coefficients, smoothed,
   * which shifts and small deformations change little.
   */
  scatterImages(images: Problem['X'], options: ImageScatteringOptions, wishes?: FeatureWishes): Promise<ScatteredImages>;
  /** The same of signals, all of one length. */
  scatterSignals(signals: Problem['X'], options?: SignalScatteringOptions, wishes?: FeatureWishes): Promise<ScatteredSignals>;
  /** Windows over sensor readings that come one at a time, in memory of their own until they are closed. */
  sensorWindows(options: WindowOptions & { channels?: number }): Promise<SensorWindows>;
  /** The features of all windows of readings, one row or number each, that are there already. */
  windowFeatures(readings: Problem['X'] | ArrayLike<number>, options: WindowOptions, wishes?: FeatureWishes): Promise<FeatureTable>;
  /**
   * Lines of text as samples of 2^bits features, without a vocabulary. Words are ASCII letters and digits, and all that
   * is not ASCII, in lower case; the numbers are those of scikit-learn's FeatureHasher and of the tamis command.
   */
  hashText(lines: string[], options?: HashingOptions, wishes?: FeatureWishes): Promise<SparseColumns>;
  /** Learns a vocabulary and weights of its terms from lines of text. Loads no module. */
  tfIdf(lines: string[], options?: TfIdfOptions, wishes?: FeatureWishes): Promise<TfIdf>;
  /** From what `TfIdf.toJSON` gave, or a model file of the tamis command has in `preparation`. */
  tfIdfFromJSON(json: unknown, options?: { precision?: Precision }): Promise<TfIdf>;

  /**
   * Exact bytes of arena, Infinity when they are more than 4 GiB: the least that training needs, and those with which it
   * is as fast as it can be. It takes the latter when they are free, else the least; where the
   * samples decide between two solvers (hinge with ridge or elastic-net), what the larger takes. The data come on top.
   */
  trainingBytes(spec: TrainingSpec): { least: number; fast: number };
  /** Reads what `toBlob` wrote, here or on another target. A blob holds no names: without `classes`, they are 0, 1, … */
  fromBlob(bytes: Uint8Array, names?: { classes?: Label[]; featureNames?: string[] }): Model;
  /**
   * Reads a model file, as text or parsed, that `toJSON` or the tamis command wrote: it predicts with the same bits as there
   * (kernels and interactions in single precision: as in the C functions). Classes are strings in files. Rejects with TamisError
   * what is none, and models of samples that only the command prepares.
   */
  fromJSON(file: string | object): Promise<Model | InteractionModel | KernelModel>;
  /** Loads the module of all usual solvers in a precision, or that with all solvers, once, so that the functions that return at once can use it. */
  prepare(kind: Precision | 'baselines'): Promise<void>;
}

/**
 * minimise (1/Σw) Σ w_i loss(W'x_i + b, y_i) + lambda · penalty(W), or, with eta instead of lambda,
 * penalty(W) subject to (1/Σw) Σ w_i loss(W'x_i + b, y_i) <= eta: rejects with 'infeasible' when no model does that.
 */
export type Problem = ProblemData & ({ /** At least 0. */ lambda: number; eta?: undefined } | {
  /** Above 0, instead of lambda: the largest mean loss allowed. With the hinge. */
  eta: number;
  lambda?: undefined;
});

export interface ProblemData {
  /**
   * One array of features per sample, or a matrix, or compressed columns, which take as much memory as a matrix while
   * they are trained with. All values are finite numbers.
   */
  X: ArrayLike<ArrayLike<number>> | Matrix | SparseColumns;
  /** The class of each sample. 1 and '1' are the same class. With ranking-squared-hinge an array of labels, maybe empty. */
  y: ArrayLike<Label> | ArrayLike<ArrayLike<Label>>;
  loss: Loss;
  penalty: Penalty;
  /** Relative duality gap to certify. Default 1e-4. */
  tolerance?: number;
  /** Default 1000000. */
  maxIterations?: number;
  /** One free intercept per class. Default true. */
  intercept?: boolean;
  /**
   * Groups of group-l2, group-linf and sparse-group: a feature's weights (default), as many consecutive features within
   * a class, or one group number per feature, groups then spanning all classes.
   */
  groups?: 'rows' | { blocks: number } | ArrayLike<number>;
  /** Of elastic-net and sparse-group: the share of l1, from 0 to 1. Default 0.5. */
  l1Ratio?: number;
  /** Of reweighted-l1, whose weights are 1/(|w| + epsilon): positive. Default 0.1. */
  epsilon?: number;
  solver?: Solver;
  /** Of fobos-as-printed, adaptive-dual-averaging and bcd-constant-step-as-printed: a whole number. Default 0. */
  seed?: number;
  /** Of the first two: the first step length, positive. Default 'auto': tried on a quarter of the samples, held out. */
  learningRate?: number | 'auto';
  /** Of the two block coordinate descents as printed: leaves out rows that are likely to stay zero, for a while. Default false. */
  shrinking?: boolean;
  /**
   * What ends a run of published solvers: the relative change of consecutive iterates, or of those block coordinate descents
   * the optimality violations of a pass over those of the first, is below `threshold`. The status is 'converged' if the
   * certificate at the end is below the tolerance, else 'stopped'. Default: the gap.
   */
  stopping?: { rule: StoppingRule; threshold: number } | { rule: 'gap' };
  /**
   * With ranking-squared-hinge, of `train` alone: chooses thresholds of the scores that make sets of labels, on the training
   * samples. 'linear': one per sample, linear in its scores; 'per-class': those of the largest F1 of each class.
   */
  thresholds?: ThresholdKind;
  /** One number per sample, at least 0. Default: all 1. */
  sampleWeights?: ArrayLike<number>;
  /** Of all samples. Default: 1, for the logistic loss 0. Positive; for the logistic loss 0 will do. */
  margin?: number;
  /** One such number per sample, instead of `margin`. */
  margins?: ArrayLike<number>;
  /** Default 'float'. */
  precision?: Precision;
  /** Bytes of arena that training is to be content with. Less memory may be slower, see `trainingBytes`. */
  memoryLimit?: number;
  /** One name per feature, for toJSON. */
  featureNames?: ArrayLike<string>;
}

/**
 * minimise (1/n) Σ loss(z(x_i), y_i) + Σ_k Σ_j (lambda · max(|v_kj|, ‖Θ_kj‖) + lambda2 · ‖Θ_kj‖₁), for the scores
 * z_k(x) = b_k + v_k'x + x'Θ_k x: of classes, or of one number.
 */
export type InteractionProblem = InteractionProblemData & ({
  /** The class of each sample, predicted with the squared hinge. */
  y: ArrayLike<Label>;
  values?: undefined;
  loss?: 'squared-hinge';
} | {
  /** The number of each sample, predicted with least squares. */
  values: ArrayLike<number>;
  y?: undefined;
  loss?: 'least-squares';
});

/** What a product needs: one of its features (weak), both (strong), or none (full); main: there are no products. */
export type Hierarchy = 'weak' | 'strong' | 'full' | 'main';

export interface InteractionProblemData {
  /** One array of features per sample, or a matrix. Features of about the same size: the penalty favours large ones. */
  X: ArrayLike<ArrayLike<number>> | Matrix;
  hierarchy: Hierarchy;
  /**
   * The norm of its products that the main effect of a feature has to match ('l2': both are one group instead). Default
   * 'l1'. 'ridge', for 'full' and 'main': lambda/2 v² + lambda2/2 Θ² instead, which makes nothing zero.
   */
  norm?: 'l1' | 'linf' | 'l2' | 'ridge';
  /** Above 0. */
  lambda: number;
  /** Of products alone; at least 0, with 'full' above 0. Default: half of lambda, with 'full' lambda. Not for 'main'. */
  lambda2?: number;
  /** Instead, as a multiple of lambda, also where lambda is chosen. */
  lambda2Ratio?: number;
  /** Relative duality gap to certify. Default 1e-4. */
  tolerance?: number;
  /** Default 1000000. */
  maxIterations?: number;
  /** One free intercept per score. Default true. */
  intercept?: boolean;
  /** Default 'float'. */
  precision?: Precision;
  /** Bytes of arena that are allowed. */
  memoryLimit?: number;
  /** One name per feature, for `terms` and toJSON. */
  featureNames?: ArrayLike<string>;
}

/**
 * minimise (1/n) Σ loss(f(x_i), y_i) + (lambda/q) ‖α‖^q with the squared hinge, for the scores
 * f_k(x) = b_k + Σ_tl α_tlk k_t(x_l, x). r = 1: ‖α‖^q = Σ_l (Σ_tk |α_tlk|^p)^(q/p), a group is a sample, of all kernels;
 * r = 2: Σ_t (Σ_lk |α_tlk|^p)^(q/p), a group is a kernel, of all samples.
 */
export type KernelProblem = KernelProblemData & ({
  /** One array of features per sample, or a matrix. */
  X: ArrayLike<ArrayLike<number>> | Matrix;
  kernels: ArrayLike<Kernel>;
  /** One name per feature, for toJSON. */
  featureNames?: ArrayLike<string>;
  matrices?: undefined;
} | {
  /** Instead of kernels and samples, symmetric or not: matrices[t] has k_t(x_l, x_i) in row l, column i. */
  matrices: ArrayLike<ArrayLike<ArrayLike<number>> | Matrix>;
  X?: undefined;
  kernels?: undefined;
  featureNames?: undefined;
});

/**
 * k(x, z), as the tamis command has it: linear x'z; polynomial:D,C (x'z + C)^D, D from 1 to 64; gaussian:W
 * exp(−‖x − z‖²/2W²); laplacian:W exp(−‖x − z‖₁/W); sigmoid:A,B tanh(A x'z + B); distance −‖x − z‖²; chi2 and kl of
 * histograms, whose entries are not negative; constant: a bias that is penalised.
 */
export type Kernel =
  | 'linear' | 'distance' | 'chi2' | 'kl' | 'constant' | `gaussian:${number}` | `laplacian:${number}`
  | `polynomial:${number},${number}` | `sigmoid:${number},${number}`;

/** One score whose sign decides between two classes, or one score per class. */
export type KernelForm = 'binary' | 'multiclass';

/** What is drawn for the bound of the error; see RademacherBound. */
export interface RademacherOptions {
  /** Of signs, at least 2. Default 1000. */
  draws?: number;
  /** The bound may fail with this probability, between 0 and 1. Default 0.05. */
  delta?: number;
  /** Of the signs. Default 0. */
  seed?: number;
}

/**
 * What the training samples alone say of the error on others: `bound` = clippedLoss + 16 complexity + deviation. It takes the
 * training samples for a supremum over all samples, and the norm of the model for one chosen beforehand: an estimate, for
 * comparing kernels, norms and lambdas. Above 1 it says nothing.
 */
export interface RademacherBound extends Required<RademacherOptions> {
  bound: number;
  /** The mean over the training samples of min(max(0, 1 − y f)², 1), y −1 or 1. */
  clippedLoss: number;
  /** The radius times the mean over draws of ‖Kσ‖/n, in the norm dual to that of p, q and r. */
  complexity: number;
  /** Of the complexity. */
  standardError: number;
  /** √(ln(1/delta)/2n). */
  deviation: number;
  /** ‖α‖ of the model. */
  radius: number;
  /** Whether the complexity of this norm is proved to fall as √(ln n/n): p = q = 1; p = 2, q = 1, r = 1; p = 1, q = 2, r = 2. */
  hasProvedRate: boolean;
}

export interface KernelProblemData {
  /** Asks for a bound of the error on other samples, `model.rademacher`: of the form binary, without intercept. */
  rademacher?: RademacherOptions;
  /** The class of each sample. 1 and '1' are the same class. */
  y: ArrayLike<Label>;
  /** p = 2, q = 1 keeps whole groups, p = q = 1 few pairs of both, p = 1, q = 2 few in every group, p = q = 2 all. */
  p: 1 | 2;
  q: 1 | 2;
  r: 1 | 2;
  /** Above 0. */
  lambda: number;
  /** Default 'auto': binary for two classes. */
  form?: 'auto' | KernelForm;
  /** One free intercept per score. Default false, see the kernel 'constant'. */
  intercept?: boolean;
  /** Relative duality gap to certify. Default 1e-4. */
  tolerance?: number;
  /** Default 1000000. */
  maxIterations?: number;
  /** Default 'float'. */
  precision?: Precision;
  /** Bytes of arena that are allowed: they hold the matrices of kernels, too. */
  memoryLimit?: number;
}

/** A problem for many lambdas: `lambda` is not read, and there is no `eta`. */
export type PathProblem = ProblemData & { lambda?: number; eta?: undefined };

export interface GridOptions {
  /**
   * The lambdas, descending. Default: equally spaced in logarithm, from the smallest one at which all coefficients are
   * zero (ridge: from the mean squared norm of the samples).
   */
  lambdas?: ArrayLike<number>;
  /** How many lambdas, without `lambdas`. Default 100, for crossValidate 50. */
  points?: number;
  /**
   * Of the last lambda to the first, without `lambdas`; between 0 and 1. Default: for ridge 1e-4; otherwise 1e-2 when
   * there are more features than samples, and for stabilitySelection, else 1e-3.
   */
  ratio?: number;
  /** The path ends before a point that keeps more features. */
  maxFeatures?: number;
  /** As in the problem, instead of it. */
  memoryLimit?: number;
  /** Called after each slice and once at the end; false stops. */
  onProgress?: (progress: SelectionProgress) => void | boolean;
  /** Rejects with an AbortError. An AbortSignal. */
  signal?: StopSignal;
  /** Default 16. */
  sliceMilliseconds?: number;
}

export interface PathOptions<P = PathPoint> extends GridOptions {
  /** Called at each point; false stops. */
  onPoint?: (point: P) => void | boolean;
  /** An aborted path resolves with its points so far instead. Default false. */
  bestOnAbort?: boolean;
}

export interface CrossValidationOptions extends GridOptions {
  /** At least 2. Default 5. */
  folds?: number;
  /** Whether every fold gets its share of every class. Default true; samples with several labels are dealt without. */
  stratified?: boolean;
  /** One per sample, such as its subject: a group is held out as a whole. Classes are spread as evenly as that allows. */
  groups?: ArrayLike<string | number>;
  /** Of the order in which samples are dealt to folds, a whole number. Default 0. The same seed, the same folds. */
  seed?: number;
  /** What the held-out samples are measured by: the share of wrong predictions (default), or the mean loss. */
  measure?: 'error' | 'loss';
  /** The largest lambda within one standard error of the least mean (default), or that of the least mean. */
  choose?: '1se' | 'min';
  /**
   * Also trains with ridge on the features that the chosen model keeps, with the lambda of the least mean in the same
   * folds, or the one given. Default false.
   */
  refit?: boolean | { lambda: number };
  /**
   * Also fits probabilities to the held-out scores of the models at the lambda chosen: `model` and `refit` then have a
   * `calibration`. 'softmax' is the better one for losses whose scores compare classes. Default: not.
   */
  calibrate?: CalibrationKind;
}

/** An InteractionProblem without lambda. lambda2: as given at every lambda, or by default in proportion to each. */
export type InteractionSelectionProblem = InteractionProblem extends infer P ? (P extends unknown ? Omit<P, 'lambda'> : never) : never;

/**
 * `points` are 50 by default, `ratio` 0.01, from the lambda from which the model of zeros is the answer (of classes with
 * intercepts about that; of norm 'ridge' one beside which coefficients are small); `lambdas` are above 0.
 */
export interface InteractionSelectionOptions extends Omit<CrossValidationOptions, 'refit' | 'calibrate' | 'maxFeatures'> {
  /** Instead of folds: hold out this share of the samples once, at most 1/2. */
  validation?: number;
}

/** For numbers instead of classes, the mean is that of squared errors, and the mean loss half of it. */
export interface InteractionSelection<M = InteractionModel> {
  points: (Omit<HeldOut, 'nonzeroRows'> & {
    /** Of the lambda on all samples. */
    status: Status;
    nonzeros: number;
    nonzeroRows: number;
  })[];
  /** As in CrossValidation. */
  lambdaMin: number;
  lambda1se: number;
  lambda: number;
  model: M;
}

/** A KernelProblem without lambda. */
export type KernelSelectionProblem = KernelProblem extends infer P ? (P extends unknown ? Omit<P, 'lambda'> : never) : never;
/**
 * `points` are 50 by default, `ratio` 0.001 for q = 1 and 0.00001 for q = 2, from the lambda from which the model of zeros is
 * the answer (of several classes with intercepts about that; for q = 2, which keeps all, one at which it is within 1 % of that).
 */
export type KernelSelectionOptions = InteractionSelectionOptions;
export type KernelSelection<M = KernelModel> = InteractionSelection<M>;

/** What is told of a path or of a cross-validation under way. */
export interface SelectionProgress {
  stage: 'path' | 'folds' | 'refit' | 'calibration';
  /** The fold at hand, from 0; null while it is the path of all samples. */
  fold: number | null;
  /** Points done, of so many. */
  point: number;
  points: number;
  /** About how much is done, from 0 to 1. */
  share: number;
  /** Of the lambda at hand. */
  report: Report;
}

export interface PathPoint<M = Model> {
  readonly lambda: number;
  /** Of this lambda: iterations, epochs and milliseconds are those since the point before. */
  readonly report: Report;
  readonly nonzeroRows: number;
  /** Made when it is first asked for. */
  readonly model: M;
}

export interface Path<M = Model> {
  points: PathPoint<M>[];
  /** 'converged' when it is complete, or at maxFeatures; how its points ended is in their reports. */
  status: 'converged' | 'stopped';
}

/** What the folds say of one lambda: means by weight of the held-out samples, and their standard errors. */
export interface HeldOut {
  lambda: number;
  /** Share of wrong predictions. */
  mean: number;
  standardError: number;
  meanLoss: number;
  lossStandardError: number;
  /** Features that the model of all samples keeps. */
  nonzeroRows: number;
}

export interface CrossValidation<M = Model> {
  points: HeldOut[];
  /** The lambda of the least mean; of equal ones, that of the least mean loss, then the largest. */
  lambdaMin: number;
  /** The largest lambda whose mean is within one standard error of the least. */
  lambda1se: number;
  /** The one of the two that was chosen. */
  lambda: number;
  model: M;
  /** Ridge on the kept features, as a model of all features; null when not asked for, or when no feature is kept. */
  refit: M | null;
}

/** How well a model does on samples whose labels are known. */
export interface Evaluation {
  accuracy: number;
  /** Mean of the F1 scores of the classes that occur, as labels or as predictions. */
  macroF1: number;
  /** Of models with probabilities, otherwise null; infinite with labels that were not trained on. */
  logLoss: number | null;
  /** Samples by class and predicted class. */
  confusion: number[][];
  /** Samples whose labels were not trained on: they count as wrong. */
  unseen: number;
}

/** Of samples with several labels. */
export interface SetEvaluation {
  /** Samples with some label and without some other; only these count in the two below. */
  samples: number;
  /** Share of them whose best class is one of theirs. */
  accuracy: number;
  /** Mean share of their pairs in wrong order. Labels that were not trained on stand below all classes. */
  rankingLoss: number;
  /** With thresholds: of all samples the share of exact sets, that of wrong memberships, and the F1 of memberships. */
  sets: { samples: number; exact: number; hammingLoss: number; microF1: number } | null;
}

/** Class k belongs to a sample of scores z when z_k > Σ slopes_l z_l + offsets_k. */
export interface Thresholds {
  kind: ThresholdKind;
  slopes: number[];
  offsets: number[];
}

export interface Matrix {
  values: ArrayLike<number>;
  samples: number;
  features: number;
  /** Whether the values of a sample ('rows', default) or of a feature ('columns') are next to each other. */
  layout?: 'rows' | 'columns';
}

/**
 * Compressed columns: those of feature j are the entries from starts[j] to starts[j + 1], their samples ascending. Linear models of
 * single precision are trained on them as they are, but for what `load({ baselines: true })` is for; other trainings spread them out.
 */
export interface SparseColumns {
  values: ArrayLike<number>;
  rows: ArrayLike<number>;
  starts: ArrayLike<number>;
  samples: number;
  features: number;
}

/** What is told of features under way, and how they are stopped. */
export interface FeatureWishes {
  /** Called after each slice; false stops. */
  onProgress?: (progress: FeatureProgress) => void | boolean;
  signal?: StopSignal;
  /** Default 16. */
  sliceMilliseconds?: number;
}
export interface FeatureProgress {
  /** Images, signals, readings or lines, of so many. */
  done: number;
  count: number;
  /** From 0 to 1. */
  share: number;
}

/** One row of features for each sample. */
export interface FeatureTable {
  values: Reals;
  samples: number;
  features: number;
  layout: 'rows';
}

export interface ImageScatteringOptions {
  /** Of the images: multiples of 2^scales. */
  height: number;
  width: number;
  /** J, 1 to 8: means are taken over about 2^J pixels. Default 2. */
  scales?: number;
  /** L, 1 to 64 of each wavelet. Default 8. */
  orientations?: number;
  /** 0: means alone; 1: of wavelets; 2 (default): of wavelets of wavelets, too. */
  order?: 0 | 1 | 2;
  /** Maps have a value at every 2^(scales - oversampling)-th pixel each way. Default 0. */
  oversampling?: number;
  /** All maps' values of a position stand together: blocks for `groups: { blocks: maps }`. Default: map after map. */
  byPosition?: boolean;
  /** Default 'float'. */
  precision?: Precision;
}
export interface ScatteredImages extends FeatureTable {
  /** 1 + J·L + L²·J(J - 1)/2 with order 2, of so many values. */
  maps: number;
  mapHeight: number;
  mapWidth: number;
}

export interface SignalScatteringOptions {
  /** J, 1 to 16: means are taken over about 2^J entries. Default 4. */
  scales?: number;
  /** Wavelets for each octave, 1 to 32. Default 1. */
  perOctave?: number;
  order?: 0 | 1 | 2;
  /** A value at every 2^(scales - oversampling)-th entry. Default 0. */
  oversampling?: number;
  /** All values of a position stand together. Default: line after line. */
  byPosition?: boolean;
  precision?: Precision;
}
export interface ScatteredSignals extends FeatureTable {
  lines: number;
  positions: number;
}

export interface WindowOptions {
  /** Readings in a window. */
  length: number;
  /** Readings from the start of a window to that of the next. */
  hop: number;
  /** Bands of equal width, up to half of the sampling frequency, whose powers are features. Default 0. */
  bands?: number;
  precision?: Precision;
}
export interface SensorWindows {
  readonly channels: number;
  /** channels · (4 + bands). */
  readonly features: number;
  /**
   * Takes a reading; the features of the window that ends with it, or null. Channel after channel: mean, deviation,
   * energy, crossings of the mean, powers of the bands. A value that is not finite throws TamisError, and the reading is
   * as if it had not come.
   */
  push(reading: ArrayLike<number> | number): Reals | null;
  /** Forgets the readings. */
  restart(): void;
  /** Gives its memory back. */
  close(): void;
  /** The same, where the engine has Symbol.dispose: `using windows = await tamis.sensorWindows(…)`. */
  [Symbol.dispose](): void;
}

export interface HashingOptions {
  /** 1 to 24: there are 2^bits features. Default 18. */
  bits?: number;
  /** A term has 1 to so many words, at most 8. Default 1. */
  ngrams?: number;
  /** A term counts 1 or -1, as its hash says. Default true. */
  alternating?: boolean;
  /** A total c becomes sign(c)(1 + ln |c|). Default false. */
  sublinear?: boolean;
  /** That samples are divided by. Default 'l2'. */
  norm?: 'none' | 'l1' | 'l2' | 'max';
  precision?: Precision;
}

export interface TfIdfOptions {
  ngrams?: number;
  /** Terms of the vocabulary are in as many lines. Default 1. */
  minDf?: number;
  /** A term that occurs c times counts 1 + ln c. Default false. */
  sublinear?: boolean;
  precision?: Precision;
}
/** Weights of terms by how often they occur, and in how few lines: the same as those of the tamis command. */
export interface TfIdf {
  /** Ascending by their bytes in UTF-8. */
  readonly terms: string[];
  /** The number of each term. */
  readonly vocabulary: Map<string, number>;
  readonly features: number;
  readonly idf: Float64Array;
  /** Lines as samples of Euclidean norm 1; terms that the vocabulary does not have are left out. */
  transform(lines: string[]): SparseColumns;
  /** The terms of one line, ascending, and their weights. */
  entries(line: string): { terms: number[]; weights: number[] };
  toJSON(): object;
}

export interface StabilityOptions extends Omit<GridOptions, 'onProgress'> {
  /** Halves of the samples, in pairs without a common sample: an even number. Default 100. */
  subsamples?: number;
  /** Features are selected that this share of the halves keeps at some lambda, above 1/2. Default 0.9. */
  threshold?: number;
  /**
   * At most so many expected features of the selection may be false, by default 1: it says how many features a half may
   * keep, or, with `maxFeatures`, what the threshold is.
   */
  falseSelections?: number;
  /** Of the halves. Default 0. */
  seed?: number;
  onProgress?: (progress: StabilityProgress) => void | boolean;
}
export interface StabilityProgress {
  stage: 'halves';
  /** Done, of so many. */
  half: number;
  halves: number;
  share: number;
  /** Of the lambda at hand. */
  report: Report;
}
/** A feature, or a group of the problem. */
export interface StableUnit {
  name: string;
  features: number[];
  /** The largest of `frequencies`. */
  frequency: number;
  selected: boolean;
  /** For each lambda the share of halves that keep it. */
  frequencies: number[];
}
export interface StabilitySelection {
  /** The most frequent first. */
  ranked: StableUnit[];
  lambdas: number[];
  units: number;
  subsamples: number;
  /** A half's path ends before models with more, and keeps its last selection on. */
  maxFeatures: number;
  threshold: number;
  /** Units that a half keeps on average. */
  selectedByHalf: number;
  /** At most so many of the selection are false on average. */
  expectedFalseSelections: number;
}

/** 'sigmoid': each class against the others (Platt); 'softmax': all at once. */
export type CalibrationKind = 'sigmoid' | 'softmax';
/** Probabilities by z = slope · score + offset, with one of each per class. */
export interface Calibration {
  kind: CalibrationKind;
  slopes: number[];
  offsets: number[];
  /** How the fit ended. */
  status: Status;
  /** Of each fold's samples, by a calibration that has not seen them. */
  heldOut: {
    /** Mean of -log p of the label. */
    logLoss: number;
    /** Sum over the bins of weight · |accuracy - confidence|. */
    calibrationError: number;
    error: number;
    /** Of a reliability diagram: samples whose largest probability is in one tenth; null where there are none. */
    bins: { weight: number; confidence: number | null; accuracy: number | null }[];
  };
}

export interface TrainingSpec {
  samples: number;
  features: number;
  classes: number;
  loss?: Loss;
  penalty?: Penalty;
  solver?: Solver;
  /** As in Problem: training with it takes another solver. */
  eta?: number;
  /** With hinge and ridge, a value below 1/(1000 samples) takes another solver; with elastic-net, lambda (1 - l1Ratio). */
  lambda?: number;
  /** Of elastic-net, as in Problem. */
  l1Ratio?: number;
  /** As in Problem: with group-linf, groups of several features may take another solver. */
  groups?: ProblemData['groups'];
  /** Values of X that are not zero. Default: all of them. */
  nonzeros?: number;
  precision?: Precision;
}

export interface TrainOptions {
  /** Called after each slice and once at the end; false stops. */
  onProgress?: (report: Report) => void | boolean;
  /** Rejects with an AbortError, a TamisError of that name and the status 'stopped'. An AbortSignal. */
  signal?: StopSignal;
  /** An aborted training resolves with the best model so far instead, and the status 'stopped'. Default false. */
  bestOnAbort?: boolean;
  /** Default 16. */
  sliceMilliseconds?: number;
}

/** The part of AbortSignal that is used. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What a training says of the model it would return now. Numbers that do not apply are NaN. */
export interface Report {
  status: Status;
  objective: number;
  /** A lower bound of the optimum. */
  dualObjective: number;
  /** objective - dualObjective */
  gap: number;
  /** gap / max(|objective|, |dualObjective|, 1e-12) */
  relativeGap: number;
  kktResidual: number;
  /** All coefficients are zero from here on. */
  lambdaMax: number;
  /** Passes over the data. */
  epochs: number;
  iterations: number;
  /** Coefficients that are not zero. */
  nonzeros: number;
  /** Features with such a coefficient. */
  nonzeroRows: number;
  arenaBytes: number;
  arenaUsedBytes: number;
  /** With eta: the mean loss of the model. */
  constraintValue: number;
  /** When infeasible: a lower bound of the mean loss of all models. */
  constraintBound: number;
  /** With eta: the multiplier of the constraint, about the 1/lambda of the same model. */
  multiplier: number;
  /** Time spent inside the module. */
  milliseconds?: number;
}

/** A trained model. All arrays are its own: nothing has to be released. */
export interface Prediction {
  readonly report: Report;
  /** In the order of the columns of `weights`: numbers before words, ascending. */
  readonly classes: Label[];
  readonly features: number;
  /** The features with a weight that is not zero, ascending. */
  readonly keptFeatures: number[];
  readonly precision: Precision;
  /** features × classes, row by row. */
  readonly weights: Reals;
  readonly intercepts: Reals;
  /** The class with the largest score, the first of equals. */
  predict(x: ArrayLike<number>): Label;
  predictAll(X: Problem['X']): Label[];
  /** One score per class, the same bits as the C functions give. */
  scores(x: ArrayLike<number>): Reals;
  /** Of `crossValidate` with `calibrate`; otherwise null. */
  readonly calibration: Calibration | null;
  /**
   * One probability per class: by the calibration, or the softmax of the scores. Throws TamisError for losses other than
   * logistic without a calibration.
   */
  probabilities(x: ArrayLike<number>): Float64Array;
  /** Not of models of ranking-squared-hinge. */
  evaluate(X: Problem['X'], y: Problem['y']): Evaluation;
  /** Of models of ranking-squared-hinge: an array of labels per sample. */
  evaluateSets(X: Problem['X'], y: ArrayLike<ArrayLike<Label>>): SetEvaluation;
  /** Those that `thresholds` asked for. */
  readonly thresholds: Thresholds | null;
  /** The labels of the set of a sample, ascending. Throws TamisError for models without thresholds. */
  predictSet(x: ArrayLike<number>): Label[];
  predictSets(X: Problem['X']): Label[][];
  /** The model file that the tamis command writes and reads. */
  toJSON(): ModelFile;
}

export interface Model extends Prediction {
  /** A C99 header with the model in constants, functions that predict, and a self-test. */
  toC(options?: ExportOptions): string;
  /** The model as bytes, for any target. */
  toBlob(): Uint8Array;
}

export const Model: {
  /** As `Tamis.fromJSON`, with a library that is loaded once. */
  fromJSON(file: string | object): Promise<Model | InteractionModel | KernelModel>;
};

/**
 * A linear classifier with defaults for everything but the data.
 *
 *     const classifier = await new Classifier({ standardise: true, missing: 'mean' }).fit(csv, 'species');
 *     classifier.predict([[1.4, 0.2]]);
 */
export class Classifier<L extends Label | boolean = Label | boolean> {
  /** Throws TamisError for options that there are not, and values that they do not have. */
  constructor(options?: ClassifierOptions);
  /** Trains on all samples; lambda is chosen by cross-validation unless it is given. Resolves with this. Rejects with TamisError. */
  fit(X: Samples, y: ArrayLike<L> | string, options?: FitOptions): Promise<this>;
  /** The class of each sample, as its label was given. */
  predict(X: Samples): L[];
  /** Of each sample one probability per class, in the order of `classes`: with the logistic loss, or with `calibrate`. */
  predictProbabilities(X: Samples): Float64Array[];
  /** The share of samples whose class is predicted; `y` as in fit. */
  score(X: Samples, y: ArrayLike<L> | string): number;
  readonly classes: L[];
  /** In the units of the samples. Where `missing` is 'mean' it fills what is missing, and cannot be written as C. */
  readonly model: Model;
  readonly report: ClassifierReport;
  toC(options?: ExportOptions): string | Promise<string>;
  toJSON(): ModelFile;
}

/**
 * Samples as a problem has them, a flat array with its shape, objects of which each has the features by name, or CSV with commas,
 * semicolons (and decimal commas) or tabs. Missing are NaN, null, undefined, and in CSV the empty field and, where a number is
 * expected, `NA`, `N/A`, `n/a`, `#N/A`, `NaN`, `nan`, `null`, `NULL`, `None`, `-` and `?`.
 */
export type Samples =
  | ArrayLike<ArrayLike<number | null | undefined>>
  | Matrix
  | SparseColumns
  | { data: ArrayLike<number>; shape: readonly [samples: number, features: number] }
  | readonly Readonly<Record<string, unknown>>[]
  | string;

export interface ClassifierOptions extends Pick<Partial<ProblemData>, 'penalty' | 'tolerance' | 'maxIterations' | 'intercept' | 'groups' |
  'l1Ratio' | 'epsilon' | 'margin' | 'precision' | 'memoryLimit'>,
  Pick<CrossValidationOptions, 'folds' | 'choose' | 'measure' | 'points' | 'stratified' | 'seed' | 'calibrate'> {
  /** Default 'logistic', which gives probabilities; the penalty is 'group-l2' by default. */
  loss?: Exclude<Loss, 'ranking-squared-hinge'>;
  /** Default: chosen by cross-validation, as `crossValidate` does it. */
  lambda?: number;
  /** Trains with features of mean 0 and variance 1; the model is in the units of the samples. Default false. */
  standardise?: boolean;
  /** Missing values are refused (default), or filled with the mean of their feature in training. */
  missing?: 'refuse' | 'mean';
  /** What trains: a library, or the client of a worker. Default: a library that is loaded once. */
  library?: Tamis | import('./worker.js').WorkerClient;
}

export interface FitOptions {
  /** One number per sample, at least 0. */
  sampleWeights?: ArrayLike<number>;
  /** One per sample: groups are held out as a whole where lambda is chosen. */
  groups?: ArrayLike<string | number>;
  /** One name per feature. Default: those of objects, or of a CSV. */
  featureNames?: ArrayLike<string>;
  onProgress?: (progress: Report | SelectionProgress) => void | boolean;
  /** Rejects with an AbortError. An AbortSignal. */
  signal?: StopSignal;
  sliceMilliseconds?: number;
}

/** Of the training at the lambda used; of standardised features where these are. */
export interface ClassifierReport extends Report {
  loss: Loss;
  penalty: Penalty;
  lambda: number;
  /** 'given', or how it was chosen, in words. */
  lambdaChosenBy: string;
  /** Null where lambda was given. */
  selection: { points: HeldOut[]; lambdaMin: number; lambda1se: number } | null;
  samples: number;
  features: number;
  /** Their names. */
  keptFeatures: string[];
}

/** A coefficient that is not zero, of a feature or of a product of two. */
export interface InteractionTerm {
  /** Of whose score it is a part; null of a regression. */
  readonly class: Label | null;
  /** One feature, or two, ascending; a square has the same twice. */
  readonly features: number[];
  readonly names: string[];
  readonly coefficient: number;
}

/** A trained model with products of features. All arrays are its own: nothing has to be released. */
export interface InteractionPrediction {
  /** `nonzeros` counts the entries of v and Θ, of which products have two. */
  readonly report: Report;
  /** Numbers before words, ascending; null of a regression. */
  readonly classes: Label[] | null;
  readonly features: number;
  /** Class by class, the largest first. */
  readonly terms: InteractionTerm[];
  /** One per class, or one. */
  readonly intercepts: Reals;
  /** The features in some term, ascending. */
  readonly keptFeatures: number[];
  readonly precision: Precision;
  readonly lambda: number;
  /** As it was used; null where there are no products. */
  readonly lambda2: number | null;
  /** The class with the largest score, the first of equals; of a regression the number. */
  predict(x: ArrayLike<number>): Label;
  predictAll(X: Problem['X']): Label[];
  /** Of a regression: one number per sample. Throws TamisError for models of classes. */
  predictValues(X: Problem['X']): Reals;
  /** One score per class, of a regression the number; the same bits as the C functions give. */
  scores(x: ArrayLike<number>): Reals;
  /** The model file that the tamis command writes and reads. */
  toJSON(): InteractionModelFile;
}

export interface InteractionModel extends InteractionPrediction {
  /** A C99 header with the terms in constants, functions that predict, and a self-test. */
  toC(options?: ExportOptions): string;
}

/** What is kept: a kernel with a training sample. */
export interface KernelTerm {
  /** As it was written in the problem; of matrices its number. */
  readonly kernel: Kernel | number;
  /** Its number in training. */
  readonly sample: number;
  /** One per class; of the binary form one alone, of the score of the second class. */
  readonly coefficients: number[];
}

/** A trained model with kernels. All arrays are its own: nothing has to be released. */
export interface KernelPrediction {
  /** `nonzeroRows` counts pairs of a kernel and a sample. */
  readonly report: Report;
  /** Numbers before words, ascending. */
  readonly classes: Label[];
  /** Null of a model of matrices. */
  readonly features: number | null;
  /** By kernel, then by sample. Constant kernels are in the intercepts, where kernels were given. */
  readonly terms: KernelTerm[];
  /** One per class, or one of the binary form. */
  readonly intercepts: Reals;
  /** The kernels in some term. */
  readonly keptKernels: (Kernel | number)[];
  /** The numbers of the training samples in some term, ascending. */
  readonly keptSamples: number[];
  readonly precision: Precision;
  readonly lambda: number;
  /** Where the problem has asked for it. */
  readonly rademacher: RademacherBound | null;
  /**
   * The class with the largest score, the first of equals. A model of matrices takes, for each of these, an array of the
   * values k_t(x_l, x) with all training samples instead of x.
   */
  predict(x: ArrayLike<number> | ArrayLike<ArrayLike<number>>): Label;
  predictAll(X: ArrayLike<ArrayLike<number> | ArrayLike<ArrayLike<number>>> | Matrix): Label[];
  /** One score per class, the same bits as the C functions give; of the binary form the opposite of the second, and it. */
  scores(x: ArrayLike<number> | ArrayLike<ArrayLike<number>>): Reals;
  /** The model file that the tamis command writes and reads. Throws TamisError for models of matrices. */
  toJSON(): KernelModelFile;
}

export interface KernelModel extends KernelPrediction {
  /** A C99 header with the kept samples in constants, functions that predict, and a self-test; not of matrices. */
  toC(options?: ExportOptions): string;
}

export interface ExportOptions {
  /** Prefix of the symbols, a C identifier. Default 'model'. */
  name?: string;
  /** Samples for the self-test. Default: the first training sample of each class; those of the extremes of a regression. */
  samples?: Problem['X'];
}

export interface ModelFile {
  format: 'tamis-model';
  version: 1;
  kind: 'linear';
  written_by: string;
  classes: string[];
  feature_count: number;
  features: string[];
  coefficients: { indices: number[]; values: number[][] };
  intercept: number[];
  scale: number;
  standardisation: object | null;
  preparation: object | null;
  calibration: { kind: CalibrationKind; slopes: number[]; offsets: number[] } | null;
  thresholds?: Thresholds;
  loss: string;
  penalty: string;
  lambda: number | null;
  eta?: number;
  precision: Precision;
  self_test: number[][];
}

export interface InteractionModelFile {
  format: 'tamis-model';
  version: 1;
  kind: 'interactions';
  written_by: string;
  classes: string[] | null;
  feature_count: number;
  features: string[];
  coefficients: {
    indices: number[];
    main_effects: { outputs: number[]; indices: number[]; values: number[] };
    products: { outputs: number[]; first: number[]; second: number[]; values: number[] };
  };
  intercept: number[];
  scale: number;
  standardisation: object | null;
  preparation: object | null;
  loss: 'least-squares' | 'squared-hinge';
  penalty: 'hierarchical';
  hierarchy: Hierarchy;
  norm: 'l1' | 'linf' | 'l2' | 'ridge';
  lambda: number;
  lambda2: number | null;
  samples: number;
  precision: Precision;
  self_test: number[][];
}

export interface KernelModelFile {
  format: 'tamis-model';
  version: 1;
  kind: 'kernels';
  written_by: string;
  classes: string[];
  feature_count: number;
  features: string[];
  kernels: { kind: string; parameters: number[] }[];
  coefficients: {
    samples: { indices: number[]; values: number[][] };
    terms: { kernels: number[]; samples: number[]; values: number[][] };
  };
  intercept: number[];
  scale: number;
  standardisation: object | null;
  preparation: object | null;
  loss: 'squared-hinge';
  form: KernelForm;
  penalty: 'mixed-norm';
  p: 1 | 2;
  q: 1 | 2;
  r: 1 | 2;
  lambda: number;
  samples: number;
  precision: Precision;
  self_test: number[][];
}

/** What went wrong, with its place where there is one: the message is a sentence for people. */
export class TamisError extends Error {
  status: Status;
  row?: number;
  column?: number;
  /** Which of the kernels or matrices. */
  kernel?: number;
  /** The fold without which a class is missing. */
  fold?: number;
  /** What training would need, when memory does not suffice. */
  arenaBytes?: number;
}
