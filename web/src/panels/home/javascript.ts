/** Models as JavaScript modules without dependencies: scores, and the class with the largest. */
import type { InteractionModelFile, KernelModelFile, ModelFile } from 'tamis';

export type File = ModelFile | InteractionModelFile | KernelModelFile;

export function scriptOf(file: File): string {
  const { kind, feature_count: count, features, classes } = file;
  const [sums, places] = kind === 'kernels' ? [kernelScores(file), null] : kind === 'interactions'
    ? [interactionScores(file), file.coefficients.indices] : [linearScores(file), file.coefficients.indices];
  const answers = kind === 'linear' && (file.calibration || file.loss === 'logistic') ? [scored, predicted, shared(file)] : [scored, predicted];
  return `// Made by tamis. No dependencies.
/** Of a sample. */
export const featureCount = ${count};
${places ? `/** The features that are read: their places among all, and their names. */
export const keptFeatures = ${JSON.stringify(places)};
export const keptNames` : `export const featureNames`} = ${JSON.stringify(features)};
export const classes = ${JSON.stringify(classes)};
${sums}
/** Throws a sentence unless a sample has the features that are asked for, and those that are read are numbers. */
function checked(x, count, read) {
  if (x?.length !== count)
    throw new RangeError(\`a sample has \${count} features here, this one has \${x?.length}${places ? `: predict takes all ${count}, predictKept the ${features.length} that are read` : ''}\`);
  const kept = read ? read.map((j) => x[j]) : Array.from(x);
  const wrong = kept.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) throw new TypeError(\`feature \${read ? read[wrong] : wrong} of the sample is not a finite number: \${String(kept[wrong])}\`);
  return kept;
}
${answers.map(({ name, what, of }) => `
/** ${what} x: all features of a sample. */
export const ${name} = (x) => ${of(`sumsOf(checked(x, ${count}, ${places ? 'keptFeatures' : 'null'}))`)};
${places ? `/** The same of the features that are read alone, in that order. */
export const ${name}Kept = (x) => ${of(`sumsOf(checked(x, ${features.length}, null))`)};
` : ''}`).join('')}${answers.map(({ helper }) => helper).join('')}`;
}

/** What is exported: its name, what it gives, and how that comes of the sums of a sample. */
interface Answer {
  name: string;
  what: string;
  of(sums: string): string;
  helper: string;
}
const scored: Answer = { name: 'scores', what: 'One score per class.', of: (sums) => sums, helper: '' };
const predicted: Answer = {
  name: 'predict', what: 'The class with the largest score.', of: (sums) => `largest(${sums})`,
  helper: '\nconst largest = (sums) => classes[sums.indexOf(Math.max(...sums))];\n',
};

const arithmetic = (precision: File['precision']): [array: string, round: string] =>
  precision === 'float' ? ['Float32Array', 'Math.fround'] : ['Float64Array', ''];
/** For the end of a line. */
const remark = (text: string) => text.replace(/[\r\n\u2028\u2029]/g, ' ');

function linearScores({ features, coefficients, intercept, precision }: ModelFile): string {
  const [array, round] = arithmetic(precision);
  const rows = coefficients.values.map((row, j) => `  [${row.join(', ')}], // ${remark(features[j]!)}`);
  return `const weights = [
${rows.join('\n')}
];

function sumsOf(x) {
  const sums = ${array}.of(${intercept.join(', ')});
  for (let j = 0; j < weights.length; ++j)
    for (let k = 0; k < sums.length; ++k) sums[k] += ${round}(${round}(x[j]) * ${round}(weights[j][k]));
  return sums;
}
`;
}

