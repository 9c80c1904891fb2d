/** A client whose worker is replaced when it dies; what was asked of it begins again. */
import type { WorkerClient, WorkerInteractionModel, WorkerKernelModel, WorkerModel } from 'tamis/worker';

type Asked = Pick<WorkerClient, 'train' | 'path' | 'crossValidate' | 'trainInteractions' | 'selectInteractions' | 'trainKernels' |
  'selectKernels' | 'stabilitySelection' | 'scatterImages' | 'scatterSignals' | 'windowFeatures' | 'hashText' | 'tfIdf' | 'fromJSON'>;
type AnyModel = WorkerModel | WorkerInteractionModel | WorkerKernelModel;

const most_attempts = 3;

export class ReplacedClient implements WorkerClient {
  #make;
  #current: WorkerClient;
  #again = 0; // how many are under way that began again
  /** Told when something begins again, and when all of that has ended. */
  onLost: (lost: boolean) => void = () => {};

  constructor(make: () => WorkerClient) {
    this.#make = make;
    this.#current = make();
  }

  get started() {
    return this.#current.started;
  }
  get ready() {
    return this.#current.ready;
  }
  readonly train: Asked['train'] = async (...given) => this.adopt(await this.#ask((client) => client.train(...given)));
  readonly path: Asked['path'] = (...given) => this.#ask((client) => client.path(...given));
  readonly crossValidate: Asked['crossValidate'] = async (...given) => {
    const found = await this.#ask((client) => client.crossValidate(...given));
    return { ...found, model: this.adopt(found.model), refit: found.refit && this.adopt(found.refit) };
  };
  readonly trainInteractions: Asked['trainInteractions'] = async (...given) =>
    this.adopt(await this.#ask((client) => client.trainInteractions(...given)));
  readonly selectInteractions: Asked['selectInteractions'] = async (...given) => {
    const found = await this.#ask((client) => client.selectInteractions(...given));
    return { ...found, model: this.adopt(found.model) };
  };
  readonly trainKernels: Asked['trainKernels'] = async (...given) =>
    this.adopt(await this.#ask((client) => client.trainKernels(...given)));
  readonly selectKernels: Asked['selectKernels'] = async (...given) => {
    const found = await this.#ask((client) => client.selectKernels(...given));
    return { ...found, model: this.adopt(found.model) };
  };
  readonly stabilitySelection: Asked['stabilitySelection'] = (...given) => this.#ask((client) => client.stabilitySelection(...given));
  readonly scatterImages: Asked['scatterImages'] = (...given) => this.#ask((client) => client.scatterImages(...given));
  readonly scatterSignals: Asked['scatterSignals'] = (...given) => this.#ask((client) => client.scatterSignals(...given));
  readonly windowFeatures: Asked['windowFeatures'] = (...given) => this.#ask((client) => client.windowFeatures(...given));
  readonly hashText: Asked['hashText'] = (...given) => this.#ask((client) => client.hashText(...given));
  readonly tfIdf: Asked['tfIdf'] = (...given) => this.#ask((client) => client.tfIdf(...given));

  readonly fromJSON: Asked['fromJSON'] = async (...given) => this.adopt(await this.#ask((client) => client.fromJSON(...given)));

  /** The same model; whichever worker lives when it is asked for writes it as C or as a blob. */
  adopt<M extends AnyModel>(model: M): M {
    const made = model as AnyModel;
    made.toC = (options) => this.#ask((client) => client.adopt(made).toC(options));
    if ('toBlob' in made) made.toBlob = () => this.#ask((client) => client.adopt(made).toBlob());
    return model;
  }

  close(): void {
    this.#current.close();
  }
  [Symbol.dispose](): void {
    this.close();
  }

  async #ask<Result>(work: (client: WorkerClient) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; ++attempt) {
      const client = this.#current;
      try {
        const result = await work(client);
        if (attempt > 1 && --this.#again === 0) this.onLost(false);
        return result;
      } catch (error) {
        const lost = isLost(error);
        if (lost && client === this.#current) this.#current = this.#make();
        if (!lost || attempt === most_attempts) {
          if (attempt > 1) --this.#again;
          throw error;
        }
        if (attempt === 1) ++this.#again;
        this.onLost(true);
      }
    }
  }
}

const isLost = (error: unknown) => (error as { status?: string } | null)?.status === 'worker_lost';
