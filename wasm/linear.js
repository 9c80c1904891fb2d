// Linear models inside a module: their problem, checked and copied there, and one training.

import { model_struct, modelData, readRows } from './coefficients.js';
import { TamisError, wrongKind } from './error.js';
import { checkThresholds, setsOf } from './label-sets.js';
import { all_ones } from './module.js';
import {
  choice, effortOf, groupsOf, labelsOf, marginOf, namesOf, numberOf, parametersOf, perSample, ranking, samplesOf, settingsOf, shown,
} from './problem.js';
import { askOf, Run } from './run.js';

const state_bytes = 220 * 8; // TAMIS_TRAINING_WORDS
const usual_active_limit = 1500; // the tamis command's
const constrained = 4; // TAMIS_CONSTRAINED_PRIMAL_DUAL
// tamis_problem
const problem_struct = {
  defaults: 'default_problem',
  reals: ['lambda', 'tolerance', 'margin', 'l1Ratio', 'epsilon', 'eta'],
  words: ['maxIterations', 'intercept', 'loss', 'penalty', 'block', 'solver', 'samples', 'features', 'classes',
    'columnStride', 'values', 'rows', 'starts', 'labels', 'weights', 'margins', 'groupOrder', 'groupStarts', 'groupCount',
    'setStarts', 'setMembers', 'setCount', 'stopping', 'shrinking', 'seedLow', 'seedHigh'],
  last: ['learningRate', 'stoppingThreshold'],
};

/** The fields of a problem that decide the size of the arena. */
function sizeFields({ samples, features, classes, loss = 'hinge', penalty = 'l1', solver = 'auto', lambda = 1, eta, groups, l1Ratio, epsilon }) {
  const { block, order } = groupsOf({ groups, penalty }, features);
  return {
    samples, features, classes, lambda,
    loss: choice('loss', loss), penalty: choice('penalty', penalty), solver: choice('solver', solver),
    eta: eta === undefined ? undefined : numberOf(eta) || NaN, // 0 would mean none to the module
    block, groupOrder: order ? 1 : 0, // lists are not looked at before there are some
    ...parametersOf({ l1Ratio, epsilon, penalty, solver }),
  };
}

function lambdaOf({ lambda, eta }) {
  if (lambda !== undefined) return numberOf(lambda);
  if (eta !== undefined) return 0;
  throw new TamisError('invalid_lambda', 'lambda: is missing: give a number of at least 0, or have crossValidate choose it');
}

/** Base of what runs on a problem of linear models. */
export class LinearRun extends Run {
  problemStruct = problem_struct;

  /** Checks the problem. `single`: whether it is one training. Throws TamisError; nothing is held yet. */
  constructor(module, problem, single = false) {
    super(module, problem);
    for (const kind of ['loss', 'penalty']) choice(kind, problem[kind]); // have no default
    this.table = samplesOf(problem.X);
    const { samples, features } = this.table;
    checkThresholds(problem, single);
    const labelled = problem.loss === ranking ? setsOf(problem.y, samples) : labelsOf(problem.y, samples);
    Object.assign(this, { samples, features, sets: null, ...labelled });
    const classes = this.classes.length;
    this.checkShape(module.sentence('invalid_shape'), { samples, features, classes });
    const [weights, margins] = ['sampleWeights', 'margins'].map((name) => {
      const list = perSample(name, problem[name], samples);
      return list && module.Reals.from(list, numberOf);
    });
    this.featureNames = namesOf(problem.featureNames, features);
    const groups = groupsOf(problem, features);
    const { starts: setStarts = null, members: setMembers = null } = this.sets ?? {};
    this.lists = { weights, margins, groupOrder: groups.order ?? null, groupStarts: groups.starts ?? null, setStarts, setMembers };
    this.fields = {
      ...sizeFields({ ...problem, samples, features, classes }),
      lambda: lambdaOf(problem),
      ...effortOf(problem),
      margin: marginOf(problem),
      ...settingsOf(problem),
    };
  }

