// node record.mjs RESULTS.json RECORD.json: keeps of a report's results what the README and the page show. No places of the machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { collect, disagreements, isDouble, median, ratios } from './analysis.mjs';
import { exponents, reached } from './chapters_beside.mjs';
import { comparisons, floorSummary } from './chapters.mjs';

const [source, target] = process.argv.slice(2);
const results = JSON.parse(readFileSync(source, 'utf8'));
const workloads = collect(results.documents), names = Object.keys(results.documents);
const wrong = disagreements(workloads, names);
if (wrong.length > 0 || Object.keys(results.failed).length > 0) {
  console.error('Nothing is recorded: the results differ or a target failed.');
  process.exit(1);
}
const short = (number, digits = 4) => (Number.isFinite(number) ? Number(number.toPrecision(digits)) : null);
const { processor, cores, date, node, load } = results.machine;
const record = {
  machine: { processor, cores, node, date, load: load.map((value) => short(value, 2)) },
  quick: results.quick,
  targets: Object.fromEntries(names.map((name) => {
    const { compiler, flags } = results.documents[name][0].context;
    return [name, { compiler, flags: flags ?? null }];
  })),
  comparisons: comparisons(names).map((one) => {
    const { mean, worst, at } = ratios(workloads, one.target, one.base);
    return { target: one.target, base: one.base, mean: short(mean, 3), worst: short(worst, 3), at, goal: { mean: one.mean ?? null, worst: one.worst ?? null } };
  }),
  floors: floorSummary(workloads, names).map(({ name, goal, met, count, mean, worst, at }) => ({ name, goal, met, count, mean: short(mean, 2), worst: short(worst, 2), at })),
  growth: exponents(results.scaling.points ?? []).map(({ series, loss, points, decades, time, memory }) => ({
    series, loss, points, decades: short(decades, 2), time: short(time, 3), memory: short(memory, 3) })),
  peers: (results.peers.problems ?? []).filter(({ curves }) => curves.length > 0).map(({ name, optimum, curves }) => ({
    name, solvers: curves.map((curve) => ({ solver: curve.solver, seconds: Object.fromEntries([1e-2, 1e-4, 1e-6].map((error) => {
      const seconds = reached(curve, optimum, error);
      return [error, seconds === null ? null : short(seconds, 3)];
    })) })) })),
  workloads: [...workloads.values()].map(({ name, kind, runs }) => ({
    name, kind, checksum: Object.entries(runs).find(([run]) => !isDouble(run))?.[1].checksum ?? null, seconds: Object.fromEntries(Object.entries(runs).map(([run, { seconds }]) => [run, short(median(seconds))])) })),
};
// One workload to a line, so that changes can be read.
const lines = Object.entries(record).map(([key, value]) => `  ${JSON.stringify(key)}: ${Array.isArray(value)
  ? `[\n${value.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]` : JSON.stringify(value)}`);
writeFileSync(target, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${record.workloads.length} workloads on ${names.length} targets recorded`);
