// One training run inside a module: lays its memory out, starts it, advances it in slices, and reads its results.

import { TamisError } from './error.js';
import { alignment, Layout } from './module.js';
import {
  choice, countOf, groupsOf, labelsOf, marginOf, numberOf, parametersOf, perSample, samplesOf, shown,
} from './problem.js';

const state_bytes = 220 * 8; // TAMIS_TRAINING_WORDS
const model_bytes = 12;

/** The words of tamis_problem that decide the size of the arena. */
export function sizeFields({ samples, features, classes, loss = 'hinge', penalty = 'l1', solver = 'auto', lambda = 1, eta }) {
  return {
    samples, features, classes, lambda,
    loss: choice('loss', loss), penalty: choice('penalty', penalty), solver: choice('solver', solver),
    eta: eta === undefined ? undefined : positive(eta),
  };
}

export class Training {
  #module;
  #region;
  #steps = 1;
  #milliseconds = 0;
  #status;

  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    this.#module = module;
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
    const fields = {
      ...sizeFields({ ...problem, samples, features, classes: this.classes.length }),
      lambda: problem.eta === undefined || problem.lambda !== undefined ? numberOf(problem.lambda) : 0,
      tolerance: problem.tolerance === undefined ? undefined : numberOf(problem.tolerance),
      maxIterations: problem.maxIterations === undefined ? undefined : countOf('maxIterations', problem.maxIterations),
      margin: marginOf(problem),
      intercept: problem.intercept === undefined ? undefined : Number(Boolean(problem.intercept)),
      block: groups.block,
      ...parametersOf(problem),
    };
    const arena = arenaOf(module.trainingBytes(fields, this.samples.nonzeros()), problem.memoryLimit);
    const layout = new Layout();
    const scalar = module.scalarBytes;
    const at = {
      problem: layout.add(module.problemBytes),
      state: layout.add(state_bytes),
      report: layout.add(module.reportBytes),
      model: layout.add(model_bytes),
      values: layout.add(samples * features * scalar),
      labels: layout.add(samples * 2),
      weights: weights && layout.add(samples * scalar),
      margins: margins && layout.add(samples * scalar),
      groupOrder: groups.order ? layout.add(groups.order.byteLength) : null,
      groupStarts: groups.starts ? layout.add(groups.starts.byteLength) : null,
    };
    at.arena = layout.bytes;
    for (this.arenaBytes of arena) {
      this.#region = module.take(at.arena + this.arenaBytes);
      if (this.#region) break;
    }
    if (!this.#region) throw this.#tooLarge(at.arena + this.arenaBytes);
    for (const name in at) if (at[name] !== null) at[name] += this.#region.start;
    this.at = at;
    try {
      this.samples.copyColumns(module.reals, at.values / scalar);
      module.halves.set(this.labels, at.labels / 2);
      for (const [to, list] of [[at.weights, weights], [at.margins, margins]])
        if (list) for (let i = 0; i < samples; ++i) module.reals[to / scalar + i] = numberOf(list[i]);
      if (groups.order) {
        module.words.set(groups.order, at.groupOrder / 4);
        module.words.set(groups.starts, at.groupStarts / 4);
      }
      module.writeProblem(at.problem, {
        ...fields, values: at.values, labels: at.labels, weights: at.weights ?? 0, margins: at.margins ?? 0,
        groupOrder: at.groupOrder ?? 0, groupStarts: at.groupStarts ?? 0,
        groupCount: groups.starts ? groups.starts.length - 1 : 0,
      });
      this.#timed(() => module.call('start', at.state, at.problem, at.arena, this.arenaBytes));
      this.#refuse(fields);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get running() {
    return this.#status === 'running';
  }

  #timed(work) {
    const before = performance.now();
    this.#status = this.#module.statuses[work()];
    const spent = performance.now() - before;
    this.#milliseconds += spent;
    return spent;
  }

  /** Iterates for about that many milliseconds, in calls short enough not to overrun by much. */
  advance(milliseconds) {
    const end = performance.now() + milliseconds;
    do {
      const spent = this.#timed(() => this.#module.call('step', this.at.state, this.#steps));
      if (spent < milliseconds / 16) this.#steps = Math.min(2 * this.#steps, 65536);
      else if (spent > milliseconds / 4) this.#steps = Math.max(this.#steps >>> 1, 1);
    } while (this.running && performance.now() < end);
  }

  stop() {
    this.#module.call('stop', this.at.state);
    this.#status = 'stopped';
  }

  report() {
    this.#module.call('report_of', this.at.state, this.at.report);
    const { row, column, ...report } = this.#module.readReport(this.at.report);
    return { ...report, milliseconds: this.#milliseconds };
  }

  /** Throws when the run has shown that no model satisfies the constraint. */
  requireModel() {
    if (this.#status !== 'infeasible') return;
    const { constraintBound, constraintValue } = this.report();
    throw new TamisError('infeasible', `${this.#module.sentence('infeasible')}: no model has a mean loss below ` +
      `${constraintBound.toPrecision(6)} (certified); the least that was met is ${constraintValue.toPrecision(6)}`);
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    this.#module.call('model_of', this.at.state, this.at.model);
    const { problem } = this;
    return {
      version: this.#module.version,
      precision: this.#module.precision,
      classes: this.classes,
      ...this.#module.readModel(this.at.model),
      report: this.report(),
      featureNames: problem.featureNames ? Array.from(problem.featureNames, String) : null,
      loss: problem.loss,
      penalty: problem.penalty,
      lambda: problem.lambda ?? null,
      eta: problem.eta,
      selfTest: this.#oneOfEachClass(),
    };
  }

  release() {
    if (this.#region) this.#module.release(this.#region);
    this.#region = null;
  }

  /** The first sample of each class, in the order of the data: what exported code is tested with. */
  #oneOfEachClass() {
    const { Reals } = this.#module;
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
    const sentence = this.#module.sentence('invalid_shape');
    const found = `here are ${samples} samples, ${features} features and ${count} ${count === 1 ? 'class' : 'classes'}`;
    if (samples === 0 || features === 0 || count < 2) throw new TamisError('invalid_shape', `${sentence}; ${found}`);
    if (count > 65536) throw new TamisError('invalid_shape', `${count} different labels: 65536 are the most`);
  }

  #tooLarge(bytes) {
    const { arenaBytes } = this;
    const need = Number.isFinite(bytes)
      ? `training needs ${bytes} bytes, ${arenaBytes} of them as arena`
      : 'training needs an arena of more than 4 GiB';
    return new TamisError('arena_too_small', `${need}: ${this.#module.occupied()}`, { arenaBytes });
  }

  #refuse(fields) {
    const module = this.#module;
    module.call('report_of', this.at.state, this.at.report);
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

/** Zero would mean none to the module. */
const positive = (eta) => (eta === 0 ? NaN : numberOf(eta));

function perFeature(names, features) {
  if (names.length !== features)
    throw new TamisError('invalid_shape', `featureNames has ${names.length} entries for ${features} features`);
}
