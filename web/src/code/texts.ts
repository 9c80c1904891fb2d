/** The same training in JavaScript, in Python and as a command, and the files that all three read. */
import { identifier } from '../format';
import { csvOf, type Asked, type Recipe, type Rows } from '../recipe';

export const languages = { javascript: 'JavaScript', python: 'Python', command: 'command' } as const;
export type Language = keyof typeof languages;

export interface DataFile {
  name: string;
  text: string;
  /** What is in it, in words. */
  what: string;
}
export interface Texts extends Record<Language, string> {
  files: DataFile[];
}

export function textsOf(recipe: Recipe): Texts {
  const { title, label, training, heldOut, weights } = recipe;
  const name = identifier(title);
  const names = { training: `${name}_training.csv`, heldOut: heldOut ? `${name}_held_out.csv` : null, weights: weights ? `${name}_weights.csv` : null };
  const rows = (data: Rows | string) => (typeof data === 'string' ? data : textOf(label, data, recipe.featureNames));
  const files: DataFile[] = [{ name: names.training, text: rows(training), what: 'trained on' }];
  if (heldOut) files.push({ name: names.heldOut!, text: rows(heldOut), what: 'held out' });
  if (weights) files.push({ name: names.weights!, text: Array.from(weights, (weight) => `${weight}\n`).join(''), what: 'how much each row counts' });
  const given = { asked: recipe.asked, label, names };
  return { javascript: javascript(given), python: python(given), command: command(given), files };
}

interface Given {
  asked: Asked;
  label: string;
  names: { training: string; heldOut: string | null; weights: string | null };
}

/** Features in as few digits as single precision tells apart. */
function textOf(label: string, { X: { values, samples, features }, y }: Rows, featureNames?: readonly string[]): string {
  const names = featureNames ?? Array.from({ length: features }, (_, j) => `x${j}`);
  return csvOf([label, ...names], Array.from({ length: samples }, (_, i) =>
    [y[i]!, ...Array.from({ length: features }, (_, j) => brief(values[i * features + j]!))]));
}

/** The shortest number that single precision does not tell from this one. */
function brief(x: number): number {
  for (let digits = 1; digits < 9; ++digits) {
    const rounded = Number(x.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(x)) return rounded;
  }
  return Number(x.toPrecision(9));
}

const lambdaOf = (asked: Asked) => (asked.kind === 'race' && asked.precision === 'double' ? asked.lambda : brief(asked.lambda));
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
const list = (names: readonly string[], quote: (name: string) => string) => `[${names.map(quote).join(', ')}]`;
const most_iterations = 1_000_000_000; // of a race, which time ends

// ---- JavaScript

function javascript(given: Given): string {
  const { asked, label, names } = given;
  const asks = (more: string[]) => [...more, `lambda: ${lambdaOf(asked)}`, `tolerance: ${asked.tolerance}`].join(', ');
  const reads = "const read = (file) => readFileSync(file, 'utf8'); // in a page: await (await fetch(file)).text()";
  if (asked.kind === 'linear') {
    const options = asks([`loss: '${asked.loss}'`, `penalty: '${asked.penalty}'`, ...(asked.standardise ? ['standardise: true'] : [])]);
    const fit = [`read('${names.training}')`, quoted(label), ...(names.weights ? ['{ sampleWeights }'] : [])].join(', ');
    return lines("import { readFileSync } from 'node:fs';", "import { Classifier } from 'tamis';", '', reads,
      names.weights && `const sampleWeights = read('${names.weights}').trim().split('\\n').map(Number);`,
      `const classifier = new Classifier({ ${options} });`,
      `await classifier.fit(${fit});`,
      'const { nonzeroRows, objective, relativeGap } = classifier.report;',
      `const right = classifier.score(read('${names.heldOut ?? names.training}'), ${quoted(label)});`,
      'console.log(`${nonzeroRows} features, ${right} right, objective ${objective}, certified within ${relativeGap}`);');
  }
  const head = ["import { readFileSync } from 'node:fs';", "import { load } from 'tamis';", '', 'const tamis = await load();', reads,
    'const table = (file) => {', "  const rows = read(file).trim().split('\\n').slice(1).map((row) => row.split(',').map(Number));",
    '  return [rows.map((row) => row.slice(1)), rows.map((row) => row[0])];', '};', `const [X, y] = table('${names.training}');`];
  if (asked.kind === 'race') {
    const { loss, penalty, precision, solvers, seconds } = asked;
    return lines(...head, `for (const solver of ${list(solvers, quoted)}) {`,
      `  const problem = { X, y, solver, ${asks([`loss: '${loss}'`, `penalty: '${penalty}'`, `precision: '${precision}'`])}, maxIterations: ${most_iterations} };`,
      `  const { report } = await tamis.train(problem, { bestOnAbort: true, onProgress: ({ milliseconds }) => milliseconds < ${1000 * seconds} });`,
      '  console.log(`${solver}: ${report.status}, certified within ${report.relativeGap}, ${report.milliseconds} ms`);', '}');
  }
  const call = asked.kind === 'interactions'
    ? `trainInteractions({ X, y, ${asks([`hierarchy: '${asked.hierarchy}'`])} })`
    : `trainKernels({ X, y, ${asks([`kernels: ${list(asked.kernels, quoted)}`, `p: ${asked.p}`, `q: ${asked.q}`, `r: ${asked.r}`, `intercept: ${asked.intercept}`])} })`;
  const of = names.heldOut ? ['samples', 'labels'] : ['X', 'y'];
  return lines(...head, `const model = await tamis.${call};`, names.heldOut && `const [samples, labels] = table('${names.heldOut}');`,
    `const right = ${of[0]}.filter((x, i) => model.predict(x) === ${of[1]}[i]).length / ${of[1]}.length;`,
    'console.log(`${right} right, objective ${model.report.objective}, certified within ${model.report.relativeGap}`);');
}

