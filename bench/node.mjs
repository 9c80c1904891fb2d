// node node.mjs MODULE.wasm checksums [PREFIX…]   what bench_run prints, of a module
// node node.mjs MODULE.wasm json SECONDS [brief]  what bench_native prints with --benchmark_format=json
// node node.mjs MODULE.wasm cold [brief]          the same of first runs
// The target is named after the file: bench-simd.wasm is wasm-simd.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { lines, load, measure } from './harness.mjs';

const [file, mode, ...rest] = process.argv.slice(2);
const target = path.basename(file, '.wasm').replace('bench', 'wasm');
const bytes = await readFile(file);
if (mode === 'checksums') {
  const wanted = ({ name }) => rest.length === 0 || rest.some((prefix) => name.startsWith(prefix));
  for (const line of lines(await load(bytes), target, false, wanted)) console.log(line);
} else {
  const engine = `node ${process.version}, V8 ${process.versions.v8}`;
  console.log(JSON.stringify(await measure(bytes, { target, engine, least: Number(rest[0]), cold: mode === 'cold', brief: rest.at(-1) === 'brief' })));
}
