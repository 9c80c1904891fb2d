import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { command, digits, iris, load, madeUpProblem, outcome, project, refusal, runCommand, small } from './support.mjs';

const tamis = await load({ baselines: true, double: true });
const irisProblem = { ...iris, loss: 'hinge', penalty: 'l1', lambda: 1 / 150, tolerance: 1e-4 };

function close(actual, expected, relative) {
  assert.ok(Math.abs(actual - expected) <= relative * Math.abs(expected), `${actual} is not ${expected}`);
}

// Objectives and lower bounds of the command, as in
//   tamis train tests/data/iris.csv --loss hinge --penalty l1 --lambda 1/150 --tolerance 1e-4 --precision double --report …
test('iris: the objective of the command', () => {
  for (const [precision, rounding] of [['float', 1e-6], ['double', 1e-12]]) {
    const { report } = tamis.trainSync({ ...irisProblem, precision });
    assert.equal(report.status, 'converged');
    close(report.objective, 0.118495, 2e-4);
    assert.ok(report.relativeGap <= 1e-4 && report.gap >= 0);
    close(report.gap, report.objective - report.dualObjective, Math.max(rounding / report.gap, 1e-9));
    assert.equal(report.arenaUsedBytes, report.arenaBytes);
  }
});

test('digits: certified to one per cent, with the digits mostly right', async () => {
  const model = await tamis.train({ ...digits, loss: 'hinge', penalty: 'l1', lambda: 1 / 1797, tolerance: 1e-2 });
  assert.equal(model.report.status, 'converged');
  close(model.report.objective, 0.1139, 2e-2);
  const predicted = model.predictAll(digits.X);
  const right = predicted.filter((label, i) => label === digits.y[i]).length;
  assert.ok(right >= 0.97 * digits.y.length, `${right} right`);
});