// ---- Python

const double_quoted = (text: string) => JSON.stringify(text);

function python({ asked, names }: Given): string {
  const head = ['import numpy as np', 'import tamis'];
  const type = asked.kind === 'race' && asked.precision === 'double' ? 'float64' : 'float32';
  const asks = (more: string[]) => [...more, `tolerance=${asked.tolerance}`].join(', ');
  if (asked.kind === 'linear') {
    const X = `${asked.standardise ? '((X - mean) / deviation)' : 'X'}.astype(np.float32)`;
    const fit = [X, 'y', ...(names.weights ? [`np.loadtxt("${names.weights}")`] : [])].join(', ');
    return lines(...head, '', 'def read(file):',
      '    table = np.loadtxt(file, str, comments=None, delimiter=",", quotechar=\'"\', skiprows=1, ndmin=2)',
      '    return table[:, 1:].astype(float), table[:, 0]', '',
      `X, y = read("${names.training}")`,
      asked.standardise && 'mean, deviation = X.mean(axis=0), X.std(axis=0)',
      `model = tamis.SparseClassifier("${asked.loss}", "${asked.penalty}", ${asks([String(lambdaOf(asked))])})`,
      `model.fit(${fit})`,
      names.heldOut && `X, y = read("${names.heldOut}")`,
      `right = model.score(${X}, y)`,
      'print(f"{len(model.kept_features())} features, {right} right, objective {model.objective_}, certified within {model.relative_gap_}")');
  }
  const data = ['def read(file):', `    table = np.loadtxt(file, np.${type}, delimiter=",", skiprows=1, ndmin=2)`,
    '    return table[:, 1:], table[:, 0].astype(int)', '', `X, y = read("${names.training}")`];
  if (asked.kind === 'race') {
    const { loss, penalty, solvers, seconds } = asked;
    return lines('import signal', 'import time', '', ...head, '', ...data,
      'signal.signal(signal.SIGALRM, signal.default_int_handler)  # ends fit as Ctrl-C does, with the best model so far',
      `for solver in ${list(solvers, double_quoted)}:`,
      `    signal.setitimer(signal.ITIMER_REAL, ${seconds})`,
      '    since = time.perf_counter()',
      `    model = tamis.SparseClassifier("${loss}", "${penalty}", ${asks([String(lambdaOf(asked)), 'solver=solver'])}, max_iterations=${most_iterations}).fit(X, y)`,
      '    signal.setitimer(signal.ITIMER_REAL, 0)',
      '    print(f"{solver}: {model.status_}, certified within {model.relative_gap_}, {1000 * (time.perf_counter() - since):.0f} ms")');
  }
  const made = asked.kind === 'interactions'
    ? `InteractionClassifier(${asks([String(lambdaOf(asked)), `hierarchy="${asked.hierarchy}"`])})`
    : `KernelClassifier(${asks([list(asked.kernels, double_quoted), `p=${asked.p}`, `q=${asked.q}`, `r=${asked.r}`, `lam=${lambdaOf(asked)}`, `intercept=${asked.intercept ? 'True' : 'False'}`])})`;
  return lines(...head, '', ...data, `model = tamis.${made}.fit(X, y)`, names.heldOut && `X, y = read("${names.heldOut}")`,
    'print(f"{model.score(X, y)} right, objective {model.objective_}, certified within {model.relative_gap_}")');
}

// ---- the command

function command({ asked, names }: Given): string {
  const common = [`--lambda ${lambdaOf(asked)}`, `--tolerance ${asked.tolerance}`, `--precision ${asked.kind === 'race' ? asked.precision : 'float'}`];
  const written = (task: string, options: (string | null | false | undefined)[], indent = '') =>
    [`tamis ${task} ${names.training} --header`, ...options.filter(Boolean)].join(` \\\n  ${indent}`);
  const test = names.heldOut && `--test ${names.heldOut}`;
  switch (asked.kind) {
    case 'linear':
      return lines(written('train', [`--loss ${asked.loss} --penalty ${asked.penalty}`, common.join(' '), asked.standardise && '--standardise',
        names.weights && `--sample-weights ${names.weights}`, test]));
    case 'interactions':
      return lines(written('interactions', [`--loss squared-hinge --hierarchy ${asked.hierarchy}`, common.join(' '), test]));
    case 'kernels':
      return lines(written('kernels', [...asked.kernels.map((kernel) => `--kernel ${kernel}`), `--p ${asked.p} --q ${asked.q} --r ${asked.r}${asked.intercept ? ' --intercept' : ''}`,
        common.join(' '), test]));
    case 'race':
      return lines(`for solver in ${asked.solvers.join(' ')}; do`,
        `  timeout --foreground --signal=INT ${asked.seconds} ${written('train', [`--loss ${asked.loss} --penalty ${asked.penalty} --solver $solver`, common.join(' '), `--max-iterations ${most_iterations}`], '  ')}`,
        'done');
  }
}

const lines = (...all: (string | null | false | undefined)[]) => `${all.filter((line) => typeof line === 'string').join('\n')}\n`;
