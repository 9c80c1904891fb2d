// Which samples are held out together.

import { TamisError } from './error.js';
import { isArrayLike, shown } from './problem.js';

export const no_fold = 0xffffffff; // TAMIS_NO_FOLD
const invalidOption = (message, place) => new TamisError('invalid_option', message, place);

/**
 * Deals the samples, whose labels the module has at `at`: the fold of each. `foldOf` and `scratch` are addresses of a word per
 * sample, and of three words per sample and one per fold and class more.
 */
export function dealFolds(module, { at, labels, classes }, folds, { stratified = true, groups, seed = 0 }, foldOf, scratch) {
  const samples = labels.length;
  const counts = [samples, classes.length];
  const after = (address) => address + 4 * (samples + 1);
  if (!Number.isSafeInteger(seed) || seed < 0) throw invalidOption(`seed: ${shown(seed)} is not a whole number of at least 0`);
  if (groups === undefined) {
    const rare = after(scratch);
    if (!module.common('deal_folds', at, ...counts, folds, Number(Boolean(stratified)), BigInt(seed), foldOf, scratch, rare)) {
      const k = module.words[rare / 4];
      if (k >= classes.length || !stratified) throw invalidOption(`folds: there are ${samples} samples for ${folds} folds`);
      const count = labels.reduce((sum, label) => sum + (label === k), 0);
      throw invalidOption(`folds: class ${shown(classes[k])} has ${count} samples, fewer than the ${folds} folds`, {
        column: k,
      });
    }
  } else {
    const group = groupNumbers(groups, samples);
    const order = after(scratch);
    module.words.set(group.numbers, scratch / 4);
    if (!module.common('deal_groups', at, ...counts, scratch, folds, foldOf, order, after(order), after(after(order))))
      throw invalidOption(`folds: there are ${group.count} groups for ${folds} folds`);
  }
  return module.words.slice(foldOf / 4, foldOf / 4 + samples);
}

/** { numbers, count } of one group per sample, numbered in the order in which they occur. */
function groupNumbers(groups, samples) {
  if (!isArrayLike(groups)) throw invalidOption('groups must be an array with one group per sample');
  if (groups.length !== samples)
    throw new TamisError('invalid_shape', `groups has ${groups.length} entries for ${samples} samples`);
  const known = new Map();
  const numbers = Uint32Array.from(groups, (group) => {
    if (!known.has(String(group))) known.set(String(group), known.size);
    return known.get(String(group));
  });
  return { numbers, count: known.size };
}
