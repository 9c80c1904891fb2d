/** Trains with kernels in the worker, always the newest wish: what is running soon yields to it with its best model so far. */
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

export interface KernelWatcher {
  started(): void;
  /** `newest`: nothing else is wished for, so that this one stays. */
  trained(model: WorkerKernelModel, wish: KernelWish, newest: boolean): void;
  /** `newest`: the wish is still the one on screen. */
  failed(error: Error, wish: KernelWish, newest: boolean): void;
}

const a_while = 100; // milliseconds that a training may have while something newer waits
const most_iterations = 50_000;

export class KernelTrainer {
  #client;
  #watch;
  #next: KernelWish | null = null;
  #running: AbortController | null = null;

  constructor(client: WorkerClient, watch: KernelWatcher) {
    this.#client = client;
    this.#watch = watch;
  }

  train(wish: KernelWish): void {
    this.#next = wish;
    if (!this.#running) void this.#work();
  }

  stop(): void {
    this.#running?.abort();
  }

  async #work(): Promise<void> {
    while (this.#next) {
      const wish = this.#next;
      this.#next = null;
      this.#running = new AbortController();
      this.#watch.started();
      try {
        const model = await this.#run(wish, this.#running.signal);
        this.#watch.trained(model, wish, this.#next === null);
      } catch (error) {
        this.#watch.failed(error as Error, wish, this.#next === null);
      }
    }
    this.#running = null;
  }

  #run({ people: { training: { X, y } }, kernels, norm, lambda, intercept }: KernelWish, signal: AbortSignal): Promise<WorkerKernelModel> {
    const since = performance.now();
    const onProgress = (_: Report) => !(this.#next && performance.now() > since + a_while);
    const problem = { X, y, kernels, ...norm, lambda, intercept, maxIterations: most_iterations };
    return this.#client.trainKernels(problem, { signal, onProgress, sliceMilliseconds: 8 });
  }
}