  hold(parts, bytes) {
    const { module, labels, lists } = this;
    super.hold({ model: module.bytesOf(model_struct), ...this.#samples(), labels, ...lists, ...parts }, bytes);
  }
  /** The samples as parts of memory: as they are where the module takes compressed columns, else spread out. */
  #samples() {
    const { module: { takesSparse, Reals }, table: { sparse } } = this;
    if (!takesSparse || !sparse) return { values: this.columns };
    const [rows, starts] = [sparse.rows, sparse.starts].map((list) => Uint32Array.from(list));
    return { values: Reals.from(sparse.values, numberOf), rows, starts };
  }
  writeProblem(changes) {
    const [groupCount, setCount] = [this.lists.groupStarts, this.lists.setStarts].map((starts) => (starts ? starts.length - 1 : 0));
    super.writeProblem({ groupCount, setCount, ...changes });
  }

  modelFrame() {
    const { loss, penalty } = this.problem;
    return { ...super.modelFrame(), loss, penalty, samples: this.samples };
  }

  refusal(status, sentence, row, column) {
    const { module, fields, problem, sets } = this;
    const error = (where, place, what = sentence) => new TamisError(status, `${where}: ${what}`, place);
    switch (status) {
      case 'invalid_data': return this.badValue(sentence, row, column);
      case 'missing_class': return error(`class ${shown(this.classes[column])}`, { column }, sets ? unranked : sentence);
      case 'invalid_weight': return error(`sampleWeights[${row}]`, { row });
      case 'invalid_margin': return problem.margins ? error(`margins[${row}]`, { row }) : error('margin');
      case 'invalid_lambda': return error('lambda', {}, wrongKind(problem.lambda) ?? sentence);
      case 'invalid_eta': return error('eta');
      case 'invalid_option': {
        const refused = module.answer('problem_refusal', this.at.problem);
        return refused ? new TamisError(status, refused) : error(problem.epsilon === undefined ? 'tolerance' : 'tolerance or epsilon');
      }
      case 'invalid_combination': return error('solver', {}, refusalOf(module, fields) ?? module.answer('problem_refusal', this.at.problem));
      default: return new TamisError(status, sentence);
    }
  }
}

const unranked = 'no sample of positive weight ranks it above another, or none below: its intercept would diverge; leave the ' +
  'label out, or give intercept: false';

/** Why a solver, that of eta if there is one and none is named, does not accept the loss and the penalty; or null. */
const refusalOf = (module, { solver, loss, penalty, eta }) =>
  module.answer('refusal', solver === 0 && eta !== undefined ? constrained : solver, loss, penalty);

/**
 * Exact bytes of arena, { least, fast }, either maybe Infinity: as the module's function of that name answers of what is given
 * and the room that makes solvers faster, for so many values that are not zero. Throws TamisError when the solver refuses.
 */
export function sizesOf(module, fields, nonzeros, name, ...given) {
  const [least, fast] = [[0, 0], [Math.min(nonzeros, all_ones), usual_active_limit]]
    .map((room) => module.arenaBytes(name, ...given, ...room));
  if (least === 0)
    throw new TamisError('invalid_combination', refusalOf(module, fields) ?? 'solver: it cannot go on with another lambda, as a path has to');
  return { least, fast };
}

/** Those of the training of a problem of which only the sizes are known. */
export function trainingBytes(module, spec, nonzeros) {
  const fields = sizeFields(spec);
  return askOf(module, problem_struct, fields, (at) => sizesOf(module, fields, nonzeros, 'fast_bytes', at));
}

export class Training extends LinearRun {
  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module, problem, true);
    this.hold({ state: state_bytes }, this.asked((at) => sizesOf(module, this.fields, this.table.nonzeros(), 'fast_bytes', at)));
    this.start(this.at.problem);
  }

  /** Throws when the run has shown that no model satisfies the constraint. */
  requireModel() {
    if (this.status !== 'infeasible') return;
    const { constraintBound, constraintValue } = this.report();
    throw new TamisError('infeasible', `${this.module.sentence('infeasible')}: no model has a mean loss below ` +
      `${constraintBound.toPrecision(6)} (certified); the least that was met is ${constraintValue.toPrecision(6)}`);
  }

  /** The features that the model keeps. */
  keptFeatures() {
    return Array.from(this.#rows().kept);
  }
  #rows() {
    const { module, at } = this;
    module.call('model_of', at.state, at.model);
    return readRows(module, at.model);
  }
  /** Everything a model consists of, copied out of the module. */
  modelData() {
    const { lambda = null, eta } = this.problem;
    return modelData(this.modelFrame(), { ...this.#rows(), report: this.report(), lambda, eta });
  }
}
