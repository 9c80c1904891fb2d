/** Trains in a worker, always the newest wish: what is running yields to it with its best model so far. */
import type { Loss, Penalty, Report } from 'tamis';
import type { WorkerClient, WorkerModel } from 'tamis/worker';
import { Ends, lambdaAt } from '../../lambda';
import { Newest, type Watcher } from '../../newest';
import { fewOf, type samplesOf } from './collection';

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

/** The path of a problem, for the slider to run along: models at equal steps of its way, warm-started from the end. */
interface Trail {
  data: Samples;
  models: (WorkerModel | undefined)[];
  stop: AbortController;
}
const trail_points = 101;
const trail_gap = 0.01;

export interface Following {
  started(chosen: Chosen): void;
  /** The first model of all, which has learned from a part of the samples. */
  glimpsed(trained: Trained, samples: number): void;
  progress(report: Report): void;
}

export class Trainer {
  #client;
  #follow;
  #runs;
  #ends = new Ends();
  #trails = new WeakMap<Samples, Map<string, Trail>>();
  #trail: Trail | null = null; // that is under way
  #glimpsed = false;

  constructor(client: WorkerClient, follow: Following, watch: Watcher<Wish, Trained>) {
    this.#client = client;
    this.#follow = follow;
    this.#runs = new Newest<Wish, Trained>((wish, signal, superseded) => this.#train(wish, signal, superseded), {
      done: (trained, wish, newest) => (newest || certified(trained.model.report, worth_a_look)) && watch.done(trained, wish, newest),
      failed: watch.failed,
    });
  }

  train(wish: Wish): void {
    if (this.#trail?.data !== wish.data) this.#trail?.stop.abort();
    this.#runs.ask(wish);
  }
  stop(): void {
    this.#runs.stop();
    this.#trail?.stop.abort();
  }

  /** Follows the path, so that dragging shows models at once: not for the hinge, whose points do not help each other. */
  follow(wish: Omit<Wish, 'weight'>): void {
    const end = this.end(wish);
    const { data, loss, penalty } = wish;
    const name = `${loss} ${penalty}`;
    const known = this.#trails.get(data) ?? new Map<string, Trail>();
    if (end === undefined || loss === 'hinge' || known.has(name)) return;
    this.#trail?.stop.abort();
    const trail: Trail = { data, models: [], stop: new AbortController() };
    this.#trail = trail;
    this.#trails.set(data, known.set(name, trail));
    const lambdas = Array.from({ length: trail_points }, (_, i) => lambdaAt(1 - i / (trail_points - 1), end));
    let at = 0;
    const path = this.#client.path({ ...data, loss, penalty, tolerance: trail_gap }, {
      lambdas, signal: trail.stop.signal, onPoint: (point) => void (trail.models[at++] = point.model),
    });
    const forget = () => void known.delete(name); // it may begin again
    path.then(({ status }) => status === 'stopped' && forget(), forget);
  }

  /** The model of the path that is nearest to that share of the slider's way, if it is there already. */
  nearest({ data, loss, penalty }: Omit<Wish, 'weight'>, share: number): WorkerModel | undefined {
    return this.#trails.get(data)?.get(`${loss} ${penalty}`)?.models[Math.round((1 - share) * (trail_points - 1))];
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
    const few = this.#glimpsed ? null : fewOf(data);
    this.#glimpsed = true;
    if (few) {
      const model = await this.#client.train({ ...few, ...rest, maxIterations: most_iterations }, { signal, bestOnAbort: true });
      if (model.report.status === 'converged') this.#follow.glimpsed({ model, chosen }, few.y.length);
    }
    const model = await this.#client.train({ ...data, ...rest, maxIterations: most_iterations }, { signal, bestOnAbort: true, onProgress, sliceMilliseconds: 8 });
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
