// What the report computes and says, from measurements that are made up. Run: node --test bench/report.test.mjs
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { againstFloor, bandwidth, collect, disagreements, exponent, floors, median, quantile, ratio, ratios } from './analysis.mjs';
import { boards, exponents, growth, otherSolvers, papers } from './chapters_beside.mjs';
import { ratiosFirst } from './chapters.mjs';
import { Document } from './document.mjs';
import { measureSuite } from './suite.mjs';
import { native, NotRun, run } from './targets.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const entry = (name, nanoseconds, label, more = {}) => ({ name: `${name}/real_time`, label, real_time: nanoseconds, time_unit: 'ns',
  flops: 100, bytes: 64, span: 64, traffic: 0, ...more });
const round = (time, checksum = 'a') => ({ context: { compiler: 'x' }, benchmarks: [entry('multiply/1', time, `kernel ${checksum}`),
  entry('peak', 10, 'floor p', { flops: 200 }), entry('read/16kB', 10, 'floor r', { bytes: 640, span: 16384 }), entry('read/64MB', 10, 'floor r', { bytes: 64, span: 1 << 26 }),
  entry('update/16kB', 10, 'floor u', { bytes: 320, span: 16384, traffic: 1 }), entry('update/64MB', 10, 'floor u', { bytes: 32, span: 1 << 26, traffic: 1 })] });

test('quantiles are those of the sorted values', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.25), 2.5);
});

test('ratios are taken round by round', () => {
  const workloads = collect({ a: [round(20), round(60)], b: [round(10), round(20)] });
  assert.equal(ratio(workloads.get('multiply/1'), 'a', 'b').median, 2.5);
  assert.equal(ratio(workloads.get('multiply/1'), 'a', 'c'), null);
  const all = ratios(workloads, 'a', 'b');
  assert.deepEqual([all.count, all.at], [1, 'multiply/1']);
});

test('results that differ, change or are wrong are named, and double is apart from float', () => {
  const names = (documents) => disagreements(collect(documents), Object.keys(documents)).length;
  assert.equal(names({ a: [round(1)], b: [round(2)] }), 0);
  assert.equal(names({ a: [round(1)], b: [round(2, 'other')] }), 1);
  assert.equal(names({ a: [round(1), round(1, 'other')] }), 1);
  assert.equal(names({ a: [round(1, '0000000000000000')] }), 1);
  assert.equal(names({ a: [round(1)], 'a-double': [round(2, 'other')] }), 0);
});

test('the floor that takes longer binds', () => {
  const workloads = collect({ a: [round(20)] }), floor = floors(workloads, 'a');
  assert.equal(floor.peak, 200 / 10e-9);
  const at = againstFloor(workloads.get('multiply/1'), 'a', floor);  // 100 flops: 5 ns; 64 bytes: 1 ns; of 20 ns
  assert.equal(at.bound, 'arithmetic');
  assert.ok(Math.abs(at.fraction - 0.25) < 1e-9);
  const traffic = againstFloor({ ...workloads.get('multiply/1'), runs: { a: { seconds: [20e-9], flops: 1, bytes: 640, span: 64 } } }, 'a', floor);
  assert.equal(traffic.bound, 'traffic');
  assert.ok(Math.abs(traffic.fraction - 0.5) < 1e-9);
});

test('bandwidth between two sizes lies between theirs', () => {
  const curve = [[100, 1000], [10000, 10]];
  assert.equal(bandwidth(curve, 1), 1000);
  assert.ok(Math.abs(bandwidth(curve, 1000) - 100) < 1e-9);
  assert.equal(bandwidth(curve, 1e9), 10);
});

test('exponents are slopes of logarithms', () => {
  assert.ok(Math.abs(exponent([[1, 3], [10, 300], [100, 30000]]) - 2) < 1e-12);
  assert.ok(Number.isNaN(exponent([[1, 1], [2, 2]])));
  const points = [1, 10, 100].map((x) => ({ series: 'samples', loss: 'logistic', x, seconds: x, bytes: 10 * x, data_bytes: 0, status: 'converged' }));
  const [one] = exponents([...points, { series: 'samples', loss: 'logistic', x: 1000, seconds: 9, bytes: 1, data_bytes: 0, status: 'running' }]);
  assert.deepEqual([one.points, one.unreached.length, Math.round(100 * one.time)], [3, 1, 100]);
});

test('a target that is missing is not run, one that fails is a failure, and both leave the others alone', () => {
  const target = (name, measure) => ({ name, measure });
  const out = measureSuite([target('good', () => round(1)), target('missing', () => { throw new NotRun('it is not there'); }),
    target('broken', () => { throw new Error('it fell'); })], { rounds: 2, say: () => {} });
  assert.deepEqual([out.documents.good.length, out.notRun, out.failed], [2, { missing: 'it is not there' }, { broken: 'it fell' }]);
  assert.throws(() => native('/nowhere/gcc-sse').measure(0.1, 1), NotRun);
  assert.throws(() => run('/nowhere/program', []), NotRun);
  assert.throws(() => run(process.execPath, ['-e', 'process.exit(3)']), /ended with 3/);
  assert.throws(() => run(process.execPath, ['-e', 'setTimeout(() => {}, 1e5)'], 0.2), /not reached in 0.2 s/);
  assert.throws(() => run(process.execPath, ['-e', 'console.log("not run: no browser")']), (error) => error instanceof NotRun && error.message === 'no browser');
});

