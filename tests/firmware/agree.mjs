// node agree.mjs FIGURES.csv BOARD…: a training has the same bits on every board, so the recorded iterations of a solver, loss and penalty
// are the same on all of those named, which have been measured with the same code. Every disagreement is a line; the answer is 1 when
// there are some.
import { readFileSync } from 'node:fs';

const [record, ...measured] = process.argv.slice(2);
const [head, ...lines] = readFileSync(record, 'utf8').trim().split('\n').map((line) => line.split(','));
const found = new Map();
for (const line of lines) {
  const { board, level, solver, loss, penalty, iterations } = Object.fromEntries(head.map((name, i) => [name, line[i]]));
  if (!measured.includes(board)) continue;
  const training = `${solver} ${loss} ${penalty}`.trim(), boards = found.get(training) ?? new Map();
  found.set(training, boards.set(iterations, [...(boards.get(iterations) ?? []), `${board} ${level}`]));
}
const wrong = [...found].filter(([, boards]) => boards.size > 1);
for (const [training, boards] of wrong)
  console.error(`${training} takes ${[...boards].map(([iterations, where]) => `${iterations} iterations on ${where.join(', ')}`).join('; ')}.`);
if (!found.size) console.error(`${record} has no figures.`);
process.exitCode = wrong.length || !found.size ? 1 : 0;
if (!process.exitCode) console.log(`${found.size} trainings take as many iterations on ${measured.join(', ')}.`);
