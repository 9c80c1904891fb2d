// A problem inside a module: checks it, lays its memory out, copies it there, and advances what runs on it in slices.

import { TamisError } from './error.js';
import { alignment, Layout } from './module.js';
import {
  choice, countOf, groupsOf, labelsOf, marginOf, numberOf, parametersOf, perSample, samplesOf, shown,
} from './problem.js';

const model_bytes = 12;

/** The words of tamis_problem that decide the size of the arena. */
export function sizeFields({ samples, features, classes, loss = 'hinge', penalty = 'l1', solver = 'auto', lambda = 1, eta }) {
  return {
    samples, features, classes, lambda,
    loss: choice('loss', loss), penalty: choice('penalty', penalty), solver: choice('solver', solver),
    eta: eta === undefined ? undefined : positive(eta),
  };
}

/** Base of what runs on a problem; not for use on its own. */
export class Run {
  #region;
  #steps = 1;
  #milliseconds = 0;

  /**
   * Checks the problem and copies it into the module. `task`: { stateBytes, arenaBytes(fields, nonzeros), which returns
   * { least, fast }, more(samples), which returns bytes by name }. Throws TamisError; then nothing is held.
   */
  constructor(module, problem, task) {
    this.module = module;
    this.problem = problem;
    for (const kind of ['loss', 'penalty']) choice(kind, problem[kind]); // have no default
    this.samples = samplesOf(problem.X);
    const { samples, features } = this.samples;
    ({ classes: this.classes, labels: this.labels } = labelsOf(problem.y, samples));
    this.#checkShape();
    const weights = perSample('sampleWeights', problem.sampleWeights, samples);
    const margins = perSample('margins', problem.margins, samples);
    if (problem.featureNames) perFeature(problem.featureNames, features);

    const groups = groupsOf(problem, features);
    this.fields = {
      ...sizeFields({ ...problem, samples, features, classes: this.classes.length }),
      lambda: problem.eta === undefined || problem.lambda !== undefined ? numberOf(problem.lambda) : 0,
      tolerance: problem.tolerance === undefined ? undefined : numberOf(problem.tolerance),
      maxIterations: problem.maxIterations === undefined ? undefined : countOf('maxIterations', problem.maxIterations),
      margin: marginOf(problem),
      intercept: problem.intercept === undefined ? undefined : Number(Boolean(problem.intercept)),
      block: groups.block,
      ...parametersOf(problem),
    };
    const arena = arenaOf(task.arenaBytes(this.fields, this.samples.nonzeros()), problem.memoryLimit);
    const layout = new Layout();
    const scalar = module.scalarBytes;
    const at = {
      problem: layout.add(module.problemBytes),
      state: layout.add(task.stateBytes),
      report: layout.add(module.reportBytes),
      model: layout.add(model_bytes),
      values: layout.add(samples * features * scalar),
      labels: layout.add(samples * 2),
      weights: weights && layout.add(samples * scalar),
      margins: margins && layout.add(samples * scalar),
      groupOrder: groups.order ? layout.add(groups.order.byteLength) : null,
      groupStarts: groups.starts ? layout.add(groups.starts.byteLength) : null,
    };
    const more = task.more?.(samples);
    for (const name in more) at[name] = layout.add(more[name]);
    at.arena = layout.bytes;
    for (this.arenaBytes of arena) {
      this.#region = module.take(at.arena + this.arenaBytes);
      if (this.#region) break;
    }
    if (!this.#region) throw this.#tooLarge(at.arena + this.arenaBytes);
    for (const name in at) if (at[name] !== null) at[name] += this.#region.start;
    this.at = at;
    try {
      this.#copy(weights, margins, groups);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  #copy(weights, margins, groups) {
    const { module, at } = this;
    const { samples } = this.samples;
    const scalar = module.scalarBytes;
    this.samples.copyColumns(module.reals, at.values / scalar);
    module.halves.set(this.labels, at.labels / 2);
    for (const [to, list] of [[at.weights, weights], [at.margins, margins]])
      if (list) for (let i = 0; i < samples; ++i) module.reals[to / scalar + i] = numberOf(list[i]);
    if (groups.order) {
      module.words.set(groups.order, at.groupOrder / 4);
      module.words.set(groups.starts, at.groupStarts / 4);
    }
    module.writeProblem(at.problem, {
      ...this.fields, values: at.values, labels: at.labels, weights: at.weights ?? 0, margins: at.margins ?? 0,
      groupOrder: at.groupOrder ?? 0, groupStarts: at.groupStarts ?? 0,
      groupCount: groups.starts ? groups.starts.length - 1 : 0,
    });
  }

  get running() {
    return this.status === 'running';
  }

  /** Runs `work`, which returns a status; the milliseconds that it took. */
  timed(work) {
    const before = performance.now();
    this.status = this.module.statuses[work()];
    const spent = performance.now() - before;
    this.#milliseconds += spent;
    return spent;
  }

  /** Calls step(count) for about that many milliseconds, in calls short enough not to overrun by much. */
  advanceBy(milliseconds, step, { most = 65536, seen = () => {} } = {}) {
    const end = performance.now() + milliseconds;
    do {
      const spent = this.timed(() => step(this.#steps));
      if (spent < milliseconds / 16) this.#steps = Math.min(2 * this.#steps, most);
      else if (spent > milliseconds / 4) this.#steps = Math.max(this.#steps >>> 1, 1);
      seen();
    } while (this.running && performance.now() < end);
  }

  /** The report that the module's function of that name writes. */
  reportBy(name) {
    this.module.call(name, this.at.state, this.at.report);
    const { row, column, ...report } = this.module.readReport(this.at.report);
    return { ...report, milliseconds: this.#milliseconds };
  }

  /** What every model of this problem has in common. */
  modelFrame() {
    const { problem } = this;
    return {
      version: this.module.version,
      precision: this.module.precision,
      classes: this.classes,
      featureNames: problem.featureNames ? Array.from(problem.featureNames, String) : null,
      loss: problem.loss,
      penalty: problem.penalty,
      samples: this.samples.samples,
      selfTest: this.#oneOfEachClass(),
    };
  }

  release() {
    if (this.#region) this.module.release(this.#region);
    this.#region = null;
  }

  /** The first sample of each class, in the order of the data: what exported code is tested with. */
  #oneOfEachClass() {
    const { Reals } = this.module;
    const { samples, features, at } = this.samples;
    const seen = new Set();
    const out = [];
    for (let i = 0; i < samples && seen.size < this.classes.length; ++i) {
      if (seen.has(this.labels[i])) continue;
      seen.add(this.labels[i]);
      out.push(Reals.from({ length: features }, (_, j) => at(i, j)));
    }
    return out;
  }

  // ---- refusals

  #checkShape() {
    const { samples, features } = this.samples;
    const count = this.classes.length;
    const sentence = this.module.sentence('invalid_shape');
    const found = `here are ${samples} samples, ${features} features and ${count} ${count === 1 ? 'class' : 'classes'}`;
    if (samples === 0 || features === 0 || count < 2) throw new TamisError('invalid_shape', `${sentence}; ${found}`);
    if (count > 65536) throw new TamisError('invalid_shape', `${count} different labels: 65536 are the most`);
  }

  #tooLarge(bytes) {
    const { arenaBytes } = this;
    const need = Number.isFinite(bytes)
      ? `training needs ${bytes} bytes, ${arenaBytes} of them as arena`
      : 'training needs an arena of more than 4 GiB';
    return new TamisError('arena_too_small', `${need}: ${this.module.occupied()}`, { arenaBytes });
  }

  /** Throws when the module has refused, as the report says that its function of that name writes. */
  refuse(name) {
    const { module, fields } = this;
    module.call(name, this.at.state, this.at.report);
    const { status, row, column } = module.readReport(this.at.report);
    if (module.statuses.indexOf(status) <= module.statuses.indexOf('running')) return;
    const sentence = module.sentence(status);
    const fail = (where, place, what = sentence) => {
      throw new TamisError(status, `${where}: ${what}`, place);
    };
    switch (status) {
      case 'invalid_data': {
        const value = this.samples.at(row, column);
        const fits = !Number.isFinite(value);
        return fail(`X[${row}][${column}]`, { row, column }, fits ? sentence : `${value} does not fit in single precision`);
      }
      case 'missing_class': return fail(`class ${shown(this.classes[column])}`, { column });
      case 'invalid_weight': return fail(`sampleWeights[${row}]`, { row });
      case 'invalid_margin': return this.problem.margins ? fail(`margins[${row}]`, { row }) : fail('margin');
      case 'invalid_lambda': return fail('lambda');
      case 'invalid_eta': return fail('eta');
      case 'invalid_option': return fail(this.problem.epsilon === undefined ? 'tolerance' : 'tolerance or epsilon');
      case 'invalid_combination': return fail('solver', {}, module.refusal(fields.solver, fields.loss, fields.penalty));
      default: throw new TamisError(status, sentence);
    }
  }
}

/** The sizes of arena to try, in turn. The first is what the tamis command takes. */
function arenaOf({ least, fast }, limit) {
  if (limit === undefined) return [fast, least];
  countOf('memoryLimit', limit);
  if (least > limit)
    throw new TamisError('arena_too_small', `memoryLimit: training needs an arena of ${least} bytes, ${limit} are allowed`, {
      arenaBytes: least,
    });
  return [Math.min(fast, Math.floor(limit / alignment) * alignment), least];
}

export const default_slice = 16; // milliseconds

/** Lets the event loop run: without the delay that browsers put into nested timers. */
export function otherWork() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Zero would mean none to the module. */
const positive = (eta) => (eta === 0 ? NaN : numberOf(eta));

function perFeature(names, features) {
  if (names.length !== features)
    throw new TamisError('invalid_shape', `featureNames has ${names.length} entries for ${features} features`);
}