test('what is missing is one line each in the report', () => {
  const document = new Document('x');
  otherSolvers(document, { notRun: 'no command' });
  growth(document, { notRun: 'no program' });
  papers(document, '/nowhere', '/nowhere');
  boards(document);
  const text = document.markdown();
  for (const line of ['not run: no command', 'not run: no program', 'figure25: not run: --target paper_c_figure25']) assert.ok(text.includes(line), line);
  assert.match(text, /primal-dual, hinge, l1 \| [\d.]+ \| [\d.]+ \|/);  // of the boards
});

test('what the papers’ targets have written is in the report', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-report-')), results = path.join(folder, 'paper_b', 'results');
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(results, 'figure5.md'), '## Figure 5\n\n| a |\n| --- |\n| 1 |\n\n![figure5](figure5.svg)\n');
  writeFileSync(path.join(results, 'figure5.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
  const document = new Document('x');
  const recorded = path.join(folder, 'paper_b', 'recorded');
  mkdirSync(recorded);
  for (const name of ['figure5', 'figure23']) writeFileSync(path.join(recorded, `${name}.md`), `## Recorded ${name}\n`);
  papers(document, folder, folder);
  assert.match(document.markdown(), /#### Recorded figure23[^]*#### Figure 5\n\n\| a \|[^]*paper_b_figure5\.svg[^]*table2: not run/);
  assert.ok(!document.markdown().includes('Recorded figure5'));
  assert.ok(!document.markdown().includes('figure5: not run'));
  assert.ok('paper_b_figure5.svg' in document.files);
});

test('targets whose results differ end with 1, and so does one that cannot run', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-report-'));
  const target = (name, checksum) => {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, 'bench_run'), `#!/bin/sh\necho "$1,dot/64,kernel,0,1,1,${checksum}"\n`);
    chmodSync(path.join(folder, name, 'bench_run'), 0o755);
    return path.join(folder, name);
  };
  const [a, b, c] = [target('a', '01'), target('b', '01'), target('c', '02')];
  const ends = (...targets) => spawnSync(process.execPath, [here('checksums.mjs'), ...targets], { encoding: 'utf8' }).status;
  assert.deepEqual([ends(a, b), ends(a, c), ends(a, path.join(folder, 'none')), ends()], [0, 1, 1, 1]);
});

test('a missed goal is said, and by how much', () => {
  const documents = { 'clang-sse': [round(10)], 'wasm-simd': [round(20)] };
  const document = new Document('x');
  ratiosFirst(document, collect(documents), Object.keys(documents));
  assert.match(document.markdown(), /wasm-simd \/ clang-sse: the mean is 1\.60 times the goal/);
  assert.match(document.html(), /<table>[^]*wasm-simd \/ clang-sse/);
  assert.ok(document.files['ratios.svg'].startsWith('<svg'));
});

test('what is written is escaped', () => {
  const document = new Document('a < b');
  document.table(['x'], [['<script>']]);
  assert.ok(!document.html().includes('<script>'));
});

test('a record keeps the figures, refuses results that differ, and goes into the README', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tamis-report-')), at = (name) => path.join(folder, name);
  const results = { machine: { processor: 'P', cores: 2, date: '2000-01-01', node: 'v1', load: [1, 1, 1] }, quick: true, failed: {},
    documents: { 'clang-sse': [round(10)], 'wasm-simd': [round(12)] }, scaling: { notRun: 'x' }, peers: { notRun: 'x' } };
  const node = (...args) => spawnSync(process.execPath, args, { encoding: 'utf8' });
  const record = (content) => {
    writeFileSync(at('results.json'), JSON.stringify(content));
    return node(here('record.mjs'), at('results.json'), at('recorded.json')).status;
  };
  assert.equal(record({ ...results, documents: { ...results.documents, 'wasm-simd': [round(12, 'other')] } }), 1);
  assert.equal(record(results), 0);
  assert.equal(JSON.parse(readFileSync(at('recorded.json'), 'utf8')).comparisons[0].mean, 1.2);
  const marked = (name, file) => `<!-- ${name}: written by bench/readme.mjs from bench/${file} -->\nold\n<!-- ${name}: end -->\n`;
  writeFileSync(at('README.md'), `before\n${marked('bench', 'recorded.json')}between\n${marked('page', 'page.json')}after\n`);
  const visit = (median, longest_task) => ({ trained: { median, least: 200 }, longest_task, processor: 120, layout_shift: 0.01 });
  writeFileSync(at('page.json'), JSON.stringify({ machine: { ...results.machine, load: 1, browser: 'B' }, times: 3, starting: visit(350, 60), rested: visit(250, 0) }));
  const readme = (...mode) => node(here('readme.mjs'), at('recorded.json'), at('page.json'), at('README.md'), ...mode).status;
  assert.equal(readme('--check'), 1);
  assert.equal(readme(), 0);
  assert.equal(readme('--check'), 0);
  assert.match(readFileSync(at('README.md'), 'utf8'),
    /^before\n[^]*wasm-simd \/ clang-sse \| 1\.20[^]*\nbetween\n[^]*\| time, median \| 350 ms \| 250 ms \|\n[^]*thread above 50 ms \| 60 ms \| none \|[^]*\nafter\n$/);
  writeFileSync(at('README.md'), `before\n${marked('bench', 'recorded.json')}after\n`);
  assert.equal(readme(), 1);
});
