// The records of the papers' experiments: what is kept, what is refused, and that what is kept is of one piece.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { provenance } from './results.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const plots = here('../paper_b/plots.mjs');
const folder = () => mkdtempSync(path.join(os.tmpdir(), 'tamis-record-'));
const run = { command: 'paper_b_experiments figure5 --quick', date: '2020-01-31', processor: 'A processor', processors: 2, compiler: 'g++ 12.2',
  seconds: 1.5, threads: 1, load: [0.25, 1] };
const csv = 'data,objective,lambda,seed,seconds,accuracy,nonzero_row_percentage\n'
  + 'digits,squared hinge,0.001,1,0.25,90,50\ndigits,squared hinge,0.0001,1,0.5,92,75\n';

/** A folder of results with one experiment. */
function results(changes = {}, table = csv) {
  const at = folder();
  writeFileSync(path.join(at, 'figure5.csv'), table);
  writeFileSync(path.join(at, 'figure5.run.json'), JSON.stringify({ ...run, ...changes }));
  return at;
}
const record = (...given) => spawnSync(process.execPath, [here('record.mjs'), ...given], { encoding: 'utf8' });

test('a record holds the numbers, a plot and what they are worth, and is of one piece', () => {
  const recorded = folder(), { status, stderr } = record(results(), recorded, plots);
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(recorded).sort(), ['figure5.csv', 'figure5.md', 'figure5.run.json', 'figure5.svg', 'summary.md']);
  const summary = readFileSync(path.join(recorded, 'summary.md'), 'utf8');
  for (const said of ['92.00', '`paper_b_experiments figure5 --quick`', '2020-01-31', 'A processor, 2 processors', 'g++ 12.2', 'load average 0.25 before'])
    assert.ok(summary.includes(said), said);
  assert.equal(record('--check', recorded, plots).status, 0);

  writeFileSync(path.join(recorded, 'figure5.csv'), csv.replace(',92,', ',99,'));
  const altered = record('--check', recorded, plots);
  assert.equal(altered.status, 1);
  assert.match(altered.stderr, /figure5\.md is not what plots\.mjs makes of the recorded CSV files/);
  assert.equal(record('--check', folder(), plots).status, 1);
});

test('an experiment that was skipped is not recorded', () => {
  const from = results(), recorded = folder();
  writeFileSync(path.join(from, 'table2.run.json'), JSON.stringify(run));
  assert.equal(record(from, recorded, plots).status, 0);
  assert.ok(!existsSync(path.join(recorded, 'table2.run.json')));
});

test('a second record replaces the first', () => {
  const recorded = folder();
  for (const date of ['2020-01-31', '2020-02-01']) assert.equal(record(results({ date }), recorded, plots).status, 0);
  assert.match(readFileSync(path.join(recorded, 'summary.md'), 'utf8'), /2020-02-01/);
  assert.ok(!readFileSync(path.join(recorded, 'summary.md'), 'utf8').includes('2020-01-31'));
});

test('what does not belong into the repository is refused, and nothing is written', () => {
  const large = `${csv}${'digits,squared hinge,0.0001,1,0.5,92,75\n'.repeat(8000)}`;
  for (const [from, said] of [[results({ command: 'x --data /home/someone/data' }), /names a place of this machine: \/home\/someone\/data/],
    [results({}, large), /figure5\.csv has \d+ bytes/], [folder(), /no experiment with a \.run\.json/]]) {
    const target = path.join(folder(), 'recorded'), { status, stderr } = record(from, target, plots);
    assert.equal(status, 1);
    assert.match(stderr, said);
    assert.ok(!existsSync(target));
  }
});

test('times taken beside other work are marked', () => {
  assert.ok(!provenance(run).includes('beside other work'));
  assert.match(provenance({ ...run, load: [0.3, 3.2] }), /load average 0.3 before and 3.2 after: \*\*its times were taken beside other work\*\*/);
  assert.ok(!provenance({ ...run, threads: 2, load: [1, 2.1] }).includes('beside other work'));
  assert.match(provenance({ ...run, load: [-1, -1] }), /load average unknown/);
});
