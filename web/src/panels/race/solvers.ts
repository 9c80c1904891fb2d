/** The solvers that may race: what each is in half a sentence, and what it takes (as `tamis solvers` lists it). */
import type { Loss, Penalty } from 'tamis';

export interface Entrant {
  readonly name: string;
  readonly what: string;
  takes(loss: Loss, penalty: Penalty): boolean;
  /** Whether it stays out unless it is asked for. */
  readonly absent?: boolean;
}

const hinge = (loss: Loss) => loss === 'hinge';
const smooth = (loss: Loss) => loss !== 'hinge';
const any = () => true;

export const entrants: readonly Entrant[] = [
  { name: 'two-phase', what: 'primal–dual steps, then Newton’s method on what is kept', takes: hinge },
  { name: 'crammer-singer-dual', what: 'ascent on the dual, sample by sample', takes: (loss, penalty) => hinge(loss) && penalty === 'ridge' },
  { name: 'block-coordinate-descent', what: 'descent over features, then Newton’s method on what is kept', takes: smooth },
  { name: 'primal-dual', what: 'primal–dual steps, balanced and restarted', takes: hinge },
  { name: 'fista', what: 'accelerated proximal gradient steps, restarted', takes: smooth },
  { name: 'primal-dual-as-printed', what: 'primal–dual steps as published for the sparse multiclass hinge', takes: hinge },
  { name: 'bcd-line-search-as-printed', what: 'as published: one feature after the other, with a line search', takes: smooth },
  { name: 'bcd-constant-step-as-printed', what: 'as published: one feature at random, with a constant step', takes: smooth },
  { name: 'fista-line-search-as-printed', what: 'as published: accelerated steps with backtracking', takes: smooth },
  { name: 'sparsa-as-printed', what: 'as published: proximal gradient with Barzilai–Borwein steps', takes: smooth },
  { name: 'fista-constant-step-as-printed', what: 'as published: accelerated steps of the constant length that is printed', takes: smooth },
  { name: 'fista-constant-step', what: 'accelerated steps of a constant length found by power iteration', takes: smooth },
  { name: 'forward-backward', what: 'plain proximal gradient steps of constant length', takes: smooth },
  { name: 'fobos-as-printed', what: 'as published: stochastic proximal gradient, one sample a step', takes: any, absent: true },
  { name: 'adaptive-dual-averaging', what: 'stochastic dual averaging with a step of its own for each weight', takes: any, absent: true },
];
