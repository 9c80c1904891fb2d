// Stability selection inside a module: paths of random halves of the samples, by sample weights, and what they keep. As
// StabilitySelection of lib/include/tamis/selection/stability.hpp counts, with the halves that it draws.

import { TamisError } from './error.js';
import { countOf, numberOf, shown } from './problem.js';
import { Run } from './run.js';
import { drive, gridOf, most_steps, sizeGrids, withLimit } from './selection.js';
import { otherWork } from './slices.js';

const state_bytes = 270 * 8; // TAMIS_PATH_WORDS
const invalidOption = (message) => new TamisError('invalid_option', message);
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
  if (groups === undefined || groups === 'rows' || !['group-l2', 'group-linf', 'sparse-group'].includes(penalty)) return one;
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
  if (!Number.isSafeInteger(seed) || seed < 0) throw invalidOption(`seed: ${shown(seed)} is not a whole number of at least 0`);
  return { subsamples, threshold, falseSelections, seed, maxFeatures };
}

/** Paths of halves on one copy of the samples. */
class Halves extends Run {
  #grid;
  #units;
  #ever; // units that the half at hand keeps at any lambda
  #last; // and at the last one
  #points; // counted for the half at hand
  #weights;
  #draws;
  counts; // points × units: halves that keep the unit
  selected = 0; // units that halves keep at any lambda, in all
  half = 0;

  constructor(module, problem, grid, seed) {
    const ones = (list) => list ?? new Float64Array(problem.y?.length ?? 0).fill(1);
    super(module, { ...problem, lambda: 0, sampleWeights: ones(problem.sampleWeights) }, {
      stateBytes: state_bytes,
      arenaBytes: (fields, nonzeros) => module.selectionBytes(fields, sizeGrids(grid, problem), 0, nonzeros),
      more: (samples) => ({
        grid: module.gridBytes, lambdas: grid.points * module.scalarBytes, side: samples * 4, order: samples * 4, rare: 4,
      }),
    });
    this.#grid = grid;
    this.#draws = draws(seed);
    const first = this.at.weights / module.scalarBytes;
    this.#weights = module.reals.slice(first, first + this.samples.samples);
    this.units = unitsOf(problem, this.samples.features);
    this.#units = new Uint32Array(this.samples.features);
    this.units.forEach((list, unit) => list.forEach((j) => (this.#units[j] = unit)));
    this.counts = new Uint32Array(grid.points * this.units.length);
  }

  /** The least lambda at which all samples keep nothing. */
  startAll() {
    this.#begin({ first: NaN, ratio: 1, points: 1 });
  }
  get lambda() {
    return this.module.real('path_lambda', this.at.state);
  }

  startHalf(first, ratio, maxFeatures) {
    const { module, at } = this;
    const { samples } = this.samples;
    if (this.half % 2 === 0) {
      const seed = (this.#draws.next().value << 32n) | this.#draws.next().value;
      if (!module.common('deal_folds', at.labels, samples, this.classes.length, 2, 1, BigInt.asIntN(64, seed), at.side, at.order,
        at.rare)) {
        const column = module.words[at.rare / 4];
        if (column >= this.classes.length) throw new TamisError('invalid_shape', `${samples} samples have no halves`);
        throw new TamisError('missing_class', `class ${shown(this.classes[column])} has one sample, and halves need one each`, {
          column,
        });
      }
    }
    const [side, weight] = [at.side / 4, at.weights / module.scalarBytes];
    for (let i = 0; i < samples; ++i)
      module.reals[weight + i] = module.words[side + i] === this.half % 2 ? this.#weights[i] : 0;
    this.#ever = new Uint8Array(this.units.length);
    this.#last = new Uint8Array(this.units.length);
    this.#points = 0;
    const { lambdas, points } = this.#grid;
    if (lambdas) module.reals.set(lambdas, at.lambdas / module.scalarBytes);
    this.#begin({ first: lambdas ? NaN : first, ratio, points, maxFeatures, lambdas: lambdas ? at.lambdas : 0 });
    this.#look();
  }
  #begin(grid) {
    const { module, at } = this;
    module.writeGrid(at.grid, grid);
    this.timed(() => module.call('path_start', at.state, at.problem, at.grid, at.arena, this.arenaBytes));
    this.refuse('path_report');
  }

  advance(milliseconds, seen = () => {}) {
    this.advanceBy(milliseconds, (steps) => this.module.call('path_step', this.at.state, steps), { most: most_steps, seen });
    this.refuse('path_report');
  }
  advanceHalf(milliseconds) {
    this.advance(milliseconds, () => this.#look());
    if (!this.running && this.status === 'converged') this.#endHalf();
  }
  /** Counts a point that is there for the first time. */
  #look() {
    const { module, at } = this;
    if (module.call('path_points', at.state) === this.#points) return;
    module.call('path_model', at.state, at.model);
    const { kept } = module.readKept(at.model);
    this.#last.fill(0);
    for (const j of kept) this.#last[this.#units[j]] = this.#ever[this.#units[j]] = 1;
    this.#count();
  }
  #count() {
    const first = this.#points++ * this.units.length;
    this.#last.forEach((kept, unit) => (this.counts[first + unit] += kept));
  }
  #endHalf() {
    while (this.#points < this.#grid.points) this.#count(); // a path that ends early keeps its last selection
    this.selected += this.#ever.reduce((sum, kept) => sum + kept, 0);
    ++this.half;
  }
  /** Whether a half that was started is done already. */
  endIfDone() {
    if (this.running) return false;
    this.#endHalf();
    return true;
  }

  stop() {
    if (this.running) this.module.call('path_stop', this.at.state);
    this.status = 'stopped';
  }
  report() {
    return this.reportBy('path_report');
  }
}

/** The result as plain data: see StabilitySelection in tamis.d.ts. */
export async function selectStable(module, problem, options = {}) {
  const asked = wishesOf(options);
  if (problem.penalty === 'ridge')
    throw invalidOption('penalty: ridge keeps every feature, so that there is nothing to select');
  if (problem.eta !== undefined) throw new TamisError('invalid_eta', 'eta: a path is of the form with lambda');
  const limited = withLimit(problem, options);
  const grid = gridOf({ ...options, maxFeatures: undefined }, limited, 100);
  const run = new Halves(module, limited, grid, asked.seed);
  try {
    const { units, samples: { features } } = run;
    const most = maxFeaturesOf(asked, units.length, features);
    let done = 0;
    const told = () => ({
      stage: 'halves', half: run.half, halves: asked.subsamples, share: run.half / asked.subsamples, report: run.report(),
    });
    const refuseStopped = () => {
      if (run.status === 'stopped') throw new TamisError('stopped', 'the stability selection was stopped');
    };
    const ratio = grid.lambdas ? 1 : grid.ratio ?? 1e-2; // the halves end early
    let first = NaN;
    if (!grid.lambdas) {
      run.startAll();
      await drive(run, options, (milliseconds) => run.advance(milliseconds), told);
      refuseStopped();
      first = run.lambda;
    }
    while (done < asked.subsamples) {
      run.startHalf(first, ratio, most);
      if (!run.endIfDone()) await drive(run, options, (milliseconds) => run.advanceHalf(milliseconds), told);
      refuseStopped();
      ++done;
      const goOn = options.onProgress?.(told()) !== false && !options.signal?.aborted;
      if (done === asked.subsamples) break;
      if (!goOn) run.stop();
      refuseStopped();
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
  return Array.from({ length: points }, (_, l) => (module.precision === 'float' ? Math.fround(at(l)) : at(l)));
}
