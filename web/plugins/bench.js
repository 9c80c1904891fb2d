import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const name = 'virtual:bench';

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
      const figures = `export const recorded = ${JSON.stringify(JSON.parse(readFileSync(recorded, 'utf8')))};`;
      if (!built.every((file) => existsSync(file))) return `export const modules = null;\n${figures}`;
      const [base, simd] = built.map((file) => JSON.stringify(`${file}?url`));
      return `import base from ${base};\nimport simd from ${simd};\nexport const modules = { base, simd };\n${figures}`;
    },
  };
}
