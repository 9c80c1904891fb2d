// A problem inside a module: checks it, copies it there, and says what the module refuses.

import { TamisError } from './error.js';
import { arenasOf, Held } from './held.js';
import { checkThresholds, setsOf } from './label-sets.js';
import {
  choice, effortOf, firstOfEach, groupsOf, labelsOf, marginOf, namesOf, numberOf, parametersOf, perSample, ranking, samplesOf,
  settingsOf, shown,
} from './problem.js';

const model_bytes = 12;

/** The words of tamis_problem that decide the size of the arena. */
export function sizeFields({ samples, features, classes, loss = 'hinge', penalty = 'l1', solver = 'auto', lambda = 1, eta, groups }) {
  return {
    samples, features, classes, lambda,
    loss: choice('loss', loss), penalty: choice('penalty', penalty), solver: choice('solver', solver),
    eta: eta === undefined ? undefined : positive(eta),
    ...groupFields(groupsOf({ groups, penalty }, features)),
  };
}
/** Those of the groups, as far as the solver is chosen by them: lists are not looked at before there are some. */
const groupFields = ({ block, order }) => ({ block, groupOrder: order ? 1 : 0 });

/** Base of what runs on a problem; not for use on its own. */
export class Run extends Held {
  /**
   * Checks the problem and copies it into the module. `task`: { stateBytes, arenaBytes(fields, nonzeros), which returns
   * { least, fast }, more(samples), which returns bytes by name, single: whether it is one training }. Throws TamisError; then nothing is held.
   */
  constructor(module, problem, task) {
    super(module);
    this.problem = problem;
    for (const kind of ['loss', 'penalty']) choice(kind, problem[kind]); // have no default
    this.samples = samplesOf(problem.X);
    const { samples, features } = this.samples;
    checkThresholds(problem, task.single);
    const labelled = problem.loss === ranking ? setsOf(problem.y, samples) : labelsOf(problem.y, samples);
    ({ classes: this.classes, labels: this.labels, sets: this.sets = null } = labelled);
    this.#checkShape();
    const weights = perSample('sampleWeights', problem.sampleWeights, samples);
    const margins = perSample('margins', problem.margins, samples);
    this.featureNames = namesOf(problem.featureNames, features);

    const groups = groupsOf(problem, features);
    this.fields = {
      ...sizeFields({ ...problem, samples, features, classes: this.classes.length }),
      lambda: problem.eta === undefined || problem.lambda !== undefined ? numberOf(problem.lambda) : 0,
      ...effortOf(problem),
      margin: marginOf(problem),
      ...parametersOf(problem),
      ...settingsOf(problem),
    };
    const arenas = arenasOf(task.arenaBytes(this.fields, this.samples.nonzeros()), problem.memoryLimit);
    const scalar = module.scalarBytes;
    this.hold({
      problem: module.problemBytes,
      state: task.stateBytes,
      report: module.reportBytes,
      model: model_bytes,
      values: samples * features * scalar,
      labels: samples * 2,
      weights: weights && samples * scalar,
      margins: margins && samples * scalar,
      groupOrder: groups.order ? groups.order.byteLength : null,
      groupStarts: groups.starts ? groups.starts.byteLength : null,
      setStarts: this.sets && this.sets.starts.byteLength,
      setMembers: this.sets && this.sets.members.byteLength,
      ...task.more?.(samples),
    }, arenas);
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
    if (this.sets) {
      module.words.set(this.sets.starts, at.setStarts / 4);
      module.halves.set(this.sets.members, at.setMembers / 2);
    }
    module.writeProblem(at.problem, {
      ...this.fields, values: at.values, labels: at.labels, weights: at.weights ?? 0, margins: at.margins ?? 0,
      groupOrder: at.groupOrder ?? 0, groupStarts: at.groupStarts ?? 0,
      groupCount: groups.starts ? groups.starts.length - 1 : 0,
      setStarts: at.setStarts ?? 0, setMembers: at.setMembers ?? 0, setCount: this.sets ? this.sets.starts.length - 1 : 0,
    });
  }

  /** What every model of this problem has in common. */
  modelFrame() {
    const { problem } = this;
    return {
      version: this.module.version,
      precision: this.module.precision,
      classes: this.classes,
      featureNames: this.featureNames,
      loss: problem.loss,
      penalty: problem.penalty,
      samples: this.samples.samples,
      selfTest: firstOfEach(this.labels, this.classes.length).map((i) => this.samples.row(i, this.module.Reals)),
    };
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

  /** Throws when the module has refused, as the report says that its function of that name writes. */
  refuse(name) {
    const { module, fields } = this;
    const refusal = this.refusalBy(name);
    if (!refusal) return;
    const { status, row, column } = refusal;
    const sentence = module.sentence(status);
    const fail = (where, place, what = sentence) => {
      throw new TamisError(status, `${where}: ${what}`, place);
    };
    switch (status) {
      case 'invalid_data': throw this.badValue(row, column);
      case 'missing_class': return fail(`class ${shown(this.classes[column])}`, { column }, this.sets ? unranked : sentence);
      case 'invalid_weight': return fail(`sampleWeights[${row}]`, { row });
      case 'invalid_margin': return this.problem.margins ? fail(`margins[${row}]`, { row }) : fail('margin');
      case 'invalid_lambda': return fail('lambda');
      case 'invalid_eta': return fail('eta');
      case 'invalid_option': {
        const refused = module.problemRefusal(this.at.problem);
        if (refused) throw new TamisError(status, refused);
        return fail(this.problem.epsilon === undefined ? 'tolerance' : 'tolerance or epsilon');
      }
      case 'invalid_combination': return fail('solver', {}, module.refusal(fields.solver, fields.loss, fields.penalty));
      default: throw new TamisError(status, sentence);
    }
  }
}

const unranked = 'no sample of positive weight ranks it above another, or none below: its intercept would diverge; leave the ' +
  'label out, or give intercept: false';

/** Zero would mean none to the module. */
const positive = (eta) => (eta === 0 ? NaN : numberOf(eta));
