// A run inside a module, of any family: the memory that it holds there, its work in slices, its reports, what it refuses.

import { invalidShape, notHeld, TamisError } from './error.js';
import { alignment, Layout } from './module.js';
import { countOf, firstOfEach } from './problem.js';

export const report_struct = {
  reals: ['objective', 'dualObjective', 'gap', 'relativeGap', 'kktResidual', 'lambdaMax', 'epochs'],
  words: ['status', 'iterations', 'nonzeros', 'nonzeroRows', 'row', 'column', 'arenaBytes', 'arenaUsedBytes'],
  last: ['constraintValue', 'constraintBound', 'multiplier'],
};

/** The report of what is not known. */
export const unknown_report = Object.fromEntries([...report_struct.reals, ...report_struct.words, ...report_struct.last]
  .filter((name) => name !== 'row' && name !== 'column').map((name) => [name, NaN]));

/**
 * Base of what runs in a module; not for use on its own. A family reads its problem into `fields` of its `problemStruct` and
 *   table     the samples, as samplesOf() makes them, where there are some
 *   samples, features, featureNames
 *   classes   the labels that there are, and `labels`, the number of each sample's; a regression has none
 * and answers refusal().
 */
export class Run {
  #region = null;
  #steps = 1;
  #milliseconds = 0;
  prefix = ''; // of the names of its module's functions
  problemStruct = null;
  mostSteps = 65536; // in one call

  constructor(module, problem) {
    this.module = module;
    this.problem = problem;
  }

  /** Names of the functions that begin, advance, end (if there is one) and report. */
  get calls() {
    const { prefix } = this;
    return { start: `${prefix}start`, step: `${prefix}step`, stop: `${prefix}stop`, report: `${prefix}report_of` };
  }

  // ---- memory

