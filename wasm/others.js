// Options of `train` that other trainings do not have.

import { TamisError } from './error.js';

const of_train = ['penalty', 'solver', 'eta', 'sampleWeights', 'margin', 'margins', 'groups', 'l1Ratio', 'epsilon',
  'seed', 'learningRate', 'shrinking', 'stopping', 'thresholds'];
/** Refuses options of `train`, and `more`, that mean nothing to another training. */
export function refuseOthers(training, problem, more = []) {
  for (const name of [...of_train, ...more])
    if (problem[name] !== undefined) throw new TamisError('invalid_option', `${name}: ${training} has no such option`);
}
