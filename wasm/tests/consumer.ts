// Compiled, never run: the types as a strict project uses them.
import { Classifier, load, Model as ModelFiles, TamisError } from 'tamis';
import type {
  Calibration, CrossValidation, Evaluation, FeatureProgress, FeatureTable, InteractionModel, InteractionModelFile, InteractionProblem, InteractionTerm, Kernel, KernelModel,
  KernelModelFile, KernelProblem, KernelTerm, Label, Model, ModelFile,
  Path, PathProblem, Problem, Reals, Report, ScatteredImages, SensorWindows, SparseColumns, StabilitySelection, Status, Tamis,
  TfIdf,
} from 'tamis';
import { load as loadBundle } from 'tamis/bundle';
import { embedded, load as loadEmbedded } from 'tamis/embedded';
import 'tamis/global';
import { createWorkerClient } from 'tamis/worker';
import type { WorkerClient, WorkerInteractionModel, WorkerKernelModel, WorkerModel } from 'tamis/worker';

export async function classify(client: WorkerClient, csv: string, signal: { readonly aborted: boolean } & EventTargetLike): Promise<string[]> {
  const flowers = await new Classifier<string>({ standardise: true, missing: 'mean', library: client, folds: 10 }).fit(csv, 'species', { signal });
  const flags = await new Classifier({ loss: 'hinge', lambda: 0.1 }).fit({ data: new Float32Array(4), shape: [2, 2] }, [true, false]);
  const first: string | number | boolean | undefined = flags.predict([{ a: 1, b: null }])[0];
  const shares: Float64Array[] = flowers.predictProbabilities([[1, 2]]);
  const read: Model | InteractionModel | KernelModel = await ModelFiles.fromJSON(JSON.stringify(flowers));
  const { lambdaChosenBy, selection } = flowers.report;
  return [...flowers.classes, `${first} ${shares.length} ${read.precision} ${lambdaChosenBy} ${selection?.lambda1se} ${flowers.score(csv, 'species')}`];
}

export async function use(bytes: Uint8Array, signal: { readonly aborted: boolean } & EventTargetLike): Promise<Label> {
  const tamis: Tamis = await load({ simd: true, double: true, wasm: bytes, wasmDouble: bytes.buffer });
  const problem: Problem = {
    X: { values: new Float32Array(6), samples: 3, features: 2, layout: 'columns' },
    y: ['a', 'b', 3], loss: 'hinge', penalty: 'group-linf', lambda: 0.1, groups: { blocks: 2 }, precision: 'double',
  };
  const rows: Problem = {
    ...problem, X: [[1, 2], [3, 4]], y: new Uint8Array(2), groups: 'rows', loss: 'logistic', margin: 0.5,
  };
  const model: Model = await tamis.train(problem, { signal, onProgress: (report: Report) => report.gap > 1e-3 });
  tamis.trainSync(rows, { onProgress: (report) => void report.iterations });
  const { least, fast } = tamis.trainingBytes({ samples: 3, features: 2, classes: 2, nonzeros: 5 });
  const scores: Reals = model.scores(new Float64Array(fast - least));
  const file: ModelFile = model.toJSON();
  const text: string = model.toC({ name: 'model', samples: [[1, 2]] });
  const again = tamis.fromBlob(model.toBlob(), { classes: ['a', 'b'] });
  const offline: Tamis = await loadEmbedded({ double: true });
  await offline.prepare('baselines');
  const printed: Model = offline.trainSync({ ...problem, solver: 'sparsa-as-printed' });
  using client: WorkerClient = createWorkerClient(undefined, await embedded());
  const single: [Tamis, Tamis] = [await loadBundle({ simd: false }), await globalThis.tamis.load()];
  void [printed, client, single];
  // @ts-expect-error: there is no such loss
  const wrong: Problem = { ...problem, loss: 'huber' };
  // @ts-expect-error: lambda is needed
  const missing: Problem = { X: [[1]], y: [1], loss: 'hinge', penalty: 'l1' };
  void [scores, file, text, wrong, missing];
  return again.predictAll(rows.X)[0] ?? model.classes[0]!;
}

