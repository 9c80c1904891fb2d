/** Trains with kernels in the worker; what is running soon yields to a newer wish with its best model so far. */
import type { Kernel, Report } from 'tamis';
import type { WorkerClient, WorkerKernelModel } from 'tamis/worker';
import type { Split } from './titanic';

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

export function trainKernels(
  client: WorkerClient, { people: { training: { X, y } }, kernels, norm, lambda, intercept }: KernelWish, signal: AbortSignal,
  superseded: () => boolean,
): Promise<WorkerKernelModel> {
  const since = performance.now();
  const onProgress = (_: Report) => !(superseded() && performance.now() > since + a_while);
  const problem = { X, y, kernels, ...norm, lambda, intercept, maxIterations: most_iterations };
  return client.trainKernels(problem, { signal, bestOnAbort: true, onProgress, sliceMilliseconds: 8 });
}
