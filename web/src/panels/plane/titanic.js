// The 2201 people on board the Titanic, from Dawson (1995), The 'unusual episode' data revisited, Journal of Statistics
// Education 3(3). Plain JavaScript, because the tests read it too.

/**
 * Who died and who survived, by travel class (1, 2, 3; 4: crew), age and sex.
 * @type {readonly { travel: number, adult: boolean, male: boolean, died: number, survived: number }[]}
 */
export const groups = [
  [1, true, true, 118, 57], [1, true, false, 4, 140], [1, false, true, 0, 5], [1, false, false, 0, 1],
  [2, true, true, 154, 14], [2, true, false, 13, 80], [2, false, true, 0, 11], [2, false, false, 0, 13],
  [3, true, true, 387, 75], [3, true, false, 89, 76], [3, false, true, 35, 13], [3, false, false, 17, 14],
  [4, true, true, 670, 192], [4, true, false, 3, 20],
].map(([travel, adult, male, died, survived]) =>
  ({ travel: Number(travel), adult: Boolean(adult), male: Boolean(male), died: Number(died), survived: Number(survived) }));

/** One per person: the number of the group, and whether the person survived (1). */
const people = groups.flatMap(({ died, survived }, group) =>
  Array.from({ length: died + survived }, (_, person) => ({ group, label: Number(person >= died) })));

/** Travel class, child, male: of mean 0 and variance 1 over all people; one row per group. */
export const features = standardised(groups.map(({ travel, adult, male }) => [travel, Number(!adult), Number(male)]));

/** @param {number[][]} rows */
function standardised(rows) {
  const weights = groups.map(({ died, survived }) => died + survived);
  const columns = [0, 1, 2].map((j) => {
    const value = (/** @type {number} */ g) => rows[g]?.[j] ?? 0;
    const sum = (/** @type {(g: number) => number} */ of) => weights.reduce((total, weight, g) => total + weight * of(g), 0);
    const mean = sum(value) / people.length;
    const deviation = Math.sqrt(sum((g) => (value(g) - mean) ** 2) / (people.length - 1));
    return rows.map((_, g) => (value(g) - mean) / deviation);
  });
  return rows.map((_, g) => columns.map((column) => column[g] ?? 0));
}

/**
 * So many people to train with and all others, in an order drawn with the seed, { X, y, groups } each.
 * @param {number} count
 * @param {number} seed
 */
export function split(count, seed) {
  const order = people.map((_, i) => i);
  const next = draws(BigInt(seed));
  for (let left = order.length; left > 1; --left) {
    const other = next(left);
    [order[other], order[left - 1]] = [order[left - 1] ?? 0, order[other] ?? 0];
  }
  const part = (/** @type {number[]} */ rows) => {
    const chosen = rows.flatMap((i) => people[i] ?? []);
    return {
      X: chosen.map(({ group }) => features[group] ?? []),
      y: chosen.map(({ label }) => label),
      groups: chosen.map(({ group }) => group),
    };
  };
  return { training: part(order.slice(0, count)), test: part(order.slice(count)) };
}

/**
 * Numbers below a bound, as the library draws them (tamis::Draws).
 * @param {bigint} seed
 */
function draws(seed) {
  const word = (/** @type {bigint} */ x) => BigInt.asUintN(64, x);
  let state = word(seed * 2862933555777941757n + 3037000493n);
  return (/** @type {number} */ below) => {
    state = word(state * 6364136223846793005n + 1442695040888963407n);
    return Number(((state >> 32n) * BigInt(below)) >> 32n);
  };
}

/** @typedef {ReturnType<typeof split>} Split */
/** @typedef {Split['training']} Part */
