// The targets of the suite: programs of their own, started one after the other.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { longest } from './harness.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What a program that is not there, cannot run here or takes too long is: a reason, not a failure. */
export class NotRun extends Error {}

/** What the program printed. What it says in complaint goes to the terminal; its failure is an error. */
export function run(program, args, limit = 600) {
  const { status, signal, error, stdout } = spawnSync(program, args,
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], timeout: 1000 * limit, maxBuffer: 1 << 28 });
  if (error?.code === 'ETIMEDOUT') throw new NotRun(`not reached in ${limit} s`);
  if (error?.code === 'ENOENT') throw new NotRun(`${path.basename(program)} is missing`);
  if (error) throw error;
  if (signal === 'SIGILL') throw new NotRun('this processor lacks its instructions');
  if (status !== 0) throw new Error(`${path.basename(program)} ended with ${status ?? signal}`);
  if (stdout.startsWith('not run: ')) throw new NotRun(stdout.slice('not run: '.length).trim());
  return stdout;
}

const asBrief = (brief) => (brief ? ['brief'] : []);
const nameOf = (module, what) => path.basename(module, '.wasm').replace('bench', what);

/** A native target: `folder` holds its programs. */
export function native(folder) {
  const program = (name) => {
    if (!existsSync(path.join(folder, name))) throw new NotRun(`it is not built: --target bench_target_${path.basename(folder)}`);
    return path.join(folder, name);
  };
  return {
    name: path.basename(folder),
    measure: (least, limit, brief) => JSON.parse(run(program('bench_native'),
      ['--benchmark_format=json', `--benchmark_min_time=${least}`, ...(brief ? [`--benchmark_filter=-${longest.source}`] : [])], limit)),
    results: (prefixes = []) => run(program('bench_run'), [path.basename(folder), ...prefixes]).trim().split('\n'),
  };
}

/** A module in Node. */
export function inNode(module) {
  const start = (args, limit) => {
    if (!existsSync(module)) throw new NotRun('it is not built: --target bench_wasm_all');
    return run(process.execPath, [here('node.mjs'), module, ...args], limit);
  };
  return {
    name: nameOf(module, 'wasm'),
    measure: (least, limit, brief) => JSON.parse(start(['json', least, ...asBrief(brief)], limit)),
    cold: (limit, brief) => JSON.parse(start(['cold', ...asBrief(brief)], limit)),
    results: (prefixes = []) => start(['checksums', ...prefixes]).trim().split('\n'),
  };
}

/** A module in a worker of headless Chromium. */
export function inBrowser(module) {
  const start = (args, limit) => JSON.parse(run(process.execPath, [here('browser.mjs'), module, ...args], limit));
  return {
    name: nameOf(module, 'browser'),
    measure: (least, limit, brief) => start(['json', least, ...asBrief(brief)], limit),
    cold: (limit, brief) => start(['cold', ...asBrief(brief)], limit),
  };
}
