// What the package exports, from one file.
import { TamisError } from 'tamis/error.js';

export { Classifier, load, Model, TamisError } from 'tamis/tamis.js';

export function createWorkerClient() {
  throw new TamisError('unsupported', 'a worker has a script of its own, which is not inside this file: take tamis/worker of the whole package');
}
