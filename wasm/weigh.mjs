// What the WebAssembly modules weigh: node weigh.mjs DIST NAMED README
//   DIST    the assembled package
//   NAMED   modules of the same objects whose functions have names, NAME.wasm
//   README  gets the tables, between lines `weights: NAME` and `end of weights`
// Without a README the functions of the modules in NAMED are listed, the largest first.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const [dist, named, readme] = process.argv.slice(2);

/** Functions of a module, { name, bytes } each, and what is beside them. */
function weighed(module) {
  let at = 8; // behind the head
  const word = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = module[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const text = () => {
    const length = word();
    at += length;
    return module.toString('utf8', at - length, at);
  };
  const bodies = [];
  const names = [];
  let beside = at;
  while (at < module.length) {
    const [begin, id] = [at, module[at++]];
    const end = word() + at;
    if (id === 10) for (let count = word(); count > 0; --count) {
      const body = at;
      const length = word();
      at += length;
      bodies.push(at - body);
    } else if (id === 0) {
      if (text() === 'name') while (at < end) {
        const kind = module[at++];
        const next = word() + at;
        if (kind === 1) for (let count = word(); count > 0; --count) {
          const index = word();
          names[index] = text();
        }
        at = next;
      }
    } else beside += end - begin;
    at = end;
  }
  return { functions: bodies.map((bytes, i) => ({ name: plain(names[i] ?? `function ${i}`), bytes })), beside };
}

/** A C++ name without types: of arguments, of templates, of what is returned. */
function plain(name) {
  let depth = 0;
  let out = '';
  for (const letter of name.replaceAll('->', '').replace(/\(anonymous namespace\)::/g, '').replace(/operator\(\)/g, 'operator')) {
    if ('<('.includes(letter)) ++depth;
    else if ('>)'.includes(letter)) --depth;
    else if (depth === 0) out += letter;
  }
  return out.replace(/ const\b.*$/, '').split(' ').at(-1).replace(/tamis::(\w+_(vectors|numbers)::)?/g, '');
}

/** The first that a name fits is its group. */
const groups = [
  ['the C interface: problems, memory, reports', /^(tamis_|in_c|start|step|stop|train|model_of|training_bytes|default_problem|Any(Training|Solver)|ProblemSpec|Arena)/],
  ['files of models', /blob|Blob|[eE]xport|Text|describe_fault/],
  ['paths and folds', /^Path|CrossValidation|[vV]alidation|^WeightFolds|fold_|deal_|summarise|mean_square|Selection|turn_shares/],
  ["Newton's method on the support", /^Support|BlockedColumns/],
  ['two-phase', /^TwoPhase|^ProximalPoint|^ChosenSamples|^Newton|Jacobian/],
  ['primal-dual', /^PrimalDual/],
  ['Crammer–Singer dual', /^CrammerSinger|^DualAscent|crammer_singer|SampleRow|^row_|project_simplex/],
  ['block coordinate descent', /^BlockCoordinateDescent|^DescentEpochs|violations|add_column|sum_column|SortedColumns/],
  ['rounds of reweighted-l1', /^Reweighted/],
  ['certificates, working set, centring', /^(Workbench|WorkingSet|DualBound|CentredProducts|LinearProblem|CommonMemory|GapMonitor|make_dual)/],
  ['products with the samples', /Dense|multipl|transposed|[Tt]ile|transpose_registers|strip|column_sums|block_sums|occupied/],
  ['factors of matrices', /cholesky|factor|scale_columns/],
  ['losses', /Hinge|hinge|Logistic|loss|Loss|exponential|logarithm|gradients|Targets|weight_above/],
  ['penalties', /Penalty|Norm|norm|GroupSum|Groups|group|L1|Ridge|ElasticNet|level|shrink/],
  ['the rest', /^/],
];
const groupOf = (name) => groups.findIndex(([, pattern]) => pattern.test(name));

const modules = readdirSync(named).filter((file) => file.endsWith('.wasm')).sort()
  .map((file) => ({ name: path.basename(file, '.wasm'), ...weighed(readFileSync(path.join(named, file))) }));
if (!readme) {
  for (const { name, functions } of modules) {
    console.log(`${name}.wasm`);
    for (const one of functions.sort((a, b) => b.bytes - a.bytes)) console.log(`${one.bytes}\t${groups[groupOf(one.name)][0]}\t${one.name}`);
  }
  process.exit();
}

const row = (...cells) => `| ${cells.join(' | ')} |\n`;
const table = (head, rows) => row(...head) + row(...head.map(() => '---')).replaceAll(' ', '') + rows.map((cells) => row(...cells)).join('');

function parts() {
  const columns = modules.map(({ functions, beside }) => {
    const sums = groups.map(() => 0);
    for (const { name, bytes } of functions) sums[groupOf(name)] += bytes;
    return [...sums, beside];
  });
  const rows = [...groups.map(([name]) => name), 'text, constants, tables'].map((name, g) => [name, ...columns.map((sums) => sums[g])]);
  return table(['bytes of', ...modules.map(({ name }) => `\`${name}\``)], rows.filter(([, ...bytes]) => bytes.some((count) => count > 0)));
}

const weights = (bytes) => [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)].map(({ length }) => length);

/** What the README's first example makes a page load, and the package as one file. */
async function loaded(example) {
  // Installed for the page, which is built with it as well.
  const { build } = createRequire(path.join(path.dirname(fileURLToPath(import.meta.url)), '../web/package.json'))('esbuild');
  const { outputFiles: [script] } = await build({
    stdin: { contents: example, resolveDir: dist }, bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
    plugins: [{ name: 'of-dist', setup: ({ onResolve }) => {
      onResolve({ filter: /^tamis$/ }, () => ({ path: path.resolve(dist, 'tamis.js') }));
      onResolve({ filter: /./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined)); // it asks for none
    } }],
  });
  const module = weights(readFileSync(path.join(dist, 'tamis-hinge-simd.wasm'))); // of its loss and penalty
  const together = weights(script.contents).map((bytes, i) => bytes + module[i]);
  return table(['in bytes', 'plain', 'gzip', 'brotli'], [
    ['this example, bundled and minified, and the module that it loads', ...together],
    ['`tamis.global.js`, [one file](#one-file) without a bundler', ...weights(readFileSync(path.join(dist, 'tamis.global.js')))],
  ]);
}

function sizes() {
  const files = readdirSync(dist).filter((file) => /^tamis.*\.wasm$/.test(file) && !file.includes('-double'));
  const names = files.map((file) => file.replace(/(-simd)?\.wasm$/, '')).filter((name, i, all) => all.indexOf(name) === i).sort();
  const measured = (name) => weights(readFileSync(path.join(dist, `${name}.wasm`)));
  return table(['module, in bytes', 'plain', 'gzip', 'brotli', 'plain, with SIMD', 'gzip', 'brotli'], names.map((name) => [
    `\`${name}\``, ...measured(name), ...(files.includes(`${name}-simd.wasm`) ? measured(`${name}-simd`) : ['', '', '']),
  ]));
}

let text = readFileSync(readme, 'utf8');
const [, example] = text.match(/```js\n([^]*?)```/);
for (const [name, content] of [['loaded', await loaded(example)], ['modules', sizes()], ['functions', parts()]]) {
  const marked = new RegExp(`(<!-- weights: ${name} -->\n)[^]*?(<!-- end of weights -->)`);
  if (!marked.test(text)) throw new Error(`${readme} has no mark for the weights of ${name}`);
  text = text.replace(marked, (_, begin, end) => begin + content + end);
}
writeFileSync(readme, text);
