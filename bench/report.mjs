// Runs every harness that is there, compares their results, and prints the times of the targets against native.
// node report.mjs --native BENCH_TIMES [--tamis COMMAND] --output FOLDER [MODULE.wasm…]
// Writes results.csv and ratios.svg. Ends with 1 when a target or a peer fails or disagrees.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chart } from './chart.mjs';
import { comparePeers } from './peers.mjs';
import { disagreements, tabulate } from './table.mjs';
import { run, runBrowser, runModule } from './targets.mjs';

const { values: options, positionals: modules } = parseArgs({
  allowPositionals: true,
  options: { native: { type: 'string' }, tamis: { type: 'string' }, output: { type: 'string', default: '.' } },
});

const lines = [];
let failures = 0;
function collect(target, harness) {
  try {
    const printed = harness();
    if (printed[0].startsWith('not run:')) console.log(`${target} ${printed[0]}`);
    else lines.push(...printed);
  } catch (error) {
    console.error(`${target} FAILED: ${error.message}`);
    ++failures;
  }
}
collect('native', () => run(options.native, []));
if (modules.length === 0) console.log('WebAssembly not run: configure with -DTAMIS_BUILD_WASM=ON');
for (const module of modules) collect(path.basename(module), () => runModule(module));
for (const module of modules.filter((name) => name.endsWith('-simd.wasm'))) collect('browser', () => runBrowser(module));
writeFileSync(path.join(options.output, 'results.csv'),
  `target,name,kind,seconds_per_run,flops,bytes,checksum\n${lines.join('\n')}\n`);

// ---- times, and ratios to native

const table = tabulate(lines);
const others = table.targets.filter((target) => target !== 'native');
const ratio = ({ runs }, target) => (runs[target]?.seconds ?? NaN) / (runs.native?.seconds ?? NaN);
const heading = others.map((target) => `${target} / native`);
const cells = (values) => values.map((value, i) => value.padStart(Math.max(9, (heading[i] ?? '').length))).join('  ');

console.log(`\n${'workload'.padEnd(34)}${'native us'.padStart(11)}${'Gflop/s'.padStart(9)}  ${cells(heading)}`);
for (const workload of table.workloads) {
  const { name, flops } = workload, native = workload.runs.native?.seconds ?? NaN;
  const ratios = others.map((target) => ratio(workload, target).toFixed(2));
  console.log(`${name.padEnd(34)}${(1e6 * native).toFixed(1).padStart(11)}` +
    `${(flops / native / 1e9).toFixed(2).padStart(9)}  ${cells(ratios)}`);
}
for (const kind of ['kernel', 'solve', 'prediction']) {
  const chosen = table.workloads.filter((workload) => workload.kind === kind);
  const worst = others.map((target) => Math.max(...chosen.map((workload) => ratio(workload, target))).toFixed(2));
  if (others.length > 0) console.log(`${`worst ${kind}`.padEnd(54)}  ${cells(worst)}`);
}
writeFileSync(path.join(options.output, 'ratios.svg'), chart('Time against native (1 = as fast)', others,
  table.workloads.map((workload) => ({ name: workload.name, ratios: others.map((target) => ratio(workload, target)) }))));

// ---- other solvers

console.log('\npeers, on iris:');
const peers = comparePeers(options.tamis);
for (const { name, line } of peers) console.log(`${name.padEnd(42)} ${line}`);

// ---- are the results the same?

const wrong = disagreements(table);
for (const sentence of wrong) console.error(`\nDIFFERENT RESULTS: ${sentence}`);
if (wrong.length === 0) console.log(`\nThe results are the same bits on ${table.targets.join(', ')}.`);
console.log(`Written to ${options.output}: results.csv, ratios.svg`);
process.exitCode = failures > 0 || wrong.length > 0 || peers.some(({ agree }) => !agree) ? 1 : 0;
