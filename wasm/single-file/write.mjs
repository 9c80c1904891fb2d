// Writes the package as one file, modules inside: node write.mjs DIST VERSION, DIST the assembled package.
//   tamis.global.js  a script, which defines `tamis`
//   tamis.bundle.js  an ES module
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

const here = path.dirname(fileURLToPath(import.meta.url));
const [folder, version] = process.argv.slice(2);
const dist = path.resolve(folder);
// Installed for the page, which is built with it as well.
const { build } = createRequire(path.join(here, '../../web/package.json'))('esbuild');

const of_dist = {
  name: 'of-dist',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^tamis\// }, ({ path: name }) => ({ path: path.join(dist, name.slice('tamis/'.length)) }));
    // What these train the modules inside train as well.
    onLoad({ filter: /[/\\]modules-of-one\.js$/ }, () => ({ contents: 'export const trainings = {};' }));
    // Where these ask for a file beside them, they get what is inside.
    onLoad({ filter: /[/\\]modules(-beside)?\.js$/ }, ({ path: file }) => {
      const address = /new URL\('\.\/([\w-]+)\.wasm', import\.meta\.url\)/g;
      const text = readFileSync(file, 'utf8');
      if (!address.test(text)) throw new Error(`${file} has no address of a module`);
      const inside = JSON.stringify(path.join(here, 'inside.js'));
      return { contents: `import { moduleInside } from ${inside};\n${text.replace(address, "moduleInside('$1')")}` };
    });
  },
};

for (const [name, format] of [['global', 'iife'], ['bundle', 'esm']])
  await build({
    entryPoints: [path.join(here, `${name}.js`)],
    outfile: path.join(dist, `tamis.${name}.js`),
    format,
    bundle: true,
    minify: true,
    charset: 'utf8',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    banner: { js: `/* tamis ${version}, with the modules of single precision inside. Copyright (c) the tamis authors, MIT License. */` },
    plugins: [of_dist],
    logLevel: 'warning',
    logOverride: { 'empty-import-meta': 'error' }, // an address that is left would be found nowhere
  });
