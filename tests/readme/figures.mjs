// node figures.mjs [--write] ROOT: the figures in the pages, between lines `figures: NAME` and `end of figures`, are those that are
// recorded: of boards in tests/firmware/figures.csv, which firmware.figures.* measure; beside other solvers in
// bench/ratios.json, which the target `ratios` measures; of interactions in bench/paper_c/recorded/speed.csv, which paper_c_record keeps.
// With --write they are written anew.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const write = process.argv[2] === '--write', root = process.argv[write ? 3 : 2];

/** The lines of a file of commas, the names of its columns first. */
const table = (record) => readFileSync(path.join(root, record), 'utf8').trim().split('\n').map((line) => line.split(','));

/** row(board, solver) of trainings with hinge and l1, or of prediction, with -Os. */
function rowsOf(record) {
  const [head, ...lines] = table(record);
  return (board, solver) => {
    const wanted = [board, '-Os', solver, ...(solver === 'prediction' ? ['', ''] : ['hinge', 'l1'])].join();
    const row = lines.find(([board, , ...names]) => [board, ...names].slice(0, 5).join() === wanted);
    if (!row) throw new Error(`${record} has no row ${wanted}, which the documentation shows`);
    return Object.fromEntries(head.map((name, i) => [name, row[i]]));
  };
}
const kibibytes = (row) => `${(row.flash / 1024).toFixed(1)} KiB`;

function boards(record) {
  const rowOf = rowsOf(record);
  const millions = ({ training }) => (training < 1e7 ? (training / 1e6).toFixed(1) : Math.round(training / 1e6));
  const lines = [['m4f', 'Cortex-M4F (unit)'], ['m3', 'Cortex-M3'], ['m0plus', 'Cortex-M0+'], ['rv32imc', 'RV32IMC']].map(([board, core]) => {
    const [first, ...others] = ['primal-dual', 'two-phase', 'streamed-dual-averaging'].map((solver) => rowOf(board, solver));
    const prediction = rowOf(board, 'prediction');
    return `| ${core} | ${kibibytes(first)}, ${millions(first)} million instructions | \
${others.map((row) => `${kibibytes(row)}, ${millions(row)} million`).join(' | ')} | ${kibibytes(prediction)}, ${Number(prediction.per_prediction).toLocaleString('en')} |`;
  });
  return ['| core | `primal-dual`, within 1 % | `two-phase`, within 0.1 % | from a stream, each sample once | a prediction |', '|---|---|---|---|---|',
    ...lines].join('\n');
}

function cortexM4f(record) {
  const stack = (row) => Number(row.stack).toLocaleString('en');
  const millions = (row) => String(Number((row.training / 1e6).toPrecision(row.training < 1e6 ? 1 : 2)));
  const [first, second, stream] = ['primal-dual', 'two-phase', 'streamed-dual-averaging'].map((solver) => rowsOf(record)('m4f', solver));
  return wrapped(`On a Cortex-M4F with \`-Os\`, training on iris with hinge and ℓ1 takes ${kibibytes(first)} of flash, ${stack(first)} bytes of stack and \
${millions(first)} million instructions to within 1 % by \`primal-dual\`; ${kibibytes(second)}, ${stack(second)} bytes and ${millions(second)} million to within 0.1 % \
by \`two-phase\`; learning from each sample once ${kibibytes(stream)} and ${millions(stream)} million (\`bash toolchains/firmware.sh\`; \
[all boards](tests/firmware/figures.md)).`);
}

function iterationLimit(record) {
  const limit = 10000, two = (number) => String(Number(number.toPrecision(2)));
  const cost = (board) => limit * rowsOf(record)(board, 'primal-dual').per_iteration;
  const time = (seconds) => (seconds < 90 ? `${two(seconds)} s` : `${two(seconds / 60)} minutes`);
  const count = (board) => `${two(cost(board) / 1e9)} billion`, at = (board, mhz) => `${time(cost(board) / (mhz * 1e6))} at ${mhz} MHz`;
  return wrapped(`On such boards a run also ends after 10,000 iterations, as \`iteration_limit\`, unless \`max_iterations\` says otherwise (1,000,000 \
elsewhere): with features that are not scaled it might go on for hours. On iris \`primal-dual\` takes ${count('m4f')} instructions of a Cortex-M4F for as many, \
at one a cycle ${at('m4f', 168)}; without a floating-point unit ${count('m3')} of a Cortex-M3 (${at('m3', 72)}), ${count('m0plus')} of a Cortex-M0+ \
(${at('m0plus', 48)}), ${count('rv32imc')} of RV32IMC (${at('rv32imc', 160)}). What has to end sooner asks for fewer, or calls \`step()\` while there is time.`);
}