  /**
   * Takes memory for the problem, the report and these parts, as a Layout has them, and an arena of as many of the bytes
   * { least, fast }, or those that the module says, as there are. `at` then has their addresses. Throws TamisError; then nothing
   * is held.
   */
  hold(parts, bytes = this.#bytes()) {
    const { module, problem, problemStruct } = this;
    const layout = new Layout({
      problem: problemStruct ? module.bytesOf(problemStruct) : null, report: module.bytesOf(report_struct), ...parts,
    });
    for (this.arenaBytes of arenasOf(bytes, problem.memoryLimit)) {
      this.#region = module.take(layout.bytes + this.arenaBytes);
      if (this.#region) break;
    }
    if (!this.#region) throw this.#tooLarge(layout.bytes + this.arenaBytes);
    this.orRelease(() => {
      this.at = { ...layout.place(module, this.#region.start), arena: this.#region.start + layout.bytes };
      if (problemStruct) this.writeProblem();
    });
  }
  #bytes() {
    const bytes = this.asked((at) => this.module.arenaBytes(`${this.prefix}bytes`, at));
    return { least: bytes, fast: bytes };
  }
  /** Takes the memory for parts that another run lends, and its arena. */
  borrow(parts, start, { at: { arena }, arenaBytes }) {
    this.arenaBytes = arenaBytes;
    this.at = { ...new Layout(parts).place(this.module, start), arena };
  }
  /** Writes the problem, with these changes. */
  writeProblem(changes) {
    const { module, problemStruct, at, fields } = this;
    module.write(problemStruct, at.problem, { ...fields, ...at, ...changes });
  }
  release() {
    if (this.#region) this.module.release(this.#region);
    this.#region = null;
  }
  /** Does some work; when that throws, nothing is held any more. */
  orRelease(work) {
    try {
      return work();
    } catch (error) {
      this.release();
      throw error;
    }
  }
  #tooLarge(bytes) {
    const { arenaBytes } = this;
    const need = Number.isFinite(bytes)
      ? `training needs ${bytes} bytes, ${arenaBytes} of them as arena`
      : 'training needs an arena of more than 4 GiB';
    return new TamisError('arena_too_small', `${need}: ${this.module.occupied()}`, { arenaBytes });
  }

  /** What ask(address of the problem, of which there are only the fields) answers. */
  asked(ask) {
    return askOf(this.module, this.problemStruct, this.fields, ask);
  }
  /** The samples by columns, as a part of memory. */
  get columns() {
    const { module, table } = this;
    const { scalarBytes } = module;
    return { byteLength: table.samples * table.features * scalarBytes, copyTo: (at) => table.copyColumns(module.reals, at / scalarBytes) };
  }

  // ---- time

  get running() {
    return this.status === 'running';
  }
  /** Calls one of the functions; the milliseconds that it took. */
  timed(name, ...values) {
    const before = performance.now();
    this.status = this.module.statuses[this.module.call(name, this.at.state, ...values)];
    const spent = performance.now() - before;
    this.#milliseconds += spent;
    return spent;
  }
  /** Begins. Throws TamisError; then nothing is held. */
  start(...values) {
    this.orRelease(() => {
      this.timed(this.calls.start, ...values, this.at.arena, this.arenaBytes);
      this.refuse();
    });
  }
  /** Steps for about that many milliseconds, in calls short enough not to overrun by much. */
  advance(milliseconds) {
    const end = performance.now() + milliseconds;
    do {
      const spent = this.timed(this.calls.step, this.#steps);
      if (spent < milliseconds / 16) this.#steps = Math.min(2 * this.#steps, this.mostSteps);
      else if (spent > milliseconds / 4) this.#steps = Math.max(this.#steps >>> 1, 1);
      this.seen();
    } while (this.running && performance.now() < end);
    this.refuse();
  }
  /** Is called after all steps. */
  seen() {}
  stop() {
    if (this.calls.stop && this.running) this.module.call(this.calls.stop, this.at.state);
    this.status = 'stopped';
  }

  // ---- reports

  report() {
    const { row, column, ...report } = this.#report();
    return { ...report, milliseconds: this.#milliseconds };
  }
  #report() {
    const { module, at } = this;
    module.call(this.calls.report, at.state, at.report);
    const report = module.read(report_struct, at.report);
    return { ...report, status: module.statuses[report.status] };
  }
  /** Whether it has ended without having been run: the statuses of refusals come after those of runs. */
  get refused() {
    const { statuses } = this.module;
    return statuses.indexOf(this.status) > statuses.indexOf('infeasible');
  }
  /** Throws when the module has refused. */
  refuse() {
    if (!this.refused) return;
    const { status, row, column } = this.#report();
    throw this.refusal(status, this.module.sentence(status), row, column);
  }
  /** What is wrong with a value of the samples. */
  badValue(sentence, row, column) {
    return notHeld(`X[${row}][${column}]`, this.table.at(row, column), sentence, { row, column });
  }
  /** Throws unless there is enough of what is counted: { samples, features, classes }, as far as there should be some. */
  checkShape(needs, counts) {
    const { samples, features, classes } = counts;
    if (samples === 0 || features === 0 || classes < 2) throw invalidShape(`${needs}; ${foundOf(counts)}`);
    if (classes > 65536) throw invalidShape(`${classes} different labels: 65536 are the most`);
  }

  /** What every model of this problem has in common. `Reals`: of the samples that exported code is tested with. */
  modelFrame(Reals = this.module.Reals) {
    const { module, classes = null, features = null, featureNames = null } = this;
    return {
      version: module.version, precision: module.precision, classes, features, featureNames,
      selfTest: this.selfTestSamples().map((i) => this.table.row(i, Reals)),
    };
  }
  selfTestSamples() {
    return firstOfEach(this.labels, this.classes.length);
  }
}

/** How much of what is counted there is, for a message. */
export function foundOf(counts) {
  const found = Object.entries(counts).map(([name, count]) => `${count} ${name === 'classes' && count === 1 ? 'class' : name}`);
  return `here are ${found.slice(0, -1).join(', ')} and ${found.at(-1)}`;
}

/** What ask(address) answers of a problem with these fields. */
export function askOf(module, struct, fields, ask) {
  return module.with({ problem: module.bytesOf(struct) }, ({ problem }) => {
    module.write(struct, problem, fields);
    return ask(problem);
  });
}

/** The sizes of arena to try, in turn. The first is what the tamis command takes. */
function arenasOf({ least, fast }, limit) {
  if (limit === undefined) return [fast, least];
  countOf('memoryLimit', limit);
  if (least > limit)
    throw new TamisError('arena_too_small', `memoryLimit: training needs an arena of ${least} bytes, ${limit} are allowed`, {
      arenaBytes: least,
    });
  return [Math.min(fast, Math.floor(limit / alignment) * alignment), least];
}
