/** What training takes on a board: the arena to the byte, the data, and what was measured of flash and stack. */
import type { Loss, Penalty, Precision, Solver, Tamis, TrainingSpec } from 'tamis';
import { figures } from 'virtual:figures';
import type { Board } from './boards';

export interface Wanted extends TrainingSpec {
  loss: Loss;
  penalty: Penalty;
  solver: Solver;
  precision: Precision;
}

export interface Bytes {
  /** What training needs, and with what it is as fast as it can be. */
  least: number;
  fast: number;
  /** Features of all samples, and their labels. */
  data: number;
}

/** Throws TamisError for what does not go together. */
export function bytesOf(tamis: Tamis, wanted: Wanted): Bytes {
  const { least, fast } = tamis.trainingBytes(wanted);
  const { samples, features, precision } = wanted;
  return { least, fast, data: samples * (features * (precision === 'float' ? 4 : 8) + 2) };
}

/** In bytes, as measured for a core. */
export interface Cost {
  flash: number;
  stack: number;
}
export interface TrainingCost extends Cost {
  /** What was measured: the same, or what is nearest to it. */
  of: string;
  exact: boolean;
}

/** The solvers that 'auto' may mean. */
const meant: Record<Loss, Solver[]> = {
  hinge: ['two-phase', 'primal-dual', 'crammer-singer-dual'],
  'squared-hinge': ['block-coordinate-descent', 'fista'],
  logistic: ['block-coordinate-descent', 'fista'],
  'one-vs-rest-squared-hinge': ['block-coordinate-descent', 'fista'],
  'ranking-squared-hinge': ['fista'],
};

/** The solver that 'auto' means: it takes the same bytes. */
export function solverOf(tamis: Tamis, wanted: Wanted): Solver {
  if (wanted.solver !== 'auto') return wanted.solver;
  const { least, fast } = tamis.trainingBytes(wanted);
  return meant[wanted.loss].find((solver) => {
    try {
      const other = tamis.trainingBytes({ ...wanted, solver });
      return other.least === least && other.fast === fast;
    } catch {
      return false; // not for this penalty, or not in this module
    }
  }) ?? 'auto';
}

/** Measured for the core of a board; null: nothing like it is. */
export function costOf(board: Board, { loss, penalty, solver }: Wanted): TrainingCost | null {
  const near = figures.filter(([core, by]) => core === board.figures && by === solver);
  const rank = ([, , itsLoss, itsPenalty]: (typeof near)[number]) => 2 * Number(itsLoss !== loss) + Number(itsPenalty !== penalty);
  const [best] = [...near].sort((a, b) => rank(a) - rank(b));
  if (!best) return null;
  const [, by, itsLoss, itsPenalty, flash, stack] = best;
  return { flash, stack, of: `${by}, ${itsLoss}, ${itsPenalty}`, exact: itsLoss === loss && itsPenalty === penalty };
}

/** What a function that predicts takes besides the tables of its model, as measured for the core of a board with a linear one. */
export function predictionOf(board: Board): Cost {
  const [, , , , flash, stack] = figures.find(([core, by]) => core === board.figures && by === 'prediction')!;
  return { flash, stack };
}
