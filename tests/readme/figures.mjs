// node figures.mjs [--write] ROOT: what pages say in figures is what is recorded: README.md and lib/docs/boards.md of boards in
// tests/firmware/figures.csv, which firmware.figures.m4f measures, and README.md beside other solvers in bench/ratios.json, which the
// target `ratios` measures. With --write it is written anew.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const write = process.argv[2] === '--write', root = process.argv[write ? 3 : 2];

/** The row of training by hinge and l1 with a solver on a board. */
function boardRow(record, board, solver) {
  const [head, ...lines] = readFileSync(path.join(root, record), 'utf8').trim().split('\n').map((line) => line.split(','));
  const wanted = `${board} -Os ${solver} hinge l1`;
  const row = lines.find(([of, , level, name, loss, penalty]) => `${of} ${level} ${name} ${loss} ${penalty}` === wanted);
  if (!row) throw new Error(`${record} has no row ${wanted}, which a page shows`);
  return Object.fromEntries(head.map((name, i) => [name, row[i]]));
}

function cortexM4f(record) {
  const rowOf = (solver) => boardRow(record, 'm4f', solver);
  const flash = (row) => `${(row.flash / 1024).toFixed(1)} KiB`, stack = (row) => Number(row.stack).toLocaleString('en');
  const millions = (row) => String(Number((row.training / 1e6).toPrecision(row.training < 1e6 ? 1 : 2)));
  const [first, second, stream] = ['primal-dual', 'two-phase', 'streamed-dual-averaging'].map(rowOf);
  return wrapped(`On a Cortex-M4F with \`-Os\`, training on iris with hinge and ℓ1 takes ${flash(first)} of flash, ${stack(first)} bytes of stack and \
${millions(first)} million instructions to within 1 % by \`primal-dual\`; ${flash(second)}, ${stack(second)} bytes and ${millions(second)} million to within 0.1 % \
by \`two-phase\`; learning from each sample once ${flash(stream)} and ${millions(stream)} million (\`bash toolchains/firmware.sh\`; \
[all boards](tests/firmware/figures.md)).`);
}

function iterationLimit(record) {
  const limit = 10000, two = (number) => String(Number(number.toPrecision(2)));
  const cost = (board) => limit * boardRow(record, board, 'primal-dual').per_iteration;
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
      if (!row?.tamis_float) throw new Error(`${record} has no time of tamis and ${peer} for ${problem} to ${error}, which README.md shows`);
      return row;
    });
    const reached = ({ seconds }) => (seconds ? '' : 'more than '), longest = ({ seconds, gave_up_after: limit }) => seconds ?? limit;
    const theirs = found.map((row) => `${row.peer} ${reached(row)}${time(longest(row))}`).join('; ');
    const times = found.map((row) => reached(row) + Number((longest(row) / row.tamis_float).toPrecision(2))).join('; ');
    return `| ${title} | ${level} | ${time(found[0].tamis_float)} | ${theirs} | ${times} |`;
  });
  const text = `Time to an objective within the relative error of the certified optimum, with the ℓ1/ℓ2 penalty, λ = 10⁻³, no intercepts and one thread; \
tamis in float, certificates included (\`${record}\`, of the target \`ratios\`: ${machine.processor}, ${machine.cores} processors, ${machine.date}):`;
  return [wrapped(text), '', '| problem | error | tamis | other solver | times as long |', '|---|---|---|---|---|', ...table].join('\n');
}

function wrapped(text) {
  return text.split(' ').reduce((out, word) => {
    if (out.at(-1).length + word.length >= 140) out.push(word);
    else out[out.length - 1] += `${out.at(-1) && ' '}${word}`;
    return out;
  }, ['']).join('\n');
}

for (const [name, mark, record, made] of [
  ['README.md', 'm4f', 'tests/firmware/figures.csv', cortexM4f],
  ['README.md', 'ratios', 'bench/ratios.json', ratios],
  ['lib/docs/boards.md', 'limit', 'tests/firmware/figures.csv', iterationLimit],
]) {
  const page = path.join(root, name), before = readFileSync(page, 'utf8');
  const text = made(record), begin = `<!-- figures: ${mark} -->\n`, end = '\n<!-- end of figures -->';
  const from = before.indexOf(begin), to = before.indexOf(end, from);
  if (from < 0 || to < 0) {
    console.error(`${name} has nothing between ${begin.trim()} and ${end.trim()}.`);
    process.exitCode = 1;
  } else if (before.slice(from + begin.length, to) !== text) {
    if (write) {
      writeFileSync(page, before.replace(before.slice(from, to), () => begin + text));
      continue;
    }
    console.error(`${name} says something else than ${record}:\n${text}\n\`cmake --build BUILD --target readme_figures\` writes it.`);
    process.exitCode = 1;
  }
}
