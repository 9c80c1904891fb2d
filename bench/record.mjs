// Records what the native workloads take on this machine, for the page to show beside its own figures.
// node record.mjs --native BENCH_TIMES --compiler NAME --output recorded.json
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { run } from './targets.mjs';

const { values: options } = parseArgs({
  options: { native: { type: 'string' }, compiler: { type: 'string' }, output: { type: 'string' } },
});

/** The processor by the name it goes by, without marks and its clock. */
const machine = cpus()[0].model.replace(/\((R|TM)\)/g, '').replace(/ CPU\b| @.*$/g, '').replace(/\s+/g, ' ').trim();
const loads = Number(loadavg()[0].toFixed(1));
const workloads = run(options.native, []).map((line) => {
  const [, name, kind, seconds, , , checksum] = line.split(',');
  return { name, kind, seconds: Number(seconds), checksum };
});
const date = new Date().toISOString().slice(0, 10);
const fields = { date, machine, compiler: options.compiler, load: loads };
const lines = workloads.map((workload) => `  ${JSON.stringify(workload)}`);
const text = `${JSON.stringify(fields).slice(0, -1)}, "workloads": [\n${lines.join(',\n')}\n]}\n`;
JSON.parse(text);
writeFileSync(options.output, text);
console.log(`${options.output}: ${workloads.length} workloads on ${machine}, ${options.compiler}`);
if (loads > 0.7) console.log(`The machine was busy meanwhile (load ${loads}): record again when it rests.`);
