/** A client whose worker is replaced when it dies; what was asked of it begins again. */
import type { WorkerClient } from 'tamis/worker';

type Asked = Omit<WorkerClient, 'ready' | 'close'>;

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

  get ready() {
    return this.#current.ready;
  }
  readonly train: Asked['train'] = (...given) => this.#ask((client) => client.train(...given));
  readonly path: Asked['path'] = (...given) => this.#ask((client) => client.path(...given));
  readonly crossValidate: Asked['crossValidate'] = (...given) => this.#ask((client) => client.crossValidate(...given));
  readonly trainInteractions: Asked['trainInteractions'] = (...given) => this.#ask((client) => client.trainInteractions(...given));
  readonly trainKernels: Asked['trainKernels'] = (...given) => this.#ask((client) => client.trainKernels(...given));
  readonly stabilitySelection: Asked['stabilitySelection'] = (...given) => this.#ask((client) => client.stabilitySelection(...given));
  readonly scatterImages: Asked['scatterImages'] = (...given) => this.#ask((client) => client.scatterImages(...given));
  readonly scatterSignals: Asked['scatterSignals'] = (...given) => this.#ask((client) => client.scatterSignals(...given));
  readonly windowFeatures: Asked['windowFeatures'] = (...given) => this.#ask((client) => client.windowFeatures(...given));
  readonly hashText: Asked['hashText'] = (...given) => this.#ask((client) => client.hashText(...given));
  readonly tfIdf: Asked['tfIdf'] = (...given) => this.#ask((client) => client.tfIdf(...given));

  close(): void {
    this.#current.close();
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
