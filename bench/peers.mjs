// Other solvers of the same problems: how each is found, and what it runs. One that is absent says how to get it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const python = process.env.TAMIS_PYTHON ?? '/usr/bin/python3';
const data = here('../tests/data/iris.csv');
const lambda = '0.02';

const importable = (module) => spawnSync(python, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;

function runPython(script) {
  const { status, stdout, stderr } = spawnSync(python, [here(script), data, lambda], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  return JSON.parse(stdout);
}

/** name; missing(): why it is not run, or null; ours: the same problem as options of `tamis train`; run(): what it finds. */
const peers = [
  {
    name: 'HiGHS, the linear program of hinge + l1',
    missing: () => (importable('scipy.optimize') ? null : 'SciPy is missing; install python3-scipy'),
    ours: ['--loss', 'hinge', '--penalty', 'l1'],
    run: () => runPython('peers/hinge_l1_highs.py'),
  },
  {
    name: 'LinearSVC (crammer_singer), hinge + ridge',
    missing: () => (importable('sklearn.svm') ? null : 'scikit-learn is missing; install python3-sklearn'),
    ours: ['--loss', 'hinge', '--penalty', 'ridge', '--no-intercept'],
    run: () => runPython('peers/hinge_ridge_linear_svc.py'),
  },
  { name: 'lightning', missing: () => 'not on iris: the target ratios runs it on digits, MNIST and 20 newsgroups' },
  { name: 'hierNet', missing: () => 'no adaptor yet; install.packages("hierNet") in R gets it' },
];

/** { objective, seconds } of our command on the same data. */
function runOurs(tamis, options) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-bench-'));
  try {
    const report = path.join(folder, 'report.json');
    const { status, stderr } = spawnSync(tamis, ['train', data, ...options, '--lambda', lambda, '--quiet', '--report', report],
      { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr.trim());
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line on a peer and us, and whether the objectives are the same. */
function compare({ name, ours, run }, tamis) {
  const theirs = run(), own = runOurs(tamis, ours);
  const agree = Math.abs(own.objective - theirs.objective) <= 1e-3 * theirs.objective;
  const text = ({ objective, seconds }) => `${objective.toFixed(6)} in ${(1e3 * seconds).toFixed(1)} ms`;
  const line = `objective ${text(theirs)}; tamis ${text(own)}${agree ? '' : '   DIFFERENT OBJECTIVES'}`;
  return { name, line, agree };
}

/** Runs the peers that are there: { name, line, agree } of each; one that fails does not agree. */
export function comparePeers(tamis) {
  return peers.map((peer) => {
    const reason = peer.missing() ?? (tamis ? null : 'the tamis command is not built');
    if (reason) return { name: peer.name, line: `not run: ${reason}`, agree: true };
    try {
      return compare(peer, tamis);
    } catch (error) {
      return { name: peer.name, line: `FAILED: ${error.message}`, agree: false };
    }
  });
}
