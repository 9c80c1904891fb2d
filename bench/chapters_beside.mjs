// The chapters beside the suite: boards, other solvers, growth, the papers.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exponent } from './analysis.mjs';
import { time } from './chapters.mjs';
import { lines } from './chart.mjs';

// ---- Cortex-M and RISC-V --------------------------------------------------------------------------------------------

export function boards(document) {
  document.heading('Instructions on boards');
  const file = new URL('../tests/firmware/figures.csv', import.meta.url);
  if (!existsSync(file)) return document.text('not run: tests/firmware/figures.csv is missing; `bash toolchains/firmware.sh` writes it');
  const [header, ...rows] = readFileSync(file, 'utf8').trim().split('\n').map((line) => line.split(','));
  const at = (row, key) => row[header.indexOf(key)];
  const solves = rows.filter((row) => at(row, 'level') === '-O2' && at(row, 'solver') !== 'prediction');
  const names = [...new Set(rows.map((row) => at(row, 'board')))];
  const keys = [...new Set(solves.map((row) => `${at(row, 'solver')}, ${at(row, 'loss')}, ${at(row, 'penalty')}`))];
  document.text('Training on iris in float, millions of instructions in an emulator, `-O2` (`bash toolchains/firmware.sh`; tests hold them to 2 %):');
  document.table(['solver, loss, penalty', ...names], keys.map((key) => [key, ...names.map((board) => {
    const row = solves.find((one) => at(one, 'board') === board && `${at(one, 'solver')}, ${at(one, 'loss')}, ${at(one, 'penalty')}` === key);
    return row ? (Number(at(row, 'training')) / 1e6).toPrecision(3) : '–';
  })]));
}

// ---- other solvers --------------------------------------------------------------------------------------------------

/** Seconds to the first point within the relative error, or null. */
export const reached = (curve, optimum, error) => {
  const times = curve.points.filter(([, objective]) => objective <= optimum * (1 + error)).map(([seconds]) => seconds);
  return times.length > 0 ? Math.min(...times) : null;
};

