/** Plays the path over λ: the slider goes down one step after the other, and each waits until the model of the one before is painted. */
const most_frames = 40;
const least_time = 60; // milliseconds that a frame stays

export class PathPlayer {
  #step;
  #stepped;
  #left: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `step`: shows the model at this place of the slider; `stepped`: playing has begun or ended. */
  constructor(step: (place: number) => void, stepped: (playing: boolean) => void) {
    this.#step = step;
    this.#stepped = stepped;
  }

  /** Whether there are places to come. */
  get playing(): boolean {
    return this.#left.length > 0;
  }

  play(from: number, to: number): void {
    this.stop();
    const stride = Math.max(1, Math.ceil((from - to) / most_frames));
    for (let place = from; place > to; place -= stride) this.#left.push(place);
    this.#left.push(to);
    this.#stepped(true);
    this.#next();
  }

  /** The model of the last step is on screen. */
  painted(): void {
    clearTimeout(this.#timer);
    if (this.playing) this.#timer = setTimeout(() => this.#next(), least_time);
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (!this.playing) return;
    this.#left = [];
    this.#stepped(false);
  }

  #next(): void {
    const place = this.#left.shift()!;
    if (!this.playing) this.#stepped(false);
    this.#step(place);
  }
}
