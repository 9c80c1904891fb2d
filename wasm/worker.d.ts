import type {
  CrossValidation, CrossValidationOptions, ExportOptions, FeatureTable, FeatureWishes, HashingOptions,
  ImageScatteringOptions, InteractionPrediction, InteractionProblem, InteractionSelection, InteractionSelectionOptions,
  InteractionSelectionProblem, KernelPrediction, KernelProblem, KernelSelection, KernelSelectionOptions, KernelSelectionProblem,
  LoadOptions, Path, PathOptions, PathPoint, PathProblem, Prediction, Problem, ScatteredImages, ScatteredSignals,
  SignalScatteringOptions, SparseColumns, StabilityOptions, StabilitySelection, TfIdf, TfIdfOptions, TrainOptions, WindowOptions,
} from './tamis.js';
export { TamisError } from './tamis.js';

/**
 * A client of a worker that trains. `worker` runs tamis/worker-script; without it, one is made (not in Node: give one of
 * worker_threads). `options` are those of `load`, in the worker.
 */
export function createWorkerClient(worker?: TrainingWorker, options?: LoadOptions): WorkerClient;

/** The part of Worker, or of a worker of worker_threads, that is used. */
export interface TrainingWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/**
 * When its worker ends without `close`, because others have ended it or it failed, everything under way and all that is
 * asked of it later rejects with TamisError 'worker_lost'. (In browsers at once where the page is a secure context,
 * otherwise after half a minute without a sign of life from a worker that owes an answer.)
 */
export interface WorkerClient {
  /**
   * Settles when the worker runs, or never will. A worker that starts needs the thread that made it for a moment: a page that has
   * much to do at first waits for this, and what the worker loads is on its way meanwhile.
   */
  readonly started: Promise<void>;
  /** Settles when the library is loaded in the worker. Not waiting for it is fine. */
  readonly ready: Promise<void>;
  /** As `Tamis.train`. The problem is copied to the worker. Trainings may overlap. */
  train(problem: Problem, options?: TrainOptions): Promise<WorkerModel>;
  /** As `Tamis.path`. After a stop, points that were under way may still come. */
  path(problem: PathProblem, options?: PathOptions<PathPoint<WorkerModel>>): Promise<Path<WorkerModel>>;
  /** As `Tamis.crossValidate`. */
  crossValidate(problem: PathProblem, options?: CrossValidationOptions): Promise<CrossValidation<WorkerModel>>;
  /** As `Tamis.trainInteractions`. */
  trainInteractions(problem: InteractionProblem, options?: TrainOptions): Promise<WorkerInteractionModel>;
  /** As `Tamis.selectInteractions`. */
  selectInteractions(
    problem: InteractionSelectionProblem, options?: InteractionSelectionOptions,
  ): Promise<InteractionSelection<WorkerInteractionModel>>;
  /** As `Tamis.trainKernels`. */
  trainKernels(problem: KernelProblem, options?: TrainOptions): Promise<WorkerKernelModel>;
  /** As `Tamis.selectKernels`. */
  selectKernels(problem: KernelSelectionProblem, options?: KernelSelectionOptions): Promise<KernelSelection<WorkerKernelModel>>;
  /** As `Tamis.stabilitySelection`. */
  stabilitySelection(problem: PathProblem, options?: StabilityOptions): Promise<StabilitySelection>;
  /** These as those of `Tamis`. */
  scatterImages(images: Problem['X'], options: ImageScatteringOptions, wishes?: FeatureWishes): Promise<ScatteredImages>;
  scatterSignals(signals: Problem['X'], options?: SignalScatteringOptions, wishes?: FeatureWishes): Promise<ScatteredSignals>;
  windowFeatures(readings: Problem['X'] | ArrayLike<number>, options: WindowOptions, wishes?: FeatureWishes): Promise<FeatureTable>;
  hashText(lines: string[], options?: HashingOptions, wishes?: FeatureWishes): Promise<SparseColumns>;
  tfIdf(lines: string[], options?: TfIdfOptions, wishes?: FeatureWishes): Promise<TfIdf>;
  /** As `Tamis.fromJSON`. */
  fromJSON(file: string | object): Promise<WorkerModel | WorkerInteractionModel | WorkerKernelModel>;
  /** The same model, exported by this client: for the models of one whose worker has ended. Weights are shared. */
  adopt<M extends WorkerModel | WorkerInteractionModel | WorkerKernelModel>(model: M): M;
  /** Ends the worker. Trainings that have not ended reject; models stay usable but for toC and toBlob. */
  close(): void;
  /** The same, where the engine has Symbol.dispose: `using client = createWorkerClient()`. */
  [Symbol.dispose](): void;
}

/** A model that predicts here and is exported by the worker. */
export interface WorkerModel extends Prediction {
  toC(options?: ExportOptions): Promise<string>;
  toBlob(): Promise<Uint8Array>;
}

/** The same of a model with products of features. */
export interface WorkerInteractionModel extends InteractionPrediction {
  toC(options?: ExportOptions): Promise<string>;
}

/** The same of a model with kernels. */
export interface WorkerKernelModel extends KernelPrediction {
  toC(options?: ExportOptions): Promise<string>;
}
