/** Models as JavaScript modules without dependencies: scores, and the class with the largest. */
import type { InteractionModelFile, KernelModelFile, ModelFile } from 'tamis';

export type File = ModelFile | InteractionModelFile | KernelModelFile;

export function scriptOf(file: File): string {
  const scores = file.kind === 'kernels' ? kernelScores(file) : file.kind === 'interactions' ? interactionScores(file) : linearScores(file);
  return `// Made by tamis. No dependencies.
export const features = ${JSON.stringify(file.features)};
export const classes = ${JSON.stringify(file.classes)};
${scores}
/** The class with the largest score. */
export function predict(x) {
  const sums = scores(x);
  return classes[sums.indexOf(Math.max(...sums))];
}
${file.kind === 'linear' ? probabilities(file) : ''}`;
}

const arithmetic = (precision: File['precision']): [array: string, round: string] =>
  precision === 'float' ? ['Float32Array', 'Math.fround'] : ['Float64Array', ''];
const takes = (count: number) => `/** x: the ${count === 1 ? 'feature' : `${count} features`} above${count === 1 ? '' : ', in that order'}. One score per class. */`;
/** For the end of a line. */
const remark = (text: string) => text.replace(/[\r\n\u2028\u2029]/g, ' ');

function linearScores({ features, coefficients, intercept, precision }: ModelFile): string {
  const [array, round] = arithmetic(precision);
  const rows = coefficients.values.map((row, j) => `  [${row.join(', ')}], // ${remark(features[j]!)}`);
  return `const weights = [
${rows.join('\n')}
];

${takes(features.length)}
export function scores(x) {
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

${takes(features.length)}
export function scores(x) {
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

function kernelScores({ features, kernels: kept, coefficients: { samples, terms }, intercept, form }: KernelModelFile): string {
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

${takes(features.length)}
export function scores(x) {
  const sums = [${intercept.join(', ')}];
  for (const [t, l, coefficients] of terms) {
    const similar = kernels[t](samples[l], Array.from(x));
    coefficients.forEach((coefficient, k) => (sums[k] += coefficient * similar));
  }
  return ${binary ? '[-sums[0], sums[0]]' : 'sums'};
}
`;
}

function probabilities({ calibration, loss }: ModelFile): string {
  if (!calibration && loss !== 'logistic') return '';
  const constants = calibration ? `
const slopes = [${calibration.slopes.join(', ')}];
const offsets = [${calibration.offsets.join(', ')}];
` : '';
  const calibrated = calibration ? 'slopes[k] * score + offsets[k]' : 'score';
  const level = calibration?.kind === 'sigmoid' ? `-Math.log1p(Math.exp(-(${calibrated})))` : calibrated;
  return `${constants}
/** One probability per class. */
export function probabilities(x) {
  const levels = Array.from(scores(x), (score${calibration ? ', k' : ''}) => ${level});
  const top = Math.max(...levels);
  const shares = levels.map((level) => Math.exp(level - top));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / sum);
}
`;
}