type Signal = { readonly aborted: boolean } & EventTargetLike;

export async function choose(tamis: Tamis, problem: PathProblem, signal: Signal): Promise<number> {
  const path: Path = await tamis.path(problem, {
    points: 20, ratio: 0.01, maxFeatures: 30, signal, onPoint: ({ lambda, nonzeroRows }) => lambda > 0 && nonzeroRows < 20,
  });
  const first: Model | undefined = path.points[0]?.model;
  const result: CrossValidation = await tamis.crossValidate(problem, {
    folds: 10, groups: ['a', 'b'], measure: 'loss', choose: 'min', refit: { lambda: 0.1 },
    onProgress: ({ stage, share }) => stage !== 'refit' && share < 1,
  });
  const judged: Evaluation = (result.refit ?? result.model).evaluate([[1]], ['a']);
  // @ts-expect-error: no such measure
  void tamis.crossValidate(problem, { measure: 'accuracy' });
  // @ts-expect-error: paths have no eta
  void tamis.path({ ...problem, eta: 0.1 });
  return judged.accuracy + (judged.logLoss ?? 0) + (first?.probabilities([1])[0] ?? 0) + result.points[0]!.meanLoss;
}

export async function multiply(tamis: Tamis, client: WorkerClient, signal: Signal): Promise<number> {
  const classes: InteractionProblem = {
    X: [[1, 2], [3, 4]], y: ['a', 'b'], hierarchy: 'strong', lambda: 0.1, lambda2: 0.05, norm: 'linf', featureNames: ['u', 'v'],
  };
  const regression: InteractionProblem = { X: [[1], [2]], values: new Float32Array(2), loss: 'least-squares', hierarchy: 'main', lambda: 1 };
  const model: InteractionModel = await tamis.trainInteractions(classes, { signal, onProgress: ({ gap }) => gap > 1e-3 });
  const other: WorkerInteractionModel = await client.trainInteractions(regression);
  const { lambda, lambda2, ...open } = classes;
  const chosen: InteractionModel = (await tamis.selectInteractions(open, { validation: 0.25 })).model;
  const [first]: InteractionTerm[] = model.terms;
  const file: InteractionModelFile = model.toJSON();
  const values: Reals = other.predictValues([[1]]);
  const text: string = model.toC({ name: 'products' }) + (await other.toC());
  const label: Label | undefined = model.classes?.[0] ?? model.predictAll([[1, 2]])[0];
  // @ts-expect-error: classes or values, not both
  const both: InteractionProblem = { ...classes, values: [1, 2] };
  // @ts-expect-error: there is no such hierarchy
  const total: InteractionProblem = { ...regression, hierarchy: 'total' };
  void [file, text, label, both, total, lambda, lambda2, chosen];
  return (first?.coefficient ?? 0) + (values[0] ?? 0) + (model.lambda2 ?? 0);
}

export async function compare(tamis: Tamis, client: WorkerClient, width: number, signal: Signal): Promise<number> {
  const kernels: Kernel[] = ['linear', `gaussian:${width}`, 'sigmoid:0.1,-1', 'polynomial:2,1'];
  const samples: KernelProblem = { X: [[1, 2], [3, 4]], y: ['a', 'b'], kernels, p: 2, q: 1, r: 1, lambda: 0.1, form: 'binary' };
  const given: KernelProblem = { matrices: [[[1, 0], new Float32Array(2)]], y: [0, 1], p: 1, q: 2, r: 2, lambda: 1, intercept: true };
  const model: KernelModel = await tamis.trainKernels(samples, { signal, onProgress: ({ gap }) => gap > 1e-3 });
  const other: WorkerKernelModel = await client.trainKernels(given);
  const { lambda, ...open } = samples;
  const chosen = await client.selectKernels({ ...open, rademacher: { draws: 50 } }, { points: 10, choose: 'min' });
  const bound: number | undefined = chosen.model.rademacher?.bound;
  const [first]: KernelTerm[] = model.terms;
  const file: KernelModelFile = model.toJSON();
  const text: string = model.toC({ name: 'kernels', samples: [[1, 2]] }) + (await other.toC());
  const labels: Label[] = [model.predict([1, 2]), other.predict([[1, 2]]), ...model.predictAll([[1, 2]])];
  // @ts-expect-error: there is no such kernel
  const cubic: Kernel = 'cubic';
  // @ts-expect-error: a gaussian kernel has a width
  const wide: Kernel = 'gaussian';
  // @ts-expect-error: kernels or matrices, not both
  const both: KernelProblem = { ...samples, matrices: [[[1]]] };
  // @ts-expect-error: p is 1 or 2
  const third: KernelProblem = { ...given, p: 3 };
  void [file, text, labels, cubic, wide, both, third, lambda, bound];
  return (first?.coefficients[0] ?? 0) + model.scores([1, 2])[0]! + model.keptSamples.length + (model.features ?? 0);
}

