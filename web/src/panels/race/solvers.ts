/** The solvers that may race: what each is in half a sentence, and what it takes (as `tamis solvers` lists it). */
import type { Loss, Penalty } from 'tamis';

export interface Entrant {
  readonly name: string;
  readonly what: string;
  /** Whether it is tamis's, not a published algorithm that tamis is measured against. */
  readonly own?: true;
  takes(loss: Loss, penalty: Penalty): boolean;
  /** Whether it stays out unless it is asked for. */
  readonly absent?: boolean;
}

const hinge = (loss: Loss) => loss === 'hinge';
const smooth = (loss: Loss) => loss !== 'hinge';
const any = () => true;

export const entrants: readonly Entrant[] = [
  { name: 'two-phase', what: 'primal–dual steps, then Newton’s method on what is kept', own: true, takes: hinge },
  { name: 'crammer-singer-dual', what: 'ascent on the dual, sample by sample', own: true, takes: (loss, penalty) => hinge(loss) && ['ridge', 'group-l2'].includes(penalty) },
  { name: 'block-coordinate-descent', what: 'descent over features, then Newton’s method on what is kept', own: true, takes: smooth },
  { name: 'primal-dual', what: 'primal–dual steps, balanced and restarted', own: true, takes: hinge },
  { name: 'fista', what: 'accelerated proximal gradient steps, restarted', own: true, takes: smooth },
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

/** The one that tamis takes by itself, which is what `auto` means for the data and λ of this panel. */
const usual = (loss: Loss, penalty: Penalty) =>
  !hinge(loss) ? 'block-coordinate-descent' : penalty === 'ridge' ? 'crammer-singer-dual' : 'two-phase';

/** Which solvers are tamis's, and what the others are. */
export function explained(loss: Loss, penalty: Penalty): string {
  const first = usual(loss, penalty);
  const others = entrants.filter(({ name, own, takes }) => own && name !== first && takes(loss, penalty)).map(({ name }) => name);
  return `tamis takes ${first} here unless told otherwise; ${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} its own too. ` +
    'The others are published algorithms to measure it against, ‘as published’ those that are unchanged, with the steps that their papers print. ' +
    'All run in the same module, and are certified in the same way.';
}