export function otherSolvers(document, peers) {
  document.heading('Beside other solvers');
  if (peers.notRun) return document.text(`not run: ${peers.notRun}`);
  document.text('Seconds to a relative error (F − F*)/F*, where F* is a certified lower bound and F the objective of the same problem, computed from the ' +
    'coefficients; solvers only, one thread. Curves of tamis are those of one run with its certificates; peers are run anew for each tolerance. ' +
    'Below 1e-9 an error is drawn as 1e-9.');
  const errors = [1e-2, 1e-3, 1e-4, 1e-6], panels = [];
  for (const { name, optimum, curves, not_run: notRun, failed } of peers.problems) {
    if (curves.length > 0) {
      document.heading(name, 3);
      document.table(['solver', ...errors.map((error) => `to ${error}`), 'settings'], curves.map((curve) => [curve.solver, ...errors.map((error) => {
        const seconds = reached(curve, optimum, error), last = Math.max(...curve.points.map(([spent]) => spent));
        return seconds === null ? `not in ${time(last)}` : time(seconds);
      }), curve.settings]));
      panels.push({ title: name.split(', ')[0], x: { label: 'seconds', log: true }, y: { label: 'relative error', log: true }, series: curves.map((curve) => ({
        name: curve.solver.replace(/ \(.*/, ''), points: curve.points.map(([seconds, objective]) => [Math.max(seconds, 1e-6), Math.max(objective / optimum - 1, 1e-9)])
          .filter(([, error]) => error < 10).sort(([a], [b]) => a - b) })) });
    }
    const said = [...notRun.map(({ solver, reason }) => `${solver}: not run: ${reason}`), ...failed.map(({ solver, reason }) => `${solver}: **FAILED**: ${reason}`)];
    if (said.length > 0) document.list(said);
  }
  if (peers.cut) document.text(`The problems that are missing were not reached in ${peers.cut} s.`);
  if (panels.length > 0) document.plot('peers.svg', lines('Relative error against time', panels, 2));
}

// ---- growth ---------------------------------------------------------------------------------------------------------

/** Fitted exponents: [{ series, loss, time, memory, decades, points, unreached }…]; sizes of a problem, not λ. */
export function exponents(points) {
  const keys = [...new Set(points.map(({ series, loss }) => `${series} ${loss}`))];
  return keys.map((key) => {
    const [series, loss] = key.split(' '), own = points.filter((point) => point.series === series && point.loss === loss);
    const done = own.filter(({ status }) => status === 'converged'), xs = done.map(({ x }) => x);
    return {
      series, loss, points: done.length, decades: xs.length > 1 ? Math.log10(Math.max(...xs) / Math.min(...xs)) : 0,
      time: exponent(done.map(({ x, seconds }) => [x, seconds])), memory: exponent(done.map(({ x, bytes, data_bytes: data }) => [x, bytes + data])),
      last: done.at(-1), unreached: own.filter(({ status }) => status !== 'converged'),
    };
  });
}

// ---- the Python package ---------------------------------------------------------------------------------------------

export function estimators(document, { notRun, problems }) {
  document.heading("The Python package beside scikit-learn's estimators");
  if (notRun) return document.text(`not run: ${notRun}`);
  document.text('Seconds of `fit` to a relative error of the optimum, which is certified from below; tamis is asked for that error, the others for the loosest ' +
    'of their tolerances that reaches it. Problems without intercepts, each in the layout that is not copied.');
  document.table(['problem', 'error', 'tamis', 'other', 'its time', 'asked for', 'ratio'], problems.map((row) => [row.problem, row.error.toExponential(0),
    time(row.tamis), row.peer, row.seconds ? time(row.seconds) : `not reached: ${row.best.toExponential(1)}`,
    row.asked ? `tol=${row.asked}` : '–', row.seconds ? (row.seconds / row.tamis).toFixed(1) : '–']));
}

export function costs(document, { notRun, fit, averaged, wheel }) {
  document.heading('What the Python package takes beside the library');
  if (notRun) return document.text(`not run: ${notRun}`);
  const of = (value, goal, text) => `${text} (${value <= goal ? 'met' : '**missed**'})`;
  document.text('Of `fit`, squared hinge and ℓ1/ℓ2 to 1e-3, at most 5 % beyond calls of the library, memory at its highest at most 1.2 times the samples, which are ' +
    'among it, and the arena, where the layout is not copied; of `predict` of one row at most 20 µs of CPU time. An interrupt is seen after the longest call, in CPU seconds too.');
  document.table(['data', 'memory / goal', 'fit', 'beyond', 'longest call', 'predict'], fit.map((row) => [`${row.data}, ${row.layout}`,
    row.layout === 'C' ? `${(row.highest / row.goal).toFixed(2)}: copied` : of(row.highest, row.goal, (row.highest / row.goal).toFixed(2)),
    time(row.seconds), of(row.share, 0.05, `${(100 * row.share).toFixed(1)} %`), time(row.longest), of(row.microseconds, 20, `${row.microseconds.toFixed(1)} µs`)]));
  document.text('Models of parts of the samples, each learned as a stream and averaged, beside training with all in memory:');
  document.table(['data', 'parts', 'of new samples right', 'in memory'], averaged.map((row) => [row.data, `${row.parts}`, `${(100 * row.right).toFixed(1)} %`, `${(100 * row.whole).toFixed(1)} %`]));
  const seconds = wheel && wheel.environment + wheel.install + wheel.prediction;
  if (wheel) document.text(`From the wheel to a first prediction in a fresh environment: ${of(seconds, 60, `${seconds.toFixed(1)} s`)}.`);
}

export function growth(document, scaling) {
  document.heading('Growth');
  if (scaling.notRun) return document.text(`not run: ${scaling.notRun}`);
  if (!scaling.points) return document.text('**FAILED**');
  document.text('Time to a certified relative gap of 1e-3, and bytes of arena and data, in float, against one size of a problem at a time, the others ' +
    'fixed; ten features matter whatever their number, λ is a tenth of λ_max. Exponents are slopes of the logarithms. The goal is a time of at most ' +
    'x^1.1 in samples and features for the smooth losses.');
  const rows = exponents(scaling.points).map((one) => {
    const goal = ['samples', 'features'].includes(one.series) && one.loss !== 'hinge';
    return [one.series, one.loss, `${one.points}, ${one.decades.toFixed(1)} decades`, one.time.toFixed(2), one.memory.toFixed(2),
      one.last ? `${time(one.last.seconds)} at ${one.last.x}` : '–', goal ? (one.time <= 1.1 ? 'met' : '**missed**') : '–'];
  });
  document.table(['what grows', 'loss', 'points', 'exponent of time', 'of memory', 'largest', 'time ≤ x^1.1'], rows);
  const unreached = scaling.points.filter(({ status }) => status !== 'converged');
  if (unreached.length > 0) document.list(unreached.map((point) => `${point.series} ${point.x}, ${point.loss}: not reached in ${time(point.seconds)} (${point.status}, relative gap ${point.relative_gap})`));
  if (scaling.cut) document.text(`What is missing was not reached in ${scaling.cut} s.`);
  document.text('The exact hinge solves a linear program: how many iterations it takes follows the margins that are active, of which there are more ' +
    'with more samples, so its time grows faster than the data; in features only those of the working set cost.');
  const series = [...new Set(scaling.points.map((point) => point.series))];
  const panel = (key, label) => (name) => ({ title: `${label} against ${name}`, x: { label: name, log: true }, y: { label: key, log: true },
    series: [...new Set(scaling.points.map(({ loss }) => loss))].map((loss) => ({ name: loss, points: scaling.points
      .filter((point) => point.series === name && point.loss === loss).map((point) => [point.x, point[key]]) })) });
  document.plot('growth.svg', lines('Growth', [...series.map(panel('seconds', 'Time')), ...series.map(panel('bytes', 'Arena'))], 3));
}

// ---- papers ---------------------------------------------------------------------------------------------------------

const experiments = {
  paper_a: ['table1', 'figure1', 'figure2', 'figure3', 'figure4', 'scattering'], paper_b: ['figure23', 'figure5', 'table2'],
  paper_c: ['table1', 'figure25', 'figure79', 'table2', 'speed'], paper_d: ['titanic', 'banana', 'digits', 'speed'],
};

/** `recorded`: the folder with what the repository keeps of the papers, for what the build folder has not. */
export function papers(document, folder, recorded = fileURLToPath(new URL('.', import.meta.url))) {
  document.heading('Tables and figures of the papers');
  document.text('What these targets have written to the build folder, or else what is recorded in the repository; each says how many subsets it took.');
  for (const [paper, names] of Object.entries(experiments)) {
    document.heading(`Paper ${paper.at(-1).toUpperCase()}`, 3);
    const missing = [];
    for (const name of names) {
      const results = [folder && path.join(folder, paper, 'results'), path.join(recorded, paper, 'recorded')].find((one) => one
        && [`${name}.md`, `${name}.csv`].some((file) => existsSync(path.join(one, file)))) ?? '';
      const text = path.join(results, `${name}.md`), svg = path.join(results, `${name}.svg`);
      if (!results) {
        missing.push(`${name}: not run: --target ${paper}_${name}`);
        continue;
      }
      if (existsSync(text)) document.quote(readFileSync(text, 'utf8').replace(/^#+/gm, '####').replace(/!\[[^\]]*\]\([^)]*\)\n?/g, ''));
      else document.text(`${name}: written to ${paper}/results/${name}.csv`);
      if (existsSync(svg)) document.plot(`${paper}_${name}.svg`, readFileSync(svg, 'utf8'));
    }
    if (missing.length > 0) document.list(missing);
  }
}
