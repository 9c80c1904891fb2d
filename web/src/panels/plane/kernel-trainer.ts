/** Trains with kernels in the worker; what is running soon yields to a newer wish with its best model so far. */
import type { Kernel, Report } from 'tamis';
import type { WorkerClient, WorkerKernelModel } from 'tamis/worker';
import type { Recipe } from '../../recipe';
import type { Part, Split } from './titanic';

export interface Norm {
  p: 1 | 2;
  q: 1 | 2;
  r: 1 | 2;
}
export interface KernelWish {
  people: Split;
  kernels: Kernel[];
  norm: Norm;
  lambda: number;
  intercept: boolean;
}

const a_while = 100; // milliseconds that a training may have while something newer waits
const most_iterations = 50_000;
const tolerance = 1e-4;

export function trainKernels(
  client: WorkerClient, { people: { training: { X, y } }, kernels, norm, lambda, intercept }: KernelWish, signal: AbortSignal,
  superseded: () => boolean,
): Promise<WorkerKernelModel> {
  const since = performance.now();
  const onProgress = (_: Report) => !(superseded() && performance.now() > since + a_while);
  const problem = { X, y, kernels, ...norm, lambda, intercept, tolerance, maxIterations: most_iterations };
  return client.trainKernels(problem, { signal, bestOnAbort: true, onProgress, sliceMilliseconds: 8 });
}

/** The same, for code to reproduce. */
export function recipeOf({ people: { training, test }, kernels, norm, lambda, intercept }: KernelWish): Recipe {
  const rows = ({ X, y }: Part) => ({ X: { values: X.flat(), samples: X.length, features: 3 }, y });
  return {
    title: 'titanic', label: 'survived', training: rows(training), heldOut: rows(test), featureNames: ['travel', 'child', 'male'],
    asked: { kind: 'kernels', kernels, ...norm, intercept, lambda, tolerance },
  };
}
