/** The slider's scale: logarithmic from λ_max / 1000 to λ_max, for each loss and penalty. */
import type { Loss, Penalty } from 'tamis';

const span = 1000;
const most_of_ridge = 1; // nothing vanishes under a ridge: any number would do

export interface Pair {
  loss: Loss;
  penalty: Penalty;
}
const key = ({ loss, penalty }: Pair) => `${loss} ${penalty}`;

/** The ends of the slider of each data set, once a training has told them. */
export class Ends {
  #known = new WeakMap<object, Map<string, number>>();

  of(data: object, pair: Pair): number | undefined {
    return this.#known.get(data)?.get(key(pair));
  }

  remember(data: object, pair: Pair, lambdaMax: number): void {
    const ends = this.#known.get(data) ?? new Map<string, number>();
    this.#known.set(data, ends);
    if (!ends.has(key(pair))) ends.set(key(pair), Number.isFinite(lambdaMax) && lambdaMax > 0 ? lambdaMax : most_of_ridge);
  }
}

export const least = (most: number) => most / span;
export const lambdaAt = (share: number, most: number) => most * span ** (share - 1);
export const shareOf = (lambda: number, most: number) => 1 + Math.log(lambda / most) / Math.log(span);
