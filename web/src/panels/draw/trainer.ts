/** Trains in a worker, always the newest wish: what is running yields to it with its best model so far. */
import type { Loss, Penalty, Report } from 'tamis';
import type { WorkerClient, WorkerModel } from 'tamis/worker';
import { Ends, lambdaAt } from '../../lambda';
import { Newest, type Watcher } from '../../newest';
import type { samplesOf } from './collection';

export type Samples = ReturnType<typeof samplesOf>;

export interface Wish {
  data: Samples;
  loss: Loss;
  penalty: Penalty;
  tolerance: number;
  /** A value of λ, or the share of the slider's way. */
  weight: { lambda: number } | { share: number };
}
export type Chosen = Omit<Wish, 'weight'> & { lambda: number };

export interface Trained {
  model: WorkerModel;
  chosen: Chosen;
}

/** A run yields to a newer wish once its model is worth a look, or after a while: dragging shows models on the way. */
const worth_a_look = 0.1; // relative gap
const a_while = 300; // milliseconds
const most_iterations = 50_000;

export interface Following {
  started(chosen: Chosen): void;
  progress(report: Report): void;
}

export class Trainer {
  #client;
  #follow;
  #runs;
  #ends = new Ends();

  constructor(client: WorkerClient, follow: Following, watch: Watcher<Wish, Trained>) {
    this.#client = client;
    this.#follow = follow;
    this.#runs = new Newest<Wish, Trained>((wish, signal, superseded) => this.#train(wish, signal, superseded), {
      done: (trained, wish, newest) => (newest || certified(trained.model.report, worth_a_look)) && watch.done(trained, wish, newest),
      failed: watch.failed,
    });
  }

  train(wish: Wish): void {
    this.#runs.ask(wish);
  }
  stop(): void {
    this.#runs.stop();
  }

  /** The end of the slider, once a training has told it. */
  end({ data, ...pair }: Omit<Wish, 'weight'>): number | undefined {
    return this.#ends.of(data, pair);
  }

  async #train(wish: Wish, signal: AbortSignal, superseded: () => boolean): Promise<Trained> {
    const chosen = await this.#choose(wish);
    this.#follow.started(chosen);
    const since = performance.now();
    const onProgress = (report: Report) => {
      this.#follow.progress(report);
      return !(superseded() && (certified(report, worth_a_look) || performance.now() > since + a_while));
    };
    const { data, ...rest } = chosen;
    const model = await this.#client.train({ ...data, ...rest, maxIterations: most_iterations }, { signal, onProgress, sliceMilliseconds: 8 });
    this.#ends.remember(data, chosen, model.report.lambdaMax);
    return { model, chosen };
  }

  async #choose({ weight, ...wish }: Wish): Promise<Chosen> {
    if ('lambda' in weight) return { ...wish, lambda: weight.lambda };
    if (this.end(wish) === undefined) {
      const { data, loss, penalty } = wish;
      const nothing = await this.#client.train({ ...data, loss, penalty, lambda: 1e6, tolerance: 1 });
      this.#ends.remember(data, wish, nothing.report.lambdaMax);
    }
    return { ...wish, lambda: lambdaAt(weight.share, this.end(wish)!) };
  }
}

/** Before the first certificate, the objective is still zero. */
const certified = ({ objective, relativeGap }: Report, gap: number) => objective > 0 && relativeGap <= gap;
