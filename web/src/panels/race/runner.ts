/** One solver after the other on the same problem, so that they take no time from each other. */
import type { Loss, Penalty, Precision, Problem, Report } from 'tamis';
import { TamisError, type WorkerClient } from 'tamis/worker';
import type { Data } from './problems';

export interface Task {
  data: Data;
  loss: Loss;
  penalty: Penalty;
  lambda: number;
  precision: Precision;
  /** Milliseconds that each may take. */
  limit: number;
}
export interface Entry {
  time: number; // milliseconds inside the module
  objective: number;
  gap: number; // certified, relative
  iterations: number;
}
export interface Run {
  name: string;
  state: 'waiting' | 'running' | 'done' | 'out of time' | 'stopped' | 'refused';
  trace: Entry[];
  /** Why it is refused. */
  reason?: string;
}

export const finest_gap = 1e-5;
const slice = 2; // milliseconds: entries come as often
const most_iterations = 1_000_000_000;
const warm_up = 150; // milliseconds that do not count: browsers compile well only what has run a while

/** Races those of that name; `changed` whenever there is something to show. Ends early by the signal. */
export async function race(client: WorkerClient, task: Task, runs: readonly Run[], signal: AbortSignal, changed: (run: Run) => void): Promise<void> {
  for (const run of runs) {
    if (signal.aborted) run.state = 'stopped';
    else await solve(client, task, run, signal, changed);
    changed(run);
  }
}

async function solve(client: WorkerClient, task: Task, run: Run, signal: AbortSignal, changed: (run: Run) => void): Promise<void> {
  const { data, limit, ...rest } = task;
  const problem = { ...data, ...rest, solver: run.name as Problem['solver'] & string, tolerance: finest_gap, maxIterations: most_iterations };
  run.state = 'running';
  changed(run);
  const onProgress = (report: Report) => {
    if (enter(run.trace, report)) changed(run);
    return (report.milliseconds ?? 0) < limit;
  };
  try {
    await client.train(problem, { signal, bestOnAbort: true, onProgress: ({ milliseconds = 0 }) => milliseconds < warm_up, sliceMilliseconds: slice });
    const { report } = await client.train(problem, { signal, bestOnAbort: true, onProgress, sliceMilliseconds: slice });
    enter(run.trace, report);
    run.state = report.status !== 'stopped' ? 'done' : signal.aborted ? 'stopped' : 'out of time';
  } catch (error) {
    if (!(error instanceof TamisError) || error.status === 'unsupported') throw error;
    run.state = 'refused';
    run.reason = error.message;
  }
}

/** Whether the report says something that the trace does not. */
function enter(trace: Entry[], { milliseconds: time = 0, objective, relativeGap: gap, iterations }: Report): boolean {
  if (!(gap >= 0) || !(objective > 0) || !(time > 0)) return false; // before the first certificate
  const last = trace.at(-1);
  if (last && last.gap === gap && last.objective === objective) return false;
  trace.push({ time, objective, gap, iterations });
  return true;
}

/** Milliseconds until the gap was certified; null when it was not. */
export const timeTo = (gap: number, { trace }: Run) => trace.find((entry) => entry.gap <= gap)?.time ?? null;

/** The least objective of all. */
export const bestOf = (runs: readonly Run[]) => Math.min(...runs.flatMap(({ trace }) => trace.map(({ objective }) => objective)));
