/** The path of a problem, then its cross-validation, in the worker; a new problem ends the one before. */
import type { HeldOut, Loss, PathPoint, Penalty, ProblemData } from 'tamis';
import type { WorkerClient, WorkerModel } from 'tamis/worker';

export interface TableProblem extends ProblemData {
  X: { values: Float32Array; samples: number; features: number };
  loss: Loss;
  penalty: Penalty;
  tolerance: number;
}
export type Point = PathPoint<WorkerModel>;

export interface CrossValidated {
  points: HeldOut[];
  lambdaMin: number;
  lambda1se: number;
  /** At lambda1se, with a calibration. */
  model: WorkerModel;
}

export interface Watcher {
  /** Of the path, the largest λ first. */
  point(points: readonly Point[]): void;
  /** What is under way, and about how much of it is done; null: nothing. */
  working(stage: 'path' | 'folds' | null, share: number): void;
  /** null: it is not possible, for the reason given. */
  validated(found: CrossValidated | null, reason: string): void;
  stopped(): void;
  failed(error: Error): void;
}

export const points_of_path = 40;
const folds = 5;

export class TableTraining {
  #client;
  #watch;
  #running: AbortController | null = null;

  constructor(client: WorkerClient, watch: Watcher) {
    this.#client = client;
    this.#watch = watch;
  }

  stop(): void {
    if (!this.#running) return;
    this.#running.abort();
    this.#running = null;
    this.#watch.working(null, 0);
    this.#watch.stopped();
  }

  async run(problem: TableProblem): Promise<void> {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    const { signal } = running;
    const current = () => this.#running === running;
    const points: Point[] = [];
    const watched = (stage: 'path' | 'folds') => ({ share }: { share: number }) => {
      if (current()) this.#watch.working(stage, share);
      return current();
    };
    this.#watch.working('path', 0);
    try {
      const { status } = await this.#client.path(problem, {
        points: points_of_path,
        ratio: 1e-2,
        signal,
        sliceMilliseconds: 8,
        onProgress: watched('path'),
        onPoint: (point) => {
          if (!current()) return false;
          if (points.length && point.lambda >= points.at(-1)!.lambda) points.length = 0; // another worker begins again
          points.push(point);
          this.#watch.point(points);
          return true;
        },
      });
      if (!current() || status !== 'converged') return;
      await this.#validate(problem, points, running, watched('folds'));
    } catch (error) {
      if (current()) this.#watch.failed(error as Error);
    }
    if (!current()) return;
    this.#running = null;
    this.#watch.working(null, 1);
  }

  async #validate(problem: TableProblem, points: Point[], running: AbortController, onProgress: (at: { share: number }) => boolean): Promise<void> {
    const lambdas = points.map(({ lambda }) => lambda);
    this.#watch.working('folds', 0);
    try {
      const { signal } = running;
      const found = await this.#client.crossValidate(problem, { lambdas, folds, calibrate: 'softmax', signal, onProgress, sliceMilliseconds: 8 });
      if (this.#running === running) this.#watch.validated(found, '');
    } catch (error) {
      const { status, message } = error as Error & { status?: string };
      if (this.#running !== running) return;
      if (status === 'missing_class' || status === 'invalid_option') this.#watch.validated(null, message);
      else throw error;
    }
  }

  /** A model of one λ, with probabilities where cross-validation can give them. Rejects with status 'stopped'. */
  async calibrated(problem: TableProblem, lambda: number, signal: AbortSignal): Promise<WorkerModel> {
    try {
      const found = await this.#client.crossValidate(problem, { lambdas: [lambda], folds, calibrate: 'softmax', choose: 'min', signal, sliceMilliseconds: 8 });
      return found.model;
    } catch (error) {
      const { status } = error as { status?: string };
      if (status !== 'missing_class' && status !== 'invalid_option') throw error;
      return this.#client.train({ ...problem, lambda }, { signal, sliceMilliseconds: 8 });
    }
  }
}
