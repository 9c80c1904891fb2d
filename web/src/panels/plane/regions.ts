/**
 * The plane in the colours of the classes that a model predicts, the stronger the further their score is ahead of the
 * next. Scores are computed coarse first, then finer, in slices between which the page does other work.
 */
export interface Scorer {
  scores(x: ArrayLike<number>): ArrayLike<number>;
}
export type Colour = readonly [red: number, green: number, blue: number];

const levels = [17, 33, 65, 129] as const; // places in a row; each level has all places of the one before
const finest = levels[levels.length - 1]!;
const slice = 6; // milliseconds
const [faintest, strongest] = [0.08, 0.52]; // share of the class's colour
const certain = 1.6; // from this lead on, a colour is at its strongest

export class Regions {
  #canvas;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: { level: number; scores: Float32Array; classes: number } | null = null;
  #colours: readonly Colour[] = [];
  #paper: Colour = [255, 255, 255];

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** One colour for each of the model's classes. `finished` when the finest level is there. */
  show(model: Scorer, colours: readonly Colour[], paper: Colour, finished: () => void): void {
    this.stop();
    this.#colours = colours;
    this.#paper = paper;
    const classes = colours.length;
    const scores = new Float32Array(finest * finest * classes);
    const known = new Uint8Array(finest * finest);
    let [level, at] = [0, 0];
    const work = () => {
      const end = performance.now() + slice;
      while (performance.now() < end) {
        const across = levels[level]!;
        const step = (finest - 1) / (across - 1);
        for (let i = 0; i < 16 && at < across * across; ++i, ++at) {
          const [row, column] = [step * Math.floor(at / across), step * (at % across)];
          const place = row * finest + column;
          if (known[place]) continue;
          known[place] = 1;
          scores.set(model.scores([(2 * column) / (finest - 1) - 1, 1 - (2 * row) / (finest - 1)]), place * classes);
        }
        if (at < across * across) continue;
        this.#shown = { level, scores, classes };
        this.#paint();
        at = 0;
        if (++level === levels.length) return finished();
        break; // a painted level is enough for one slice
      }
      this.#timer = setTimeout(work);
    };
    work();
  }

  /** The same in other colours. */
  recolour(colours: readonly Colour[], paper: Colour): void {
    this.#colours = colours;
    this.#paper = paper;
    if (this.#shown) this.#paint();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    this.stop();
    this.#shown = null;
    this.#canvas.getContext('2d')?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  /** Scores between places are interpolated, so that borders are sharp at every level. */
  #paint(): void {
    const context = this.#canvas.getContext('2d');
    if (!context || !this.#shown) return;
    const { level, scores, classes } = this.#shown;
    const size = this.#canvas.width;
    const step = (finest - 1) / (levels[level]! - 1);
    const image = context.createImageData(size, size);
    const { data } = image;
    const colours = this.#colours.flat();
    const [red, green, blue] = this.#paper;
    // Of each row and column: the place before it, and how far it is on the way to the next.
    const before = new Int32Array(size);
    const way = new Float32Array(size);
    for (let i = 0; i < size; ++i) {
      const at = ((finest - 1) * (i + 0.5)) / size;
      before[i] = Math.min(Math.floor(at / step) * step, finest - 1 - step);
      way[i] = (at - before[i]!) / step;
    }
    const [right, down] = [step * classes, step * finest * classes];
    for (let row = 0, to = 0; row < size; ++row) {
      const low = way[row]!;
      for (let column = 0; column < size; ++column, to += 4) {
        const far = way[column]!;
        const corner = (before[row]! * finest + before[column]!) * classes;
        let best = 0;
        let first = -Infinity;
        let second = -Infinity;
        for (let k = corner; k < corner + classes; ++k) {
          const upper = scores[k]! + far * (scores[k + right]! - scores[k]!);
          const lower = scores[k + down]! + far * (scores[k + down + right]! - scores[k + down]!);
          const score = upper + low * (lower - upper);
          if (score > first) {
            second = first;
            first = score;
            best = k - corner;
          } else if (score > second) second = score;
        }
        const share = faintest + (strongest - faintest) * Math.min((first - second) / certain, 1);
        data[to] = red + share * (colours[3 * best]! - red);
        data[to + 1] = green + share * (colours[3 * best + 1]! - green);
        data[to + 2] = blue + share * (colours[3 * best + 2]! - blue);
        data[to + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }
}
