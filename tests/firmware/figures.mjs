// node figures.mjs check SETUP.json BOARD: what every training costs on a board, compared with figures.csv.
// node figures.mjs write SETUP.json: measures on all boards that there are tools for, and writes figures.csv and figures.md.
// Exit codes: 0 as in the table, 1 not so, 2 wrong use.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const file = (name) => join(folder, name);
const share = 0.02; // what a figure may grow or shrink
const again = 'cmake --build build/test --target firmware_figures';

// What must not be exceeded, whatever the table says.
const limits = [
  { row: 'm4f -Os primal-dual hinge l1', flash: 9520, stack: 1024, training: 29.5e6 },
  { row: 'm4f -Os two-phase hinge l1', flash: 17480, stack: 1024, training: 21e6 },
  { row: 'm4f -O2 two-phase hinge l1', training: 21e6 },
  { row: 'm4f -Os prediction', flash: 400 },
];

// Their order in the table, whichever of them are measured.
const order = ['m0plus', 'm3', 'm4f', 'm7', 'm55', 'rv32imafc', 'rv32imc'];
const place = (row) => order.indexOf(row.board);

const keys = ['board', 'compiler', 'level', 'solver', 'loss', 'penalty'];
const figures = ['flash', 'arena', 'stack', 'iterations', 'training', 'per_iteration', 'per_prediction'];

// Code, constants and initial values.
function flashOf(size, program) {
  const [text, data] = execFileSync(size, [program], { encoding: 'utf8' }).split('\n')[1].trim().split(/\s+/);
  return Number(text) + Number(data);
}

// What the program says of itself. The emulator prints it on its error stream.
function run([emulator, ...options], program) {
  const { status, stdout, stderr } = spawnSync(emulator, [...options, program], { stdio: 'pipe', encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  const lines = `${stdout}${stderr}`.trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, number]) => [name, Number(number)]));
}

function measure(name, { run: command, build, size, compiler }, programs, samples) {
  const rows = [];
  for (const level of ['Os', 'O2']) {
    const elf = (program) => join(build, `costs_${program}_${level}.elf`);
    const nothing = flashOf(size, elf('nothing'));
    const empty = run(command, elf('nothing'));
    for (const program of programs) {
      const [solver, loss = '', penalty = ''] = program.split('_');
      const got = run(command, elf(program));
      const trains = program !== 'prediction';
      if (trains && got.iterations === 0) throw new Error(`${elf(program)} did not converge`);
      rows.push({
        board: name, compiler, level: `-${level}`, solver, loss, penalty,
        flash: flashOf(size, elf(program)) - nothing,
        arena: got.arena,
        stack: got.stack,
        iterations: got.iterations,
        training: trains ? got.training : 0,
        per_iteration: trains ? Math.round(got.training / got.iterations) : 0,
        per_prediction: Math.round((got.prediction - empty.prediction) / samples),
      });
    }
  }
  return rows;
}

function readTable() {
  const [head, ...lines] = readFileSync(file('figures.csv'), 'utf8').trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, figures.includes(name) ? Number(cells[i]) : cells[i]]));
  });
}

const id = (row) => [row.board, row.level, row.solver, row.loss, row.penalty].filter(Boolean).join(' ');

function check(board, measured) {
  const expected = readTable().filter((row) => row.board === board);
  const compiler = measured[0].compiler;
  const of = expected.find((row) => row.compiler !== compiler);
  if (of) {
    console.log(`Not run: the table is of compiler ${of.compiler}, here is ${compiler}; regenerate it with ${again}`);
    return;
  }
  const wrong = [];
  for (const row of measured) {
    const old = expected.find((other) => id(other) === id(row));
    console.log(id(row), figures.map((figure) => `${figure} ${row[figure]}`).join(', '));
    if (!old) wrong.push(`${id(row)} is not in figures.csv`);
    for (const figure of old ? figures : []) {
      const change = row[figure] - old[figure];
      if (Math.abs(change) > share * old[figure])
        wrong.push(`${id(row)}: ${figure} ${row[figure]}, in figures.csv ${old[figure]}` +
          (old[figure] ? ` (${change > 0 ? '+' : ''}${((100 * change) / old[figure]).toFixed(1)} %)` : ''));
    }
    for (const limit of limits.filter((limit) => limit.row === id(row)))
      for (const figure of figures)
        if (limit[figure] < row[figure]) wrong.push(`${id(row)}: ${figure} ${row[figure]}, at most ${limit[figure]}`);
  }
  for (const old of expected)
    if (!measured.some((row) => id(row) === id(old))) wrong.push(`${id(old)} is in figures.csv but was not measured`);
  if (wrong.length) {
    console.log(`\n${wrong.join('\n')}\nFigures keep within ${100 * share} % of figures.csv. If it is meant: ${again}`);
    process.exitCode = 1;
  }
}

const words = (number) => number.toLocaleString('en');

// One table per level: a row per training, and flash, stack and instructions for every board.
function markdown(rows, boards) {
  const out = [
    '# What training costs on a board',
    '',
    `Made by \`${again}\` from \`costs.cpp\`: iris (150 samples, 4 features,`,
    '3 classes, float, standardised, λ = 0.02) to a certified relative gap of 0.01; for `two-phase`, `crammer-singer-dual` and',
    '`block-coordinate-descent` of 0.001; `constrained-primal-dual` with η = 0.2; streamed: every sample once, an iteration',
    'being a sample. Flash: bytes of code, constants and initial values that training and prediction add to a program. Stack:',
    'all that is in use while training, measured. Instructions are counted by the emulator. Data as in `figures.csv`.',
  ];
  for (const level of ['-Os', '-O2'])
    for (const board of boards) {
      const compiler = rows.find((row) => row.board === board).compiler;
      out.push('', `## ${board}, ${level} (${compiler})`, '',
        '| solver | loss | penalty | flash | arena | stack | iterations | million instructions | per iteration | per prediction |',
        '|---|---|---|--:|--:|--:|--:|--:|--:|--:|');
      for (const row of rows.filter((row) => row.board === board && row.level === level)) {
        const cells = [row.solver, row.loss, row.penalty, words(row.flash)];
        if (row.iterations === 0) cells.push('', '', '', '', '', words(row.per_prediction));
        else
          cells.push(words(row.arena), words(row.stack), words(row.iterations), (row.training / 1e6).toFixed(2),
            words(row.per_iteration), words(row.per_prediction));
        out.push(`| ${cells.join(' | ')} |`);
      }
    }
  return `${out.join('\n')}\n`;
}

const [verb, path, board] = process.argv.slice(2);
if (!(verb === 'check' && board) && !(verb === 'write' && path)) {
  console.error('Use: node figures.mjs check SETUP.json BOARD, or: node figures.mjs write SETUP.json');
  process.exit(2);
}
const setup = JSON.parse(readFileSync(path, 'utf8'));
const measureBoard = (name) => measure(name, setup.boards[name], setup.programs, setup.samples);
if (verb === 'check') {
  check(board, measureBoard(board));
} else {
  const names = Object.keys(setup.boards);
  const others = existsSync(file('figures.csv')) ? readTable().filter((row) => !names.includes(row.board)) : [];
  const rows = [...names.flatMap(measureBoard), ...others].sort((a, b) => place(a) - place(b));
  const lines = rows.map((row) => [...keys, ...figures].map((name) => row[name]).join(','));
  writeFileSync(file('figures.csv'), `${[...keys, ...figures].join(',')}\n${lines.join('\n')}\n`);
  const text = markdown(rows, [...new Set(rows.map((row) => row.board))]);
  writeFileSync(file('figures.md'), text);
  console.log(text);
}
