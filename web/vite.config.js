import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import bench from './plugins/bench.js';
import contentSecurityPolicy from './plugins/content-security-policy.js';
import digits from './plugins/digits.js';
import figures from './plugins/figures.js';
import offline from './plugins/offline.js';
import projectLink from './plugins/project-link.js';
import workerFirst from './plugins/worker-first.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const project = path.dirname(here);

/** The folder with the npm package tamis, modules included, as the CMake target tamis_wasm assembles it. */
function packageFolder() {
  const folder = path.resolve(process.env.TAMIS_WASM_DIST ?? path.join(project, 'build/release/wasm/dist'));
  if (!existsSync(path.join(folder, 'tamis.wasm')))
    throw new Error(
      `${folder} has no tamis.wasm: build the target tamis_wasm, or name the folder it is in by TAMIS_WASM_DIST`,
    );
  return folder;
}

/** The folder with the modules of the benchmark suite, as the CMake target bench_wasm builds them; they need not be there. */
const benchFolder = () => path.resolve(process.env.TAMIS_BENCH_DIST ?? path.join(packageFolder(), '../../bench'));

/** The name of the panel whose code is in some of the files, so that the chunk of them is known by it. */
const panelOf = (files) => files.map((file) => file.match(/\/panels\/(\w+)\/index\.ts$/)?.[1]).find(Boolean);

export default defineConfig(({ isPreview }) => {
  const config = {
    root: here,
    base: './', // any folder of any static host
    plugins: [
      workerFirst(),
      contentSecurityPolicy(),
      projectLink(process.env.TAMIS_URL),
      digits(path.join(project, 'tests/data/digits.csv')),
      figures(path.join(project, 'tests/firmware/figures.csv')),
      offline(path.join(here, 'plugins/service-worker.js')),
    ],
    build: {
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rollupOptions: {
        output: {
          chunkFileNames: ({ name, moduleIds }) => `assets/${panelOf(moduleIds) ?? name}-[hash].js`,
          manualChunks: (id) => (id === path.join(here, 'src/client.ts') ? 'client' : undefined),
        },
      },
    },
    worker: { format: 'es' },
  };
  if (isPreview) return config;

  const tamis = packageFolder();
  config.plugins.push(bench(benchFolder(), path.join(project, 'bench/recorded.json')));
  config.resolve = {
    alias: [
      { find: /^tamis-bench$/, replacement: path.join(project, 'bench/harness.mjs') },
      { find: /^tamis$/, replacement: path.join(tamis, 'tamis.js') },
      { find: /^tamis\/worker$/, replacement: path.join(tamis, 'worker.js') },
    ],
  };
  config.server = { fs: { allow: [here, tamis, benchFolder(), ...['tests/data', 'bench'].map((folder) => path.join(project, folder))] } };
  return config;
});
