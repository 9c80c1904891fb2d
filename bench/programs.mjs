// The parts of the report that are programs of their own: each ends with results, or with why there are none.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const start = (program, args, seconds) =>
  spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], timeout: 1000 * seconds, maxBuffer: 1 << 28 });

/** { points: [{ series, loss, x, seconds, bytes, … }…] }, or { notRun } or { failed: [[who, why]] }. */
export function runScaling(program, quick) {
  if (!program || !existsSync(program)) return { notRun: '--target bench_scaling builds it' };
  console.log('Time and memory against the sizes of a problem');
  const limit = quick ? 40 : 300;
  const { status, error, stdout } = start(program, quick ? ['--quick', '--cap', '1'] : ['--cap', '10'], limit);
  // What was written until the limit counts.
  const text = stdout.trim().endsWith(']') ? stdout : `${stdout.trim().replace(/,?\s*(\{[^}]*)?$/, '')}]`;
  if (error?.code !== 'ETIMEDOUT' && status !== 0) return { failed: [['bench_scaling', `it ended with ${status ?? error?.message}`]] };
  try {
    return { points: JSON.parse(text), cut: error?.code === 'ETIMEDOUT' ? limit : undefined };
  } catch {
    return { failed: [['bench_scaling', 'what it printed cannot be read']] };
  }
}

/** { problems: [{ name, optimum, curves, not_run, failed }…], failed: [[who, why]] }, or { notRun }. */
export function runPeers({ tamis, python, wasm }, quick) {
  if (!tamis || !existsSync(tamis)) return { notRun: '--target tamis builds the command' };
  if (!python) return { notRun: 'python3 is missing' };
  console.log('Other solvers of the same problems');
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-bench-'));
  try {
    const output = path.join(folder, 'peers.json');
    const limit = quick ? 75 : 420;
    const { error, status } = start(python, [here('peers/curves.py'), tamis, here('../tests/data'), '--json', output,
      ...(quick ? ['--quick', '--cap', '2'] : ['--cap', '20']), ...(wasm ? ['--wasm', wasm] : [])], limit);
    if (!existsSync(output)) {
      if (error?.code === 'ETIMEDOUT') return { notRun: `not reached in ${limit} s` };
      return { notRun: `peers/curves.py ended with ${status}; its packages: bash toolchains/setup.sh bench` };
    }
    const problems = JSON.parse(readFileSync(output, 'utf8'));
    return { problems, cut: error?.code === 'ETIMEDOUT' ? limit : undefined, failed: problems.flatMap(({ name, failed }) => failed.map(({ solver, reason }) => [`${solver} on ${name}`, reason])) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What peers/python_estimators.py or python_costs.py has measured, or { notRun }. */
export function runPython(script, { python, package: own }, quick) {
  if (!python || !own || !existsSync(own)) return { notRun: '--target tamis_python builds the package' };
  console.log(`the Python package: ${script}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-bench-')), output = path.join(folder, 'measured.json');
  const limit = quick ? 120 : 1200;
  try {
    const { status } = spawnSync(python, ['-B', here(`peers/${script}`), here('../tests/data'), '--json', output, ...(quick ? ['--quick'] : []), '--wheels', path.dirname(own)],
      { env: { ...process.env, PYTHONPATH: own }, stdio: ['ignore', 'ignore', 'inherit'], timeout: 1000 * limit });
    if (existsSync(output)) return JSON.parse(readFileSync(output, 'utf8'));
    return { notRun: `peers/${script} ended with ${status ?? `no result in ${limit} s`}; its packages: bash toolchains/setup.sh bench` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
