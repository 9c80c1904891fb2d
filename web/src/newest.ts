/** Work of which only the newest wish matters: what is under way may yield to it, and wishes in between are left out. */
export interface Watcher<Wish, Result> {
  started?(wish: Wish): void;
  /** `newest`: nothing else is wished for, so that this one stays. */
  done(result: Result, wish: Wish, newest: boolean): void;
  failed(error: Error, wish: Wish, newest: boolean): void;
}

/** `superseded()`: whether something newer waits. */
export type Work<Wish, Result> = (wish: Wish, signal: AbortSignal, superseded: () => boolean) => Promise<Result>;

export class Newest<Wish, Result> {
  #work;
  #watch;
  #next: { wish: Wish } | null = null;
  #running: AbortController | null = null;

  constructor(work: Work<Wish, Result>, watch: Watcher<Wish, Result>) {
    this.#work = work;
    this.#watch = watch;
  }

  get busy(): boolean {
    return this.#running !== null;
  }

  ask(wish: Wish): void {
    this.#next = { wish };
    if (!this.#running) void this.#run();
  }

  /** Ends what is under way, with its best so far. */
  stop(): void {
    this.#running?.abort();
  }

  async #run(): Promise<void> {
    while (this.#next) {
      const { wish } = this.#next;
      this.#next = null;
      this.#running = new AbortController();
      this.#watch.started?.(wish);
      try {
        const result = await this.#work(wish, this.#running.signal, () => this.#next !== null);
        this.#watch.done(result, wish, this.#next === null);
      } catch (error) {
        this.#watch.failed(error as Error, wish, this.#next === null);
      }
    }
    this.#running = null;
  }
}
