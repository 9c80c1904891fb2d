/** From standardised features to those of the data. */
import type { Label } from 'tamis';
import type { WorkerModel } from 'tamis/worker';

/**
 * Makes of a model of (x_j − mean_j) / deviation_j, in place, the one of x_j with the same scores up to rounding, and
 * gives its classes, which are numbers from 0, their names.
 */
export function inUnits(model: WorkerModel, features: readonly { mean: number; deviation: number }[], classes: readonly Label[]): WorkerModel {
  const { weights, intercepts } = model;
  const count = intercepts.length;
  const shifted = Float64Array.from(intercepts);
  features.forEach(({ mean, deviation }, j) => {
    for (let k = 0; k < count; ++k) {
      const weight = (weights[j * count + k]! /= deviation);
      shifted[k]! -= weight * mean;
    }
  });
  intercepts.set(shifted);
  model.classes.forEach((number, k) => (model.classes[k] = classes[Number(number)]!));
  return model;
}
