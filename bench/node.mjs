// node node.mjs MODULE.wasm [checksums]: what bench_times prints, of a module. The target is named after the file:
// bench-simd.wasm is wasm-simd.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { lines, load } from './harness.mjs';

const [module, mode] = process.argv.slice(2);
const target = path.basename(module, '.wasm').replace('bench', 'wasm');
for (const line of lines(await load(await readFile(module)), target, mode !== 'checksums')) console.log(line);
