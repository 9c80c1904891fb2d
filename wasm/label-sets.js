// Samples with several labels, or none: their sets as the module has them, and sets from scores.

import { invalidOption, invalidShape, TamisError } from './error.js';
import { choice, isArrayLike, labelListOf, labelsOf, ranking } from './problem.js';

const kinds = ['linear', 'per-class']; // tamis_thresholds_kind
const scored_struct = { words: ['scores', 'labels', 'starts', 'members', 'sets', 'samples', 'classes', 'stride'] }; // tamis_scored_sets
const thresholds_struct = { words: ['slopes', 'offsets', 'classes'] };

/** Refuses thresholds that mean nothing to the loss, or to a run that is not one training. */
export function checkThresholds({ loss, thresholds }, single) {
  if (thresholds === undefined) return;
  if (!single) throw invalidOption('thresholds: are chosen by train() alone');
  choice('thresholds', thresholds, kinds);
  if (loss !== ranking)
    throw invalidOption(`thresholds: makes sets of labels of scores that rank: it is for ${ranking}, not for ${loss}`);
}

/**
 * Of one array of labels per sample: { classes, labels, sets: { starts, members } }, labels the numbers of sets, which are
 * in ascending order, as the tamis command has them.
 */
export function setsOf(y, samples) {
  labelListOf(y, samples);
  for (let i = 0; i < samples; ++i) {
    if (!isArrayLike(y[i]))
      throw new TamisError('invalid_label', `y[${i}]: with ${ranking} a sample has an array of labels, which may be empty`, { row: i });
    for (let e = 0; e < y[i].length; ++e)
      if (!['string', 'number'].includes(typeof y[i][e]) || Number.isNaN(y[i][e]))
        throw new TamisError('invalid_label', `y[${i}][${e}]: a label must be a number or a string`, { row: i });
  }
  const all = Array.from(y, (set) => Array.from(set)).flat();
  const { classes, labels: numbers } = labelsOf(all, all.length);
  const known = new Map(); // sets by their text
  let e = 0;
  const texts = Array.from(y, (labels, i) => {
    const set = Array.from(numbers.subarray(e, (e += labels.length))).sort((a, b) => a - b);
    if (set.some((k, place) => k === set[place - 1]))
      throw new TamisError('invalid_label', `y[${i}]: names a label twice`, { row: i });
    known.set(String(set), set);
    return String(set);
  });
  if (known.size > 65536) throw invalidShape(`${known.size} different sets of labels: 65536 are the most`);
  const before = (a, b) => {
    const place = a.findIndex((k, at) => k !== b[at]);
    return place < 0 ? a.length - b.length : (a[place] - (b[place] ?? -1));
  };
  const sets = [...known.values()].sort(before);
  const place = new Map(sets.map((set, at) => [String(set), at]));
  const starts = Uint32Array.of(0, ...sets.map((set) => set.length)).map(((sum) => (length) => (sum += length))(0));
  return {
    classes, labels: Uint16Array.from(texts, (text) => place.get(text)), sets: { starts, members: Uint16Array.from(sets.flat()) },
  };
}

/** { kind, slopes, offsets } chosen on scores, samples × classes, whose sets are as setsOf gives them; in a module of features. */
export function chooseThresholds(module, kind, scores, labels, { starts, members }, classes) {
  const samples = labels.length;
  const bytes = module.call('thresholds_bytes', kinds.indexOf(kind), samples, classes);
  const parts = {
    scores, labels, starts, members, scored: module.bytesOf(scored_struct), thresholds: module.bytesOf(thresholds_struct), arena: bytes,
  };
  return module.with(parts, (at) => {
    module.write(scored_struct, at.scored, { ...at, sets: starts.length - 1, samples, stride: classes, classes });
    const status = module.statuses[module.call('choose_thresholds', kinds.indexOf(kind), at.scored, at.arena, bytes, at.thresholds)];
    if (status !== 'converged') throw new TamisError(status, `thresholds: ${module.sentence(status)}`);
    const { slopes, offsets } = module.read(thresholds_struct, at.thresholds);
    return { kind, slopes: Array.from(module.realsAt(slopes, classes)), offsets: Array.from(module.realsAt(offsets, classes)) };
  });
}

/** The numbers of the classes of a sample with these scores, ascending, in the arithmetic of the tamis command. */
export function setOf({ slopes, offsets }, scores) {
  const shift = slopes.reduce((sum, slope, k) => sum + slope * scores[k], 0);
  return offsets.flatMap((offset, k) => (scores[k] > shift + offset ? [k] : []));
}

/** The means that the tamis command reports, of scores and the sets of names that they should be. */
export function evaluateSets(classes, thresholds, allScores, y) {
  const numbers = new Map(classes.map((label, k) => [String(label), k]));
  let [samples, ranked, right, loss, exact, wrong, hits, named] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const scores of allScores) {
    const truth = new Set(Array.from(y[samples++], (label) => numbers.get(String(label)) ?? `unseen ${label}`));
    const inside = (k) => truth.has(k);
    const members = classes.flatMap((_, k) => (inside(k) ? [k] : []));
    const others = classes.flatMap((_, k) => (inside(k) ? [] : [k]));
    if (truth.size && others.length) {
      ++ranked;
      let misplaced = (truth.size - members.length) * others.length; // labels that the model does not have are below all
      for (const r of members) for (const k of others) misplaced += !(scores[r] > scores[k]);
      loss += misplaced / (truth.size * others.length);
      right += inside(scores.indexOf(Math.max(...scores)));
    }
    if (!thresholds) continue;
    const set = setOf(thresholds, scores);
    const common = set.filter(inside).length;
    const off = set.length + members.length - 2 * common;
    exact += off === 0 && members.length === truth.size;
    wrong += off;
    hits += common;
    named += set.length + truth.size;
  }
  return {
    samples: ranked, accuracy: ranked ? right / ranked : NaN, rankingLoss: ranked ? loss / ranked : NaN,
    sets: thresholds && { samples, exact: exact / samples, hammingLoss: wrong / (samples * classes.length), microF1: named ? (2 * hits) / named : 0 },
  };
}