function interactionScores({ features, coefficients: { indices, main_effects: effects, products }, intercept, precision }: InteractionModelFile): string {
  const [array, round] = arithmetic(precision);
  const place = (j: number) => indices.indexOf(j);
  const name = (j: number) => remark(features[place(j)]!);
  const rows = [
    ...effects.values.map((value, t) => [effects.outputs[t], place(effects.indices[t]!), -1, value, name(effects.indices[t]!)]),
    ...products.values.map((value, t) =>
      [products.outputs[t], place(products.first[t]!), place(products.second[t]!), value, `${name(products.first[t]!)} × ${name(products.second[t]!)}`]),
  ].map((row) => `  [${row.slice(0, 4).join(', ')}], // ${row[4]}`);
  return `/** Class, feature, the other feature of a product or -1, coefficient. */
const terms = [
${rows.join('\n')}
];

function sumsOf(x) {
  const sums = ${array}.of(${intercept.join(', ')});
  for (const [k, i, j, coefficient] of terms) {
    const value = ${round}(${round}(coefficient) * ${round}(x[i]));
    sums[k] += j < 0 ? value : ${round}(value * ${round}(x[j]));
  }
  return sums;
}
`;
}

/** Of two samples, as expressions of their product, of the sum of their squared differences, of a and b, and of both. */
const kernels: Record<string, string> = {
  linear: 'dot(x, z)',
  polynomial: '(dot(x, z) + b) ** a',
  gaussian: 'Math.exp(-distance(x, z) / (2 * a * a))',
  laplacian: 'Math.exp(-sum(x, z, (u, v) => Math.abs(u - v)) / a)',
  sigmoid: 'Math.tanh(a * dot(x, z) + b)',
  distance: '-distance(x, z)',
  chi2: '-0.5 * sum(x, z, (u, v) => (u + v > 0 ? (u - v) ** 2 / (u + v) : 0))',
  kl: '-0.5 * sum(x, z, (u, v) => (Math.max(u, 1e-10) - Math.max(v, 1e-10)) * Math.log(Math.max(u, 1e-10) / Math.max(v, 1e-10)))',
};

function kernelScores({ kernels: kept, coefficients: { samples, terms }, intercept, form }: KernelModelFile): string {
  const compare = kept.map(({ kind, parameters: [a, b] }) =>
    `  (x, z) => ${kernels[kind]!.replace(/\ba\b/g, String(a)).replace(/\bb\b/g, `(${b})`)}, // ${kind}`);
  const rows = terms.values.map((values, e) => `  [${terms.kernels[e]}, ${terms.samples[e]}, [${values.join(', ')}]],`);
  const binary = form === 'binary';
  return `const sum = (x, z, term) => x.reduce((total, u, j) => total + term(u, z[j]), 0);
const dot = (x, z) => sum(x, z, (u, v) => u * v);
const distance = (x, z) => sum(x, z, (u, v) => (u - v) ** 2);
const kernels = [
${compare.join('\n')}
];
const samples = [
${samples.values.map((sample) => `  [${sample.join(', ')}],`).join('\n')}
];
/** Kernel, sample, ${binary ? 'coefficient of the second class' : 'one coefficient per class'}. */
const terms = [
${rows.join('\n')}
];

function sumsOf(x) {
  const sums = [${intercept.join(', ')}];
  for (const [t, l, coefficients] of terms) {
    const similar = kernels[t](samples[l], x);
    coefficients.forEach((coefficient, k) => (sums[k] += coefficient * similar));
  }
  return ${binary ? '[-sums[0], sums[0]]' : 'sums'};
}
`;
}

/** Probabilities, by the calibration or of the logistic loss. */
function shared({ calibration }: ModelFile): Answer {
  const constants = calibration ? `
const slopes = [${calibration.slopes.join(', ')}];
const offsets = [${calibration.offsets.join(', ')}];` : '';
  const calibrated = calibration ? 'slopes[k] * score + offsets[k]' : 'score';
  const level = calibration?.kind === 'sigmoid' ? `-Math.log1p(Math.exp(-(${calibrated})))` : calibrated;
  return {
    name: 'probabilities', what: 'One probability per class.', of: (sums) => `shares(${sums})`,
    helper: `${constants}
function shares(sums) {
  const levels = Array.from(sums, (score${calibration ? ', k' : ''}) => ${level});
  const top = Math.max(...levels);
  const parts = levels.map((level) => Math.exp(level - top));
  const all = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => part / all);
}
`,
  };
}