test('the same model as the command, to the last bit', { skip: !command && 'no command to compare with' }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-'));
  const complete = await load({ double: true });
  try {
    for (const [loss, penalty, precision] of [['hinge', 'l1', 'float'], ['squared-hinge', 'group-l2', 'double']]) {
      const file = path.join(folder, 'iris.json');
      runCommand('train', path.join(project, 'tests/data/iris.csv'), '--loss', loss, '--penalty', penalty, '--lambda', '1/150',
        '--precision', precision, '--model', file, '--quiet');
      const model = complete.trainSync({ ...irisProblem, loss, penalty, precision });
      assert.deepEqual(JSON.parse(JSON.stringify(model)), JSON.parse(readFileSync(file, 'utf8')));
      // The command also writes the names of the features, as comments.
      const header = runCommand('export', file, '--format', 'c', '--name', 'iris', '--precision', precision);
      assert.equal(model.toC({ name: 'iris' }), header.replace(/  \/\* [^*]* \*\/$/gm, ''));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every form of samples gives the same model', () => {
  const [samples, features] = [iris.X.length, iris.X[0].length];
  const columns = Array.from({ length: features }, (_, j) => iris.X.map((row) => row[j])).flat();
  const wanted = outcome(tamis.trainSync(irisProblem));
  for (const X of [
    iris.X.map((row) => Float64Array.from(row)),
    { values: iris.X.flat(), samples, features },
    { values: Float32Array.from(iris.X.flat()), samples, features, layout: 'rows' },
    { values: Float32Array.from(columns), samples, features, layout: 'columns' },
    { values: Float64Array.from(columns), samples, features, layout: 'columns' },
    { values: columns, samples, features, layout: 'columns' },
  ])
    assert.deepEqual(outcome(tamis.trainSync({ ...irisProblem, X })), wanted);
});

test('slices, their length and what else runs do not change the model', async () => {
  const problems = [1, 2, 3, 4, 5, 6].map(madeUpProblem);
  const wanted = problems.map((problem) => outcome(tamis.trainSync(problem)));
  const overlapping = await Promise.all(
    problems.map((problem, i) => tamis.train(problem, { sliceMilliseconds: 0.1 + (i % 3) })),
  );
  assert.deepEqual(overlapping.map(outcome), wanted);
  // Everything was released: a problem that fills most of the memory fits.
  assert.equal(tamis.trainSync({ ...large(), maxIterations: 1 }).report.status, 'iteration_limit');
});

function large() {
  const [samples, features] = [60000, 200];
  const values = new Float32Array(samples * features);
  for (let i = 0; i < samples; ++i) values[i + (i % features) * samples] = 1;
  return {
    X: { values, samples, features, layout: 'columns' },
    y: Array.from({ length: samples }, (_, i) => i % 2), loss: 'hinge', penalty: 'l1', lambda: 1e-4,
  };
}

test('trainingBytes goes by the ratio: without ridge it is another solver that trains', async () => {
  const tamis = await load();
  const spec = { samples: 200, features: 10, classes: 3, loss: 'hinge', penalty: 'elastic-net', lambda: 0.1 };
  const least = (more) => tamis.trainingBytes({ ...spec, ...more }).least;
  assert.equal(least({ l1Ratio: 1 }), least({ solver: 'two-phase' }));
  assert.equal(least({ l1Ratio: 0.5 }), least({ solver: 'crammer-singer-dual' }));
  assert.notEqual(least({ l1Ratio: 1 }), least({}));
});

test('trainingBytes is what a training uses, with and without a limit', async () => {
  for (const precision of ['float', 'double'])
    for (let seed = 1; seed <= 12; ++seed) {
      const { X, loss, penalty, lambda, ...rest } = madeUpProblem(seed);
      const train = (more) => tamis.trainSync({ X, loss, penalty, lambda, ...rest, precision, ...more });
      const { report, classes, features } = train();
      const spec = { samples: X.length, features, classes: classes.length, loss, penalty, lambda, precision, groups: rest.groups };
      const { least, fast } = tamis.trainingBytes(spec);
      if (loss === 'hinge' && penalty === 'ridge') assert.ok(report.arenaBytes <= fast); // the samples decide between two solvers
      else assert.equal(report.arenaBytes, fast);
      const small = train({ memoryLimit: least, maxIterations: 100000 }).report; // maybe by a slower way
      assert.deepEqual([small.arenaBytes, small.arenaUsedBytes], [least, least]);
      assert.ok(small.status === report.status || (least < fast && small.status === 'precision_limit'), small.status);
      close(small.objective, report.objective, 2e-3);
      if (fast > least) {
        const { arenaBytes } = train({ memoryLimit: fast - 1 }).report;
        assert.ok(least <= arenaBytes && arenaBytes < fast, `${least} <= ${arenaBytes} < ${fast}`);
      }
      const error = await refusal(() => train({ memoryLimit: least - 1 }), 'arena_too_small');
      assert.equal(error.arenaBytes, least);
    }
  assert.deepEqual(tamis.trainingBytes({ samples: 4e9, features: 4e9, classes: 60000 }), { least: Infinity, fast: Infinity });
});

test('what others leave is enough', () => {
  const spec = { samples: 1797, features: 64, classes: 10 };
  const { least, fast } = tamis.trainingBytes({ ...spec, nonzeros: 58725 });
  assert.ok(least < fast / 4, `${least} and ${fast}`);
  const arenas = [];
  const nest = (depth) => {
    const { report } = tamis.trainSync({ ...digits, loss: 'hinge', penalty: 'l1', lambda: 0.01, tolerance: 0.1 }, {
      onProgress: (now) => {
        if (now.status === 'running' && depth < 16 && arenas.length === 0) nest(depth + 1);
      },
    });
    arenas.push(report.arenaBytes);
  };
  nest(1);
  assert.deepEqual(new Set(arenas), new Set([least, fast]));
});

test('progress is told after each slice and at the end, and may stop', async () => {
  const problem = { ...digits, loss: 'hinge', penalty: 'l1', lambda: 1 / 1797, tolerance: 1e-5 };
  const reports = [];
  const model = await tamis.train(problem, {
    sliceMilliseconds: 5,
    onProgress: (report) => {
      reports.push(report);
      return reports.length < 4;
    },
  });
  assert.equal(model.report.status, 'stopped');
  assert.equal(reports.length, 5); // the last one is the ending
  assert.deepEqual(reports.map((report) => report.status), ['running', 'running', 'running', 'running', 'stopped']);
  reports.reduce((before, after) => (assert.ok(after.iterations >= before.iterations), after));
  assert.equal(tamis.trainSync(problem, { onProgress: () => false }).report.status, 'stopped');
});

test('a gap that is within the tolerance is that of a run that has converged, whatever the precision could do beyond', () => {
  for (let seed = 1; seed <= 40; ++seed)
    for (const lambda of [1e-3, 0.05, 1e3])
      for (const tolerance of [1e-2, 1e-5, 1e-9]) {
        const problem = { ...madeUpProblem(seed), lambda, tolerance, maxIterations: 300 };
        const { status, gap, relativeGap } = tamis.trainSync(problem).report;
        // A round that ends at the limit is certified, and there are rounds left.
        if (problem.penalty === 'reweighted-l1' && status === 'iteration_limit') continue;
        if (relativeGap <= tolerance) assert.equal(status, 'converged', `seed ${seed}, ${lambda}, ${tolerance}: ${gap}`);
      }
});

test('a signal stops between slices, with the best model so far', async () => {
  const problem = { ...digits, loss: 'hinge', penalty: 'l1', lambda: 1 / 1797, tolerance: 1e-6 };
  const controller = new AbortController();
  let slices = 0;
  const onProgress = () => void (++slices === 2 && controller.abort());
  const { report, predict } = await tamis.train(problem, { signal: controller.signal, bestOnAbort: true, onProgress });
  assert.equal(report.status, 'stopped');
  assert.ok(report.objective > 0 && report.gap > 0 && typeof predict === 'function');
  const early = await tamis.train(problem, { signal: controller.signal, bestOnAbort: true });
  assert.equal(early.report.status, 'stopped');
  assert.equal(early.report.iterations, 0);
});

test('an error in onProgress ends the training and frees its memory', async () => {
  const fail = () => {
    throw new RangeError('mine');
  };
  await assert.rejects(tamis.train(small, { onProgress: fail }), RangeError);
  assert.throws(() => tamis.trainSync(small, { onProgress: fail }), RangeError);
  assert.equal(tamis.trainSync({ ...large(), maxIterations: 1 }).report.status, 'iteration_limit');
});

test('classes are in order, numbers before words', () => {
  const classesOf = (y) => tamis.trainSync({ ...small, X: y.map((_, i) => [i]), y }).classes;
  assert.deepEqual(classesOf([10, 9, -1]), [-1, 9, 10]);
  assert.deepEqual(classesOf(['b', '10', 'a', '9', '']), ['9', '10', '', 'a', 'b']);
  assert.deepEqual(classesOf([1, '1', 2]), [1, 2]);
});
