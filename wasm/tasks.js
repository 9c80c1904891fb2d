// What can be asked for alike of the library here and of the client of a worker, with models made of plain data.

import { withModel } from './coefficients.js';
import { checkAsked, checkFeatures } from './options.js';

/**
 * Base of both. perform(task, problem, options, receivers) gives plain data; fromData(data) makes a linear model, and
 * fromDataBeside(data), for which code may have to be loaded, another one.
 */
export class Tasks {
  async #withModels(task, problem, options = {}) {
    checkAsked(task, problem, options);
    const result = await this.perform(task, problem, options);
    for (const name of ['model', 'refit']) if (result[name]) result[name] = await this.modelOf(result[name]);
    return result;
  }
  async #model(task, problem, options = {}) {
    checkAsked(task, problem, options);
    return this.modelOf(await this.perform(task, problem, options));
  }
  /** The model of any family in a file of toJSON() or of the tamis command, as text or parsed. */
  async fromJSON(file) {
    const data = (await import('./model-file.js')).dataOf(file);
    if (!data.kind) await this.prepareFiles?.(data.precision);
    return this.modelOf(data);
  }
  /** The model of any family. */
  modelOf(data) {
    return data.kind ? this.fromDataBeside(data) : this.fromData(data);
  }

  train(problem, options) {
    return this.#model('train', problem, options);
  }
  trainInteractions(problem, options) {
    return this.#model('trainInteractions', problem, options);
  }
  trainKernels(problem, options) {
    return this.#model('trainKernels', problem, options);
  }
  crossValidate(problem, options) {
    return this.#withModels('crossValidate', problem, options);
  }
  selectInteractions(problem, options) {
    return this.#withModels('selectInteractions', problem, options);
  }
  selectKernels(problem, options) {
    return this.#withModels('selectKernels', problem, options);
  }

  async path(problem, given = {}) {
    checkAsked('path', problem, given);
    const { onPoint, ...options } = given;
    let frame = null;
    const points = [];
    const { status } = await this.perform('path', problem, options, {
      begin: (common) => void (frame = common),
      point: (point) => {
        points.push(withModel(frame, point, (data) => this.fromData(data)));
        return onPoint?.(points.at(-1));
      },
    });
    return { points, status };
  }

  async stabilitySelection(problem, options = {}) {
    checkAsked('stabilitySelection', problem, options);
    return this.perform('stabilitySelection', problem, options);
  }

  async tfIdf(lines, options, wishes) {
    const [data, { TfIdf }] = await Promise.all([this.features('tfIdf', lines, options, wishes), import('./tf-idf.js')]);
    return new TfIdf(data);
  }
  /** By the function of that name that makes features. */
  async features(name, data, options = {}, wishes = {}) {
    checkFeatures(name, options, wishes);
    return this.perform('features', { name, data, options }, wishes);
  }
}
for (const name of ['scatterImages', 'scatterSignals', 'windowFeatures', 'hashText'])
  Tasks.prototype[name] = function (...given) {
    return this.features(name, ...given);
  };
