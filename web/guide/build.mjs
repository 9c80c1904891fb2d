// node build.mjs OUTPUT: the pages of the project (every *.md that git knows, and the pictures that they show), and the references of
// C++, C, Python and JavaScript, as a site that any folder of any web server can hold. What it is made from is left in OUTPUT.work. With
// the npm package in the folder TAMIS_WASM_DIST, whole examples in JavaScript can be run in their pages.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeC, writeCpp } from './doxygen.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), root = path.resolve(here, '../..');
const output = path.resolve(process.argv[2]), work = `${output}.work`, stage = path.join(work, 'pages');
const node = (...args) => execFileSync(process.execPath, args, { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] });
for (const folder of [output, work]) rmSync(folder, { recursive: true, force: true });

for (const page of pages()) {
  const from = path.join(root, page), to = path.join(stage, page);
  const pictures = [...readFileSync(from, 'utf8').matchAll(/!\[[^\]]*\]\(([^)\s:]+)\)/g)].map(([, target]) => path.join(path.dirname(page), target));
  for (const file of [page, ...pictures]) cpSync(path.join(root, file), path.join(stage, file), { recursive: true });
}

const python = process.env.TAMIS_PYTHON || 'python3';
const symbols = {
  cpp: writeCpp(root, work, stage),
  c: writeC(root, work, stage),
  python: Object.fromEntries(Object.entries(JSON.parse(execFileSync(python, ['-B', 'python.py', path.join(root, 'lib/python/tamis'), path.join(stage, 'reference/python.md')], { cwd: here, encoding: 'utf8' })))
    .map(([name, anchor]) => [name, `reference/python.html#${anchor}`])),
};
const project = path.join(work, 'tsconfig.json'), declarations = ['tamis', 'worker'].map((name) => path.join(root, `wasm/${name}.d.ts`));
writeFileSync(project, JSON.stringify({
  compilerOptions: { target: 'ES2022', module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022', 'DOM', 'ESNext.Disposable'], types: [] },
  files: declarations,
}));
node('node_modules/typedoc/bin/typedoc', '--plugin', 'typedoc-plugin-markdown', '--router', 'module', '--readme', 'none', '--name', 'Reference of JavaScript',
  ...declarations.flatMap((file) => ['--entryPoints', file]), '--tsconfig', project, '--out', path.join(stage, 'reference/javascript'), '--entryFileName', 'README',
  '--hideBreadcrumbs', '--hidePageHeader', '--disableSources', '--useCodeBlocks', '--interfacePropertiesFormat', 'table', '--classPropertiesFormat', 'table',
  '--parametersFormat', 'table', '--logLevel', 'Error');
for (const name of ['tamis', 'worker']) {
  const page = path.join(stage, `reference/javascript/${name}.md`);
  writeFileSync(page, readFileSync(page, 'utf8').replace(/^# (\w+)/, (_, module) => `# Reference of JavaScript: ${module === 'tamis' ? module : `tamis/${module}`}`));
}
writeFileSync(path.join(work, 'symbols.json'), JSON.stringify(symbols));

execFileSync(process.execPath, ['node_modules/@11ty/eleventy/cmd.cjs', '--quiet', '--config=eleventy.config.js', `--input=${path.relative(here, stage)}`, `--output=${path.relative(here, output)}`], {
  cwd: here, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TAMIS_GUIDE_WORK: work },
});
cpSync(path.join(here, 'style.css'), path.join(output, 'style.css'));
for (const script of ['search.js', 'run.js']) cpSync(path.join(here, script), path.join(output, script));
if (process.env.TAMIS_WASM_DIST) {
  cpSync(path.join(work, 'examples'), path.join(output, 'examples'), { recursive: true });
  cpSync(process.env.TAMIS_WASM_DIST, path.join(output, 'tamis'), { recursive: true, filter: (file) => !/\.(md|json|d\.ts)$|LICENSE$|embedded|tamis\.(bundle|global)/.test(file) });
}
node('node_modules/pagefind/lib/runner/bin.cjs', '--site', output, '--keep-index-url', '--silent');
for (const file of readdirSync(path.join(output, 'pagefind'))) // what the search of this site has no use for
  if (/-ui\.|highlight|unknown/.test(file)) rmSync(path.join(output, 'pagefind', file));

function pages() {
  const given = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  try {
    const found = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.md'], given).split('\0');
    const kept = found.filter((page) => page && existsSync(path.join(root, page)));
    if (kept.length) return kept;
  } catch {
    // no git, or no repository
  }
  return [...pagesBelow('')];
}

/** The pages below a folder, for sources without git. */
function* pagesBelow(folder) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === '.github' || !/^(\.|build|node_modules$)/.test(entry.name)) yield* pagesBelow(name);
    } else if (name.endsWith('.md')) yield name;
  }
}
