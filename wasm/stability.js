// Stability selection inside a module: paths of random halves of the samples, by sample weights, and what they keep. As
// StabilitySelection of lib/include/tamis/selection/stability.hpp counts, with the halves that it draws.

import { invalidOption, invalidShape, TamisError } from './error.js';
import { gridOf, withLimit } from './grid.js';
import { PathRun } from './paths.js';
import { countOf, dense, numberOf, roundingOf, seedOf, shown, takers } from './problem.js';
import { driveThrough } from './selection.js';
import { otherWork, stopped } from './slices.js';

const what = 'the stability selection';
const all_ones = 0xffffffffn;

/** The numbers below 2^32 - 1 of Draws in folds.hpp. */
function* draws(seed) {
  let state = BigInt.asUintN(64, BigInt(seed) * 2862933555777941757n + 3037000493n);
  for (;;) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    yield ((state >> 32n) * all_ones) >> 32n;
  }
}

/** The features of each unit: one, or those of a group of the problem. */
function unitsOf({ groups, penalty }, features) {
  const one = Array.from({ length: features }, (_, j) => [j]);
  if (groups === undefined || groups === 'rows' || !takers.groups.includes(penalty)) return one;
  const units = new Map();
  one.forEach(([j]) => {
    const group = groups.blocks ? Math.floor(j / groups.blocks) : groups[j];
    if (!units.has(group)) units.set(group, []);
    units.get(group).push(j);
  });
  return [...units].sort(([a], [b]) => a - b).map(([, list]) => list);
}

/** What is asked for, checked. */
function wishesOf({ subsamples = 100, threshold, falseSelections, seed = 0, maxFeatures }) {
  countOf('subsamples', subsamples);
  if (subsamples % 2) throw invalidOption(`subsamples: ${subsamples} is odd, and halves come in pairs`);
  if (threshold !== undefined && !(numberOf(threshold) > 0.5 && threshold <= 1))
    throw invalidOption(`threshold: ${shown(threshold)} does not lie above 1/2 and up to 1`);
  if (falseSelections !== undefined && !(numberOf(falseSelections) > 0 && falseSelections < Infinity))
    throw invalidOption(`falseSelections: ${shown(falseSelections)} is not positive`);
  if (threshold !== undefined && falseSelections !== undefined && maxFeatures !== undefined)
    throw invalidOption('threshold, falseSelections and maxFeatures: two of them say what the third is; leave one out');
  return { subsamples, threshold, falseSelections, seed: seedOf(seed), maxFeatures };
}

/** Paths of halves on one copy of the samples. */
class Halves extends PathRun {
  #units;
  #ever; // units that the half at hand keeps at any lambda
  #last = null; // and at the last one; null before there are halves
  #points; // counted for the half at hand
  #weights;
  #draws;
  counts; // points × units: halves that keep the unit
  selected = 0; // units that halves keep at any lambda, in all
  half = 0;

