// node checksums.mjs BENCH_TIMES MODULE.wasm…: every workload once on each target. Ends with 1 unless all
// results are the same bits.
import { run, runModule } from './targets.mjs';
import { disagreements, tabulate } from './table.mjs';

const [native, ...modules] = process.argv.slice(2);
const lines = [...run(native, ['checksums']), ...modules.flatMap((module) => runModule(module, 'checksums'))];
const table = tabulate(lines);
const wrong = disagreements(table);
for (const sentence of wrong) console.error(`DIFFERENT RESULTS: ${sentence}`);
const { targets, workloads } = table;
console.log(`${workloads.length} workloads on ${targets.join(', ')}: ${wrong.length} with different results`);
const complete = workloads.length > 0 && targets.length === 1 + modules.length;
process.exitCode = complete && wrong.length === 0 ? 0 : 1;
