/** The slider's scale: logarithmic from λ_max / 1000 to λ_max, for each loss and penalty. */
import type { Loss, Penalty } from 'tamis';

const span = 1000;
const most_of_ridge = 1; // nothing vanishes under a ridge: any number would do

interface Pair {
  loss: Loss;
  penalty: Penalty;
}
const known = new Map<string, number>();
const key = ({ loss, penalty }: Pair) => `${loss} ${penalty}`;

export function remember(pair: Pair, lambdaMax: number): void {
  if (!known.has(key(pair))) known.set(key(pair), Number.isFinite(lambdaMax) && lambdaMax > 0 ? lambdaMax : most_of_ridge);
}

/** The end of the slider, once a training has told it. */
export const most = (pair: Pair) => known.get(key(pair));
export const least = (most: number) => most / span;
export const lambdaAt = (share: number, most: number) => most * span ** (share - 1);
export const shareOf = (lambda: number, most: number) => 1 + Math.log(lambda / most) / Math.log(span);