  constructor(module, problem, grid, seed) {
    const sampleWeights = problem.sampleWeights ?? new Float64Array(problem.y?.length ?? 0).fill(1);
    super(module, { ...problem, sampleWeights }, grid);
    const { samples, features } = this;
    this.#draws = draws(seed);
    this.#weights = this.lists.weights;
    this.units = unitsOf(problem, features);
    this.#units = new Uint32Array(features);
    this.units.forEach((list, unit) => list.forEach((j) => (this.#units[j] = unit)));
    this.counts = new Uint32Array(grid.points * this.units.length);
    this.holdPath({ side: samples * 4, order: samples * 4, rare: 4 });
  }

  startHalf(first, ratio, maxFeatures) {
    const { module, at, samples, grid: { lambdas, points } } = this;
    if (this.half % 2 === 0) this.#deal();
    const [side, weight] = [at.side / 4, at.weights / module.scalarBytes];
    for (let i = 0; i < samples; ++i)
      module.reals[weight + i] = module.words[side + i] === this.half % 2 ? this.#weights[i] : 0;
    this.#ever = new Uint8Array(this.units.length);
    this.#last = new Uint8Array(this.units.length);
    this.#points = 0;
    this.startPath({ lambdas, first: lambdas ? NaN : first, ratio, points, maxFeatures });
    this.seen();
  }
  #deal() {
    const { module, at, samples, classes } = this;
    const seed = (this.#draws.next().value << 32n) | this.#draws.next().value;
    if (module.common('deal_folds', at.labels, samples, classes.length, 2, 1, BigInt.asIntN(64, seed), at.side, at.order, at.rare)) return;
    const column = module.words[at.rare / 4];
    if (column >= classes.length) throw invalidShape(`${samples} samples have no halves`);
    throw new TamisError('missing_class', `class ${shown(classes[column])} has one sample, and halves need one each`, { column });
  }

  /** Counts a point that is there for the first time, and those that are missing at the end of a half. */
  seen() {
    if (!this.#last) return;
    if (this.pointsOfModule > this.#points) {
      this.#last.fill(0);
      for (const j of this.readPoint().kept) this.#last[this.#units[j]] = this.#ever[this.#units[j]] = 1;
      this.#count();
    }
    if (this.running || this.status === 'stopped') return;
    while (this.#points < this.grid.points) this.#count(); // a path that ends early keeps its last selection
    this.selected += this.#ever.reduce((sum, kept) => sum + kept, 0);
    ++this.half;
  }
  #count() {
    const first = this.#points++ * this.units.length;
    this.#last.forEach((kept, unit) => (this.counts[first + unit] += kept));
  }
}

/** The result as plain data: see StabilitySelection in tamis.d.ts. */
export async function selectStable(module, problem, options = {}) {
  const asked = wishesOf(options);
  if (dense.includes(problem.penalty))
    throw invalidOption(`penalty: ${problem.penalty} keeps every feature, so that there is nothing to select`);
  const limited = withLimit(problem, options);
  const grid = gridOf({ ...options, maxFeatures: undefined }, limited, 100);
  const run = new Halves(module, limited, grid, asked.seed);
  try {
    const { units, features } = run;
    const most = maxFeaturesOf(asked, units.length, features);
    const told = () => ({
      stage: 'halves', half: run.half, halves: asked.subsamples, share: run.half / asked.subsamples, report: run.report(),
    });
    const ratio = grid.lambdas ? 1 : grid.ratio ?? 1e-2; // the halves end early
    let first = NaN;
    if (!grid.lambdas) {
      run.startPath({ ratio: 1, points: 1 }); // begins with the least lambda at which all samples keep nothing
      await driveThrough(what, run, options, told);
      first = run.lambda;
    }
    while (run.half < asked.subsamples) {
      run.startHalf(first, ratio, most);
      await driveThrough(what, run, options, told);
      const goOn = options.onProgress?.(told()) !== false;
      if (run.half === asked.subsamples) break;
      if (!goOn) throw stopped(what);
      await otherWork();
    }
    const lambdas = grid.lambdas ?? lambdasOf(module, first, ratio, grid.points);
    return outcomeOf(run, asked, { lambdas, most });
  } finally {
    run.release();
  }
}

/** With so many features at most, a threshold π selects at most V false ones of p units on average: √((2π − 1)pV). */
function maxFeaturesOf({ threshold = 0.9, falseSelections = 1, maxFeatures }, units, features) {
  if (maxFeatures !== undefined) return countOf('maxFeatures', maxFeatures);
  const most = Math.sqrt((2 * threshold - 1) * units * falseSelections) * (features / units);
  return Math.min(Math.max(Math.floor(most), 1), features);
}

function outcomeOf(run, { subsamples, threshold, falseSelections, maxFeatures }, { lambdas, most }) {
  const { units, counts } = run;
  const selectedByHalf = run.selected / subsamples;
  const square = selectedByHalf * selectedByHalf;
  let least = threshold ?? 0.9;
  if (threshold === undefined && falseSelections !== undefined && maxFeatures !== undefined) {
    least = 0.5 + square / (2 * falseSelections * units.length);
    if (least > 1)
      throw invalidOption('falseSelections: a half keeps so many features that no threshold bounds the false ones by ' +
        `${falseSelections}: lower maxFeatures`);
  }
  const ranked = units.map((features, unit) => {
    const frequencies = lambdas.map((_, l) => counts[l * units.length + unit] / subsamples);
    const frequency = Math.max(...frequencies);
    return { name: nameOf(run, features), features, frequency, selected: frequency >= least, frequencies };
  });
  ranked.sort((a, b) => b.frequency - a.frequency);
  return {
    ranked, lambdas, units: units.length, subsamples, maxFeatures: most, threshold: least, selectedByHalf,
    expectedFalseSelections: square / ((2 * least - 1) * units.length),
  };
}
function nameOf({ featureNames }, [first, ...more]) {
  return (featureNames?.[first] ?? `x${first}`) + (more.length ? ` and ${more.length} more` : '');
}

/** As Grid has them, equally spaced in logarithm. */
function lambdasOf(module, first, ratio, points) {
  const at = (l) => (l === 0 ? first : first * Math.exp(Math.log(ratio) * (l / (points - 1))));
  return Array.from({ length: points }, (_, l) => roundingOf(module.precision)(at(l)));
}
