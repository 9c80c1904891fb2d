// node instructions.mjs FOLDER COMPILER RECORD [--update]: instructions of one run of some workloads, by callgrind, beside those recorded.
// FOLDER holds bench_run of a build by g++, COMPILER, for fixed instructions; RECORD is a CSV file whose first line names the compiler. Ends with 1 when a
// count has grown by more than 2 %, or fallen by more than 3 % without being recorded, and with 77 when it cannot be told. --update records.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const grown = 1.02, fallen = 0.97;
const chosen = ['dot/1024', 'multiply/600x64x2', 'multiply/600x64x10', 'multiply/600x64x26', 'transposed_multiply/600x64x3',
  'transposed_multiply/600x64x10', 'transposed_multiply/600x64x20', 'cholesky/200', 'simplex_projection/1797x10', 'epigraph_projection/1797x10',
  'group_l2_prox/784x10', 'group_linf_prox/784x10', 'column_sum/4000x500x10', 'column_violations/4000x500x10', 'column_update/4000x500x10',
  'hinge+l1/150x4x3', 'hinge+group-l2/600x64x10', 'hinge+ridge/1797x64x10', 'squared-hinge+group-l2/600x64x10',
  'logistic+group-l2/150x4x3', 'one-vs-rest-squared-hinge+l1/1797x64x10', 'path-hinge+l1/150x4x3',
  'path-squared-hinge+group-l2/600x64x10', 'path-logistic+l1/600x64x10', 'interactions-weak/60x10x1', 'kernels-samples/60x3x1',
  'predict/1797x64x10'];

const [folder, compiler, record, mode] = process.argv.slice(2);
function skip(sentence) {
  console.log(`skipped: ${sentence}`);
  process.exit(77);
}
const output = (program, args) => spawnSync(program, args, { encoding: 'utf8' });
if (output('valgrind', ['--version']).error) skip('valgrind is missing; bash toolchains/setup.sh bench installs it');
const version = `g++ ${output(compiler, ['-dumpfullversion', '-dumpversion']).stdout?.trim()}`;

const counts = new Map(), scratch = mkdtempSync(path.join(tmpdir(), 'tamis-callgrind-'));
try {
  const { status, stdout, stderr } = output('valgrind', ['--tool=callgrind', `--callgrind-out-file=${path.join(scratch, 'out')}`,
    '--collect-atstart=no', '--toggle-collect=tamis_bench_counted', '--dump-after=tamis_bench_counted', path.join(folder, 'bench_run'), 'counted', ...chosen]);
  if (status !== 0) {
    console.error(stderr);
    console.error(`callgrind ended with ${status}`);
    process.exit(1);
  }
  const names = stdout.trim().split('\n').map((line) => line.split(',')[1]);
  const dumps = readdirSync(scratch).filter((name) => /^out\.\d+$/.test(name)).sort((a, b) => a.split('.')[1] - b.split('.')[1]);
  names.forEach((name, place) => {
    const text = dumps[place] ? readFileSync(path.join(scratch, dumps[place]), 'utf8') : '';
    counts.set(name, Number(text.match(/^(?:totals|summary): (\d+)/m)?.[1]));
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
// A prefix may be that of other names as well.
const found = chosen.map((name) => [name, counts.get(name)]);
for (const [name, count] of found)
  if (!(count > 0)) {
    console.error(`${name}: nothing was counted`);
    process.exit(1);
  }

if (mode === '--update') {
  writeFileSync(record, `${version}\nworkload,instructions\n${found.map((row) => row.join()).join('\n')}\n`);
  console.log(`${found.length} counts recorded`);
  process.exit(0);
}
if (!existsSync(record)) skip(`there is no ${path.basename(record)}; --target bench_instructions_record writes it`);
const [by, , ...rows] = readFileSync(record, 'utf8').trim().split('\n');
if (by !== version) skip(`the counts were recorded with ${by}, this is ${version}`);
const before = new Map(rows.map((row) => row.split(',')).map(([name, count]) => [name, Number(count)]));
let wrong = 0;
for (const [name, count] of found) {
  const ratio = count / before.get(name);
  const why = !before.has(name) ? 'it is not recorded' : ratio > grown ? `it has grown by ${(100 * (ratio - 1)).toFixed(1)} %`
    : ratio < fallen ? `it has fallen by ${(100 * (1 - ratio)).toFixed(1)} %: record it with --target bench_instructions_record` : null;
  if (why) console.error(`${name}: ${count} instructions: ${why}`);
  wrong += why !== null;
}
console.log(`${found.length} workloads counted, ${wrong} off the record`);
process.exitCode = wrong > 0 ? 1 : 0;
