import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const name = 'virtual:bench';

/** What is shown of the record: one native target as fast as it can be, for each module one as wide as it, and what it took itself. */
function shown({ machine: { processor, date, load }, targets, workloads }) {
  const first = (...names) => names.find((name) => targets[name]) ?? Object.keys(targets)[0];
  const beside = { native: first('gcc-native', 'clang-native'), simd: first('clang-sse', 'gcc-sse'), base: first('clang-scalar', 'gcc-scalar') };
  return {
    processor, date, busy: load[0] > 0.7,
    compilers: Object.fromEntries(Object.entries(beside).map(([kind, target]) => [kind, targets[target].compiler])),
    workloads: workloads.map(({ name, kind, checksum, seconds }) => ({
      name, kind, checksum, ...Object.fromEntries(Object.entries(beside).map(([kind, target]) => [kind, seconds[target] ?? null])),
      here: { simd: seconds['browser-simd'] ?? null, base: seconds['browser-base'] ?? null },
    })),
  };
}

/**
 * The module `virtual:bench`: the addresses of the benchmark suite's WebAssembly modules in `folder`, null where the page
 * is built without them, and the native figures that were recorded.
 */
export default function bench(folder, recorded) {
  return {
    name: 'bench',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      this.addWatchFile(recorded);
      const built = ['base', 'simd'].map((kind) => path.join(folder, `bench-${kind}.wasm`));
      const figures = `export const recorded = ${JSON.stringify(shown(JSON.parse(readFileSync(recorded, 'utf8'))))};`;
      if (!built.every((file) => existsSync(file))) return `export const modules = null;\n${figures}`;
      const [base, simd] = built.map((file) => JSON.stringify(`${file}?url`));
      return `import base from ${base};\nimport simd from ${simd};\nexport const modules = { base, simd };\n${figures}`;
    },
  };
}
