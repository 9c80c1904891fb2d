// One training run: starts it, advances it in slices, and reads its results.

import { TamisError } from './error.js';
import { Run } from './run.js';

const state_bytes = 220 * 8; // TAMIS_TRAINING_WORDS

export class Training extends Run {
  /** Checks the problem, copies it into the module and starts. Throws TamisError; then nothing is held. */
  constructor(module, problem) {
    super(module, problem, {
      stateBytes: state_bytes,
      single: true,
      arenaBytes: (fields, nonzeros) => module.trainingBytes(fields, nonzeros),
    });
    try {
      this.timed(() => module.call('start', this.at.state, this.at.problem, this.at.arena, this.arenaBytes));
      this.refuse('report_of');
    } catch (error) {
      this.release();
      throw error;
    }
  }

  advance(milliseconds) {
    this.advanceBy(milliseconds, (steps) => this.module.call('step', this.at.state, steps));
  }

  stop() {
    this.module.call('stop', this.at.state);
    this.status = 'stopped';
  }

  report() {
    return this.reportBy('report_of');
  }

  /** Throws when the run has shown that no model satisfies the constraint. */
  requireModel() {
    if (this.status !== 'infeasible') return;
    const { constraintBound, constraintValue } = this.report();
    throw new TamisError('infeasible', `${this.module.sentence('infeasible')}: no model has a mean loss below ` +
      `${constraintBound.toPrecision(6)} (certified); the least that was met is ${constraintValue.toPrecision(6)}`);
  }

  /** Everything a model consists of, copied out of the module. */
  modelData() {
    this.module.call('model_of', this.at.state, this.at.model);
    return {
      ...this.modelFrame(),
      ...this.module.readModel(this.at.model),
      report: this.report(),
      lambda: this.problem.lambda ?? null,
      eta: this.problem.eta,
    };
  }
}
