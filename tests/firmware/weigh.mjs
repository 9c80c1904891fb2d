// node weigh.mjs SETUP.json [PAGE]: where the flash of trainings on a Cortex-M4F goes, with -Os, from the symbols of what figures.mjs
// measures. PAGE gets the table, between the lines `weights: boards` and `end of weights`; without one all functions are listed, the
// largest first.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [setup, page] = process.argv.slice(2);
const { build, size } = JSON.parse(readFileSync(setup, 'utf8')).boards.m4f;
const programs = ['primal-dual_hinge_l1', 'two-phase_hinge_l1', 'fista_squared-hinge_l1'];

/** Of a program, bytes of each function and table by its name. */
function symbolsOf(program) {
  const text = execFileSync(size.replace(/size$/, 'nm'), ['-C', '-S', join(build, `costs_${program}_Os.elf`)], { encoding: 'utf8' });
  const lines = [...text.matchAll(/^\w+ (\w+) [a-ac-zA-AC-Z] (.*)$/gm)]; // not what is only zero
  return new Map(lines.map(([, bytes, name]) => [name.replace(/tamis::(\w+_(vectors|numbers)::)?/g, ''), parseInt(bytes, 16)]));
}
function flashOf(program) {
  const [text, data] = execFileSync(size, [join(build, `costs_${program}_Os.elf`)], { encoding: 'utf8' }).split('\n')[1].trim().split(/\s+/);
  return Number(text) + Number(data);
}

/** The first that a name fits is its group. */
const groups = [
  ["Newton's method: second phase and its system", /TwoPhase|ProximalPoint|ChosenSamples|NewtonSystem|cholesky|factor_entry|count_entries|float dot</],
  ['checks of what is handed in', /validate|in_range/],
  ['memory and scales: laid out, cleared, measured', /prepare|Arena|saturating|measure_scales|Report<float>::Report|lay_out/],
  ['the model without coefficients', /null_model|turn_shares|weight_above|guess_intercepts/],
  ['steps of the solver', /PrimalDual|Fista|dual_prox|project_simplex|gradient|curvature/],
  ['certificates', /certify|repair|dual_value|loss_dual|dual_terms|loss_sum|mean_loss|enter_domain|GapMonitor|gradient_size|offer|penalty_value|column_sums|make_dual|bregman|divergence/],
  ['norm of the samples', /power_iteration/],
  ['products with the samples', /multiply|weighted_rows|shifted_intercepts|add_epochs/],
  ['active features, rows of coefficients', /WorkingSet|activate|set_active|fill<|copy<|scale_row|scaled_row|squared_distance|::sum\(\)|Sum<|Targets/],
  ['prediction, and the call of the training', /LinearModel|count_right|train\(/],
  ['the rest', /^/],
];
const groupOf = (name) => groups.findIndex(([, pattern]) => pattern.test(name));

const nothing = symbolsOf('nothing');
const columns = programs.map((program) => {
  const own = [...symbolsOf(program)].map(([name, bytes]) => ({ name, bytes: bytes - (nothing.get(name) ?? 0) })).filter(({ bytes }) => bytes > 0);
  return { program, own, all: flashOf(program) - flashOf('nothing') };
});
if (!page) {
  for (const { program, own } of columns) {
    console.log(program);
    for (const { name, bytes } of own.sort((a, b) => b.bytes - a.bytes)) console.log(`${bytes}\t${groups[groupOf(name)][0]}\t${name}`);
  }
  process.exit();
}
const sums = columns.map(({ own, all }) => {
  const sum = groups.map(() => 0);
  for (const { name, bytes } of own) sum[groupOf(name)] += bytes;
  sum[groups.length - 1] += all - sum.reduce((a, b) => a + b); // tables without a symbol, and what is between functions
  return sum;
});
const row = (cells) => `| ${cells.join(' | ')} |\n`;
const table = row(['bytes of', ...programs.map((program) => program.split('_').map((name) => `\`${name}\``).join(', '))]) +
  row(['---', ...programs.map(() => '--:')]) +
  groups.map(([name], g) => row([name, ...sums.map((sum) => sum[g].toLocaleString('en'))])).join('') +
  row(['together', ...columns.map(({ all }) => all.toLocaleString('en'))]);
const text = readFileSync(page, 'utf8'), begin = '<!-- weights: boards -->\n', end = '<!-- end of weights -->';
const from = text.indexOf(begin), to = text.indexOf(end, from);
if (from < 0 || to < 0) throw new Error(`${page} has nothing between ${begin.trim()} and ${end}`);
writeFileSync(page, text.slice(0, from + begin.length) + table + text.slice(to));
