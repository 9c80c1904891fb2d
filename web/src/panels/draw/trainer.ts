/** Trains in a worker, always the newest wish: what is running yields to it with its best model so far. */
import type { Loss, Penalty, Report } from 'tamis';
import type { WorkerClient, WorkerModel } from 'tamis/worker';
import { training } from '../../digits';
import { lambdaAt, most, remember } from '../../lambda';

export interface Wish {
  loss: Loss;
  penalty: Penalty;
  tolerance: number;
  /** A value of λ, or the share of the slider's way. */
  weight: { lambda: number } | { share: number };
}

export type Chosen = Omit<Wish, 'weight'> & { lambda: number };

export interface Watcher {
  started(chosen: Chosen): void;
  progress(report: Report): void;
  /** `newest`: nothing else is wished for, so that this one stays. */
  trained(model: WorkerModel, chosen: Chosen, newest: boolean): void;
  failed(error: Error): void;
}

/** A run yields to a newer wish once its model is worth a look, or after a while: dragging shows models on the way. */
const worth_a_look = 0.1; // relative gap
const a_while = 300; // milliseconds
const most_iterations = 50_000;

export class Trainer {
  #client;
  #watch;
  #next: Wish | null = null;
  #running: AbortController | null = null;

  constructor(client: WorkerClient, watch: Watcher) {
    this.#client = client;
    this.#watch = watch;
  }

  train(wish: Wish): void {
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
      try {
        const chosen = await this.#choose(wish);
        this.#watch.started(chosen);
        const model = await this.#run(chosen, this.#running.signal);
        remember(chosen, model.report.lambdaMax);
        const newest = this.#next === null;
        if (newest || certified(model.report, worth_a_look)) this.#watch.trained(model, chosen, newest);
      } catch (error) {
        this.#next = null;
        this.#watch.failed(error as Error);
      }
    }
    this.#running = null;
  }

  async #choose({ weight, ...wish }: Wish): Promise<Chosen> {
    if ('lambda' in weight) return { ...wish, lambda: weight.lambda };
    if (most(wish) === undefined) {
      const { loss, penalty } = wish;
      const nothing = await this.#client.train({ ...training, loss, penalty, lambda: 1e6, tolerance: 1 });
      remember(wish, nothing.report.lambdaMax);
    }
    return { ...wish, lambda: lambdaAt(weight.share, most(wish)!) };
  }

  #run(chosen: Chosen, signal: AbortSignal): Promise<WorkerModel> {
    const since = performance.now();
    const onProgress = (report: Report) => {
      this.#watch.progress(report);
      const enough = certified(report, worth_a_look) || performance.now() > since + a_while;
      return !(this.#next && enough);
    };
    const problem = { ...training, ...chosen, maxIterations: most_iterations };
    return this.#client.train(problem, { signal, onProgress, sliceMilliseconds: 8 });
  }
}

/** Before the first certificate, the objective is still zero. */
const certified = ({ objective, relativeGap }: Report, gap: number) => objective > 0 && relativeGap <= gap;
