// The whole report: every target of the suite in turn, what limits them, other solvers, growth, boards, papers.
// node report.mjs --suite FOLDER --native NAME… [--tamis COMMAND] [--scaling PROGRAM] [--python PYTHON] [--package FOLDER] [--wasm DIST]
//                 --output FOLDER [--papers FOLDER] [--absent 'NAME: REASON'] [--quick] [MODULE.wasm…]
// Writes report.md, report.html, its plots and results.json. Ends with 1 when a target or a peer fails or results differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { collect, disagreements } from './analysis.mjs';
import { boards, costs, estimators, growth, otherSolvers, papers } from './chapters_beside.mjs';
import { agreement, coldStarts, floorsOf, measured, ratiosFirst, workloadTable } from './chapters.mjs';
import { Document } from './document.mjs';
import { runPeers, runPython, runScaling } from './programs.mjs';
import { measureSuite } from './suite.mjs';
import { inBrowser, inNode, native } from './targets.mjs';

const { values: options, positionals: modules } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string' }, native: { type: 'string', multiple: true, default: [] }, tamis: { type: 'string' },
    scaling: { type: 'string' }, python: { type: 'string' }, package: { type: 'string' }, wasm: { type: 'string' }, papers: { type: 'string' },
    absent: { type: 'string', multiple: true, default: [] }, output: { type: 'string', default: '.' }, quick: { type: 'boolean', default: false },
  },
});
const quick = options.quick, started = Date.now();
const minutes = () => `${((Date.now() - started) / 60000).toFixed(1)} min`;

// ---- measuring ------------------------------------------------------------------------------------------------------

const targets = [
  ...options.native.map((name) => native(path.join(options.suite, name))),
  ...modules.map(inNode),
  ...modules.filter((module) => /-(base|simd)\.wasm$/.test(module)).map(inBrowser),
];
const suite = measureSuite(targets, quick ? { rounds: 2, least: 0.002, limit: 60, brief: true } : { rounds: 5, least: 0.01, limit: 120 });
console.log(`${minutes()} so far`);
for (const line of options.absent) suite.notRun[line.split(': ')[0]] = line.slice(line.indexOf(': ') + 2);
if (modules.length === 0) suite.notRun.WebAssembly = 'configure with -DTAMIS_BUILD_WASM=ON';
const results = {
  machine: {
    processor: os.cpus()[0]?.model ?? 'unknown', cores: os.cpus().length, memory: os.totalmem(), system: `${os.type()} ${os.release()}`,
    node: process.version, load: os.loadavg(), date: new Date().toISOString().slice(0, 10),
  },
  quick, ...suite,
  scaling: runScaling(options.scaling, quick),
  peers: runPeers(options, quick),
  estimators: runPython('python_estimators.py', options, quick),
  costs: runPython('python_costs.py', options, quick),
};
results.machine.load_after = os.loadavg();

// ---- writing --------------------------------------------------------------------------------------------------------

const workloads = collect(results.documents), names = Object.keys(results.documents);
const wrong = disagreements(workloads, names);
const document = new Document('tamis: native, WebAssembly, and beside others');
document.text(`${results.machine.processor}, ${results.machine.cores} processors, ${results.machine.system}, Node ${results.machine.node}, ` +
  `${results.machine.date}; load ${results.machine.load.map((load) => load.toFixed(1)).join(', ')} before and ` +
  `${results.machine.load_after.map((load) => load.toFixed(1)).join(', ')} after. One thread each.` +
  (quick ? ' **A quick run**: few repetitions of small problems.' : ''));
ratiosFirst(document, workloads, names);
agreement(document, wrong, names);
floorsOf(document, workloads, names);
coldStarts(document, workloads, results.cold);
workloadTable(document, workloads, names);
measured(document, results);
boards(document);
otherSolvers(document, results.peers);
estimators(document, results.estimators);
costs(document, results.costs);
growth(document, results.scaling);
papers(document, options.papers);

mkdirSync(options.output, { recursive: true });
const write = (name, content) => writeFileSync(path.join(options.output, name), content);
write('results.json', `${JSON.stringify(results)}\n`);
write('report.md', document.markdown());
write('report.html', document.html());
for (const [name, svg] of Object.entries(document.files)) write(name, svg);

for (const sentence of wrong) console.error(`DIFFERENT RESULTS: ${sentence}`);
const failures = [...Object.entries(results.failed), ...(results.peers.failed ?? []), ...(results.scaling.failed ?? [])];
for (const [who, why] of failures) console.error(`FAILED: ${who}: ${why}`);
console.log(`Written in ${minutes()}: ${path.join(options.output, 'report.html')}, report.md, results.json`);
process.exitCode = wrong.length > 0 || failures.length > 0 || names.length === 0 ? 1 : 0;
