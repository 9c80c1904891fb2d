// node readme.mjs RECORD.json PAGE.json README.md [--check]: writes the figures of the record, and of what a first visit to the page costs,
// between their markers of README.md; with --check it ends with 1 unless they are there already.
import { readFileSync, writeFileSync } from 'node:fs';

/** Where the figures of a record stand. */
const markers = (name, record) => [`<!-- ${name}: written by bench/readme.mjs from bench/${record} -->`, `<!-- ${name}: end -->`];

const time = (seconds) => (seconds === null ? '–' : seconds >= 1 ? `${Number(seconds.toPrecision(2))} s` : seconds >= 1e-3 ? `${Number((1e3 * seconds).toPrecision(2))} ms`
  : `${Number((1e6 * seconds).toPrecision(2))} µs`);
const table = (header, rows) => [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

export function section({ machine, quick, targets, comparisons, floors, growth, peers }) {
  const compilers = [...new Set(Object.values(targets).map(({ compiler }) => compiler.trim()))].join('; ');
  const goal = ({ mean, worst }) => [mean && `mean ≤ ${mean}`, worst && `worst ≤ ${worst}`].filter(Boolean).join(', ') || '–';
  const met = (one) => (!one.goal.mean || one.mean <= one.goal.mean) && (!one.goal.worst || one.worst <= one.goal.worst);
  const out = [
    `${machine.processor}, ${machine.cores} processors, ${machine.date}, load ${machine.load[0]} at the start; ${compilers}.` +
    `${quick ? ' From a quick run, with few repetitions.' : ''} Ratios of times, over all kernels, solves and predictions of the suite:`,
    table(['', 'geometric mean', 'worst', 'goal', ''], comparisons.map((one) => [`${one.target} / ${one.base}`, one.mean.toFixed(2),
      `${one.worst.toFixed(2)} (${one.at})`, goal(one.goal), goal(one.goal) === '–' ? '' : met(one) ? 'met' : 'missed'])),
    'Loops of products against their floor, peak arithmetic or bandwidth measured in the same run at the same vector width:',
    table(['target', 'at the goal', 'mean', 'least'], floors.map((one) => [one.name, `${one.met} of ${one.count} at ≥ ${Math.round(100 * one.goal)} %`,
      `${Math.round(100 * one.mean)} %`, `${Math.round(100 * one.worst)} % (${one.at})`])),
  ];
  if (peers.length > 0) {
    const row = ({ name, solvers }) => {
      const reached = ({ solver, seconds }) => (seconds['0.0001'] === null ? `${solver} not reached` : `${solver} ${time(seconds['0.0001'])}`);
      const ours = (precision) => time(solvers.find(({ solver }) => solver === `tamis, ${precision}`)?.seconds['0.0001'] ?? null);
      return [name, ours('float'), ours('double'), solvers.filter(({ solver }) => !/^tamis, (float|double)$/.test(solver)).map(reached).join('; ') || 'not run'];
    };
    out.push('Time to a relative error of 10⁻⁴ of the certified optimum, at their best settings, one thread (the report has the curves):',
      table(['problem', 'tamis, float', 'tamis, double', 'others'], peers.map(row)));
  }
  if (growth.length > 0) out.push('Growth, as exponents of time (and of memory), to a certified gap of 10⁻³: ' +
    `${growth.filter(({ series }) => series !== 'lambda').map((one) => `${one.loss} in ${one.series} ${one.time?.toFixed(2) ?? '–'} (${one.memory?.toFixed(2) ?? '–'})`).join(', ')}.`);
  return out.join('\n\n');
}

function pageSection({ machine, times, starting, rested }) {
  const row = (what, of) => [what, of(starting), of(rested)];
  return `${machine.processor}, ${machine.cores} processors, ${machine.date}, load ${machine.load} at the start; ${machine.browser}; ${times} visits.\n\n` +
    table(['from navigation to the first trained model on screen', 'as the browser starts', 'the browser rests'], [
      row('time, median', ({ trained }) => `${trained.median} ms`), row('time, least', ({ trained }) => `${trained.least} ms`),
      row('longest task of the page’s thread above 50 ms', ({ longest_task }) => (longest_task === 0 ? 'none' : `${longest_task} ms`)),
      row('processor’s time of the page’s thread', ({ processor }) => `${processor} ms`),
      row('sum of layout shifts', ({ layout_shift }) => layout_shift.toFixed(4)),
    ]);
}

const [record, page, readme, mode] = process.argv.slice(2);
if (record) {
  const text = readFileSync(readme, 'utf8');
  const wanted = [['bench', 'recorded.json', record, section], ['page', 'page.json', page, pageSection]].reduce((all, [name, file, source, write]) => {
    const [begin, end] = markers(name, file), from = all.indexOf(begin), to = all.indexOf(end);
    if (from < 0 || to < from) {
      console.error(`${readme} lacks the lines '${begin}' and '${end}'.`);
      process.exit(1);
    }
    return `${all.slice(0, from)}${begin}\n${write(JSON.parse(readFileSync(source, 'utf8')))}\n${all.slice(to)}`;
  }, text);
  if (mode === '--check') {
    if (wanted !== text) {
      console.error('The performance sections of bench/README.md are not what bench/recorded.json and bench/page.json say: cmake --build build/test --target bench_readme');
      process.exit(1);
    }
    console.log('The performance sections of bench/README.md are in step with bench/recorded.json and bench/page.json.');
  } else {
    writeFileSync(readme, wanted);
  }
}
