// node checksums.mjs [--only PREFIX]… FOLDER… MODULE.wasm…: every workload once on each target, a folder with a bench_run or a module. Ends
// with 1 unless all results are the same bits.
import { parseArgs } from 'node:util';
import { inNode, native } from './targets.mjs';
import { disagreements, tabulate } from './table.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string', multiple: true, default: [] } } });
const targets = positionals.map((place) => (place.endsWith('.wasm') ? inNode(place) : native(place)));
const { targets: found, workloads } = tabulate(targets.flatMap((target) => target.results(values.only)));
const wrong = disagreements({ targets: found, workloads });
for (const sentence of wrong) console.error(`DIFFERENT RESULTS: ${sentence}`);
console.log(`${workloads.length} workloads on ${found.join(', ')}: ${wrong.length} with different results`);
process.exitCode = workloads.length > 0 && found.length === targets.length && wrong.length === 0 ? 0 : 1;