export async function describe(tamis: Tamis, client: WorkerClient, signal: Signal): Promise<number> {
  const watch = { signal, onProgress: ({ done, share }: FeatureProgress) => done < 5 && share < 1 };
  const images: ScatteredImages = await tamis.scatterImages([new Float32Array(64)], { height: 8, width: 8, order: 1 }, watch);
  const signals: FeatureTable = await client.scatterSignals({ values: [1, 2], samples: 1, features: 2 }, { scales: 1 });
  const windows: SensorWindows = await tamis.sensorWindows({ length: 8, hop: 4, channels: 2 });
  const row: Reals | null = windows.push([1, 2]);
  const hashed: SparseColumns = await client.hashText(['a b'], { bits: 10, ngrams: 2, norm: 'l1' }, watch);
  const weights: TfIdf = await tamis.tfIdf(['a b'], { minDf: 1, sublinear: true });
  const again: TfIdf = await tamis.tfIdfFromJSON(JSON.parse(JSON.stringify(weights)));
  const model: Model = await tamis.train({ X: again.transform(['a']), y: [0], loss: 'hinge', penalty: 'l1', lambda: 1 });
  const problem: PathProblem = { X: images, y: [0], loss: 'hinge', penalty: 'group-linf', groups: { blocks: images.maps } };
  const stable: StabilitySelection = await tamis.stabilitySelection(problem, {
    subsamples: 20, threshold: 0.8, signal, onProgress: ({ half, halves }) => half < halves,
  });
  const validated: CrossValidation = await tamis.crossValidate(problem, { calibrate: 'softmax' });
  const calibration: Calibration | null = validated.model.calibration;
  // @ts-expect-error: there is no such kind
  void tamis.crossValidate(problem, { calibrate: 'isotonic' });
  // @ts-expect-error: the sides of images are needed
  void tamis.scatterImages([[1]], { height: 8 });
  // @ts-expect-error: there is no such norm
  void tamis.hashText(['a'], { norm: 'l3' });
  void [signals, row, hashed, model.probabilities([1])];
  return (stable.ranked[0]?.frequency ?? 0) + (calibration?.heldOut.logLoss ?? 0) + weights.features;
}

interface EventTargetLike {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

export async function inWorker(client: WorkerClient = createWorkerClient()): Promise<string> {
  try {
    await client.ready;
    const model: WorkerModel = await client.train({ X: [[1], [2]], y: [0, 1], loss: 'hinge', penalty: 'l1', lambda: 0 });
    const problem: PathProblem = { X: [[1], [2]], y: [0, 1], loss: 'hinge', penalty: 'l1' };
    const { points } = await client.path(problem, { onPoint: ({ model }) => model.features > 0 });
    const { refit } = await client.crossValidate(problem, { folds: 2 });
    void [points[0]?.model.toBlob(), refit?.toC()];
    return await model.toC();
  } catch (error) {
    if (!(error instanceof TamisError)) throw error;
    const status: Status = error.status;
    const place: number | undefined = error.row ?? error.column ?? error.arenaBytes;
    return `${status} ${place}`;
  } finally {
    client.close();
  }
}