function ratios(record) {
  const { machine, rows } = JSON.parse(readFileSync(path.join(root, record), 'utf8'));
  const shown = [
    ['MNIST, 20,000 rows, squared hinge', 'MNIST, first 20,000 rows', 1e-3, '10⁻³', ['lightning']],
    ['the same', 'MNIST, first 20,000 rows', 1e-4, '10⁻⁴', ['lightning']],
    ['20 newsgroups, squared hinge', 'news20', 1e-3, '10⁻³', ['lightning']],
    ['digits, squared hinge', 'digits', 1e-4, '10⁻⁴', ['lightning']],
    ['digits, logistic', 'digits, logistic', 8e-6, '8·10⁻⁶', ['glmnet', 'lightning']],
  ];
  const two = (number) => String(number >= 100 ? Math.round(number) : Number(number.toPrecision(2)));
  const time = (seconds) => (seconds >= 0.1 ? `${two(seconds)} s` : `${two(1e3 * seconds)} ms`);
  const table = shown.map(([title, problem, error, level, peers]) => {
    const found = peers.map((peer) => {
      const row = rows.find((one) => one.problem === problem && one.peer === peer && Math.abs(one.error / error - 1) < 1e-9 && one.lambda === 1e-3);
      if (!row?.tamis_float) throw new Error(`${record} has no time of tamis and ${peer} for ${problem} to ${error}, which a page shows`);
      return row;
    });
    const reached = ({ seconds }) => (seconds ? '' : 'more than '), longest = ({ seconds, gave_up_after: limit }) => seconds ?? limit;
    const theirs = found.map((row) => `${row.peer} ${reached(row)}${time(longest(row))}`).join('; ');
    const times = found.map((row) => reached(row) + Number((longest(row) / row.tamis_float).toPrecision(2))).join('; ');
    return `| ${title} | ${level} | ${time(found[0].tamis_float)} | ${theirs} | ${times} |`;
  });
  const text = `Time until the objective is within the given relative error of the certified optimum; ℓ1/ℓ2 penalty, λ = 10⁻³, no intercepts, one thread; \
tamis in float, certificates included (\`${record}\`, of the target \`ratios\`: ${machine.processor}, ${machine.cores} processors, ${machine.date}):`;
  return [wrapped(text), '', '| problem | error | tamis | other solver | times as long |', '|---|---|---|---|---|', ...table].join('\n');
}

/** Times of interactions, and of the published algorithm: those of weak and strong hierarchies with both norms, from the least to the most. */
function interactions(record) {
  const [head, ...lines] = table(record);
  const rows = lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
  const two = (seconds) => (seconds >= 0.1 ? [Number(seconds.toPrecision(2)), 's'] : [Number((1e3 * seconds).toPrecision(2)), 'ms']);
  const range = (data, lambda, solver, gap) => {
    const found = rows.filter((row) => row.data === data && row.lambda === lambda && row.solver === solver && Number(row.gap) === gap);
    if (found.length !== 4) throw new Error(`${record} has ${found.length} rows of ${data}, lambda ${lambda}, ${solver}, ${gap}, instead of four`);
    const reached = found.filter(({ status }) => status === 'converged').map(({ seconds }) => Number(seconds)).sort((a, b) => a - b);
    const limit = `more than ${Math.floor(Math.max(...found.map(({ seconds }) => Number(seconds))))} s`;
    if (!reached.length) return limit;
    const [least, unit] = two(reached[0]), [most, other] = two(reached.at(-1));
    return `${least}${unit === other ? '' : ` ${unit}`} to ${reached.length < 4 ? limit : `${most} ${other}`}`;
  };
  const printed = (data, lambda) => (rows.some((row) => row.data === data && row.solver.endsWith('as-printed')) ? range(data, lambda, 'primal-dual-as-printed', 1e-6) : 'not run');
  const shown = [
    ['30 features, 100 samples, weak and strong, ℓ1 and ℓ∞, λ = 80', 'int30', '80', 1e-6, '10⁻⁶'],
    ['the same, λ = 14', 'int30', '14', 1e-6, '10⁻⁶'],
    ['HIV, 240 features, 528 samples, λ = 5', 'HIV', '5', 1e-6, '10⁻⁶'],
    ['the same, a path of 20 λ', 'HIV path', rows.find(({ data }) => data === 'HIV path')?.lambda, 1e-4, '10⁻⁴ each'],
  ];
  return ['| problem | certified | tamis | published primal–dual |', '|---|---|---|---|',
    ...shown.map(([title, data, lambda, gap, level]) => `| ${title} | ${level} | ${range(data, lambda, 'ours', gap)} | ${printed(data, lambda)} |`)].join('\n');
}

function wrapped(text) {
  return text.split(' ').reduce((out, word) => {
    if (out.at(-1).length + word.length >= 140) out.push(word);
    else out[out.length - 1] += `${out.at(-1) && ' '}${word}`;
    return out;
  }, ['']).join('\n');
}

const all = [
  ['README.md', 'm4f', 'tests/firmware/figures.csv', cortexM4f],
  ['lib/docs/boards.md', 'boards', 'tests/firmware/figures.csv', boards],
  ['lib/docs/boards.md', 'limit', 'tests/firmware/figures.csv', iterationLimit],
  ['README.md', 'ratios', 'bench/ratios.json', ratios],
  ['bench/README.md', 'interactions', 'bench/paper_c/recorded/speed.csv', interactions],
];
for (const [page, mark, record, made] of all) {
  const file = path.join(root, page), before = readFileSync(file, 'utf8');
  const text = made(record), begin = `<!-- figures: ${mark} -->\n`, end = '\n<!-- end of figures -->';
  const from = before.indexOf(begin), to = before.indexOf(end, from);
  if (from < 0 || to < 0) {
    console.error(`${page} has nothing between ${begin.trim()} and ${end.trim()}.`);
    process.exitCode = 1;
  } else if (before.slice(from + begin.length, to) !== text) {
    if (write) {
      writeFileSync(file, before.slice(0, from) + begin + text + before.slice(to));
    } else {
      console.error(`${page} says something else than ${record}:\n${text}\n\`cmake --build BUILD --target readme_figures\` writes it.`);
      process.exitCode = 1;
    }
  }
}
