/** The files that a model is taken home as. */
import type { Offer } from '../../panel';

export interface Exported {
  kind: 'c' | 'arduino' | 'json' | 'javascript';
  file: string;
  text: string;
  type: string;
}

/** A C identifier made of a title, as the tamis command makes one of a file's name. */
export function identifier(title: string): string {
  const name = title.replace(/[^A-Za-z0-9]/g, '_');
  return name === '' || /^\d/.test(name) ? `model_${name}` : name;
}

export async function exportsOf({ title, model, selfTest, missingMeans }: Offer): Promise<Exported[]> {
  const name = identifier(title);
  const header = await model.toC(selfTest ? { name, samples: selfTest } : { name });
  const json = model.toJSON();
  if (selfTest) json.self_test = selfTest.map((row) => model.keptFeatures.map((j) => row[j]!));
  if (missingMeans) Object.assign(json, { preparation: { missing_means: model.keptFeatures.map((j) => missingMeans[j]!), log: null, normalise: null, min_max: null } });
  return [
    { kind: 'c', file: `${name}.h`, text: header, type: 'text/x-c' },
    { kind: 'arduino', file: `${name}.ino`, text: sketch(header, name), type: 'text/x-arduino' },
    { kind: 'json', file: `${name}.json`, text: `${JSON.stringify(json, null, 1)}\n`, type: 'application/json' },
    { kind: 'javascript', file: `${name}.mjs`, text: javascript(json), type: 'text/javascript' },
  ];
}

/** As `tamis export --format arduino` writes it. */
export function sketch(header: string, name: string): string {
  const size = `${name.toUpperCase()}_KEPT`;
  return `${header}
/* Reads the kept features of one sample, separated by commas or blanks, and prints its class. */
static float ${name}_sample[${size} ? ${size} : 1];

void setup() {
  Serial.begin(115200);
  Serial.println(${name}_self_test() == 0 ? "self-test passed" : "self-test FAILED");
}

void loop() {
  if (!Serial.available()) return;
  for (int j = 0; j < ${size}; ++j) ${name}_sample[j] = Serial.parseFloat();
  while (Serial.available() && Serial.read() != '\\n') {}
  Serial.println(${name}_labels[${name}_predict_kept(${name}_sample)]);
}
`;
}

/** A module with one function of the kept features, which rounds as the model does: the same scores, bit by bit. */
export function javascript({ classes, features, coefficients, intercept, calibration, loss, precision }: ReturnType<Offer['model']['toJSON']>): string {
  const float = precision === 'float';
  const [array, round] = float ? ['Float32Array', 'Math.fround'] : ['Float64Array', ''];
  const rows = coefficients.values.map((row, j) => `  [${row.join(', ')}], // ${features[j]!.replace(/[\r\n\u2028\u2029]/g, ' ')}`);
  return `// Made by tamis. No dependencies.
export const features = ${JSON.stringify(features)};
export const classes = ${JSON.stringify(classes)};
const weights = [
${rows.join('\n')}
];

/** x: the ${features.length} features above, in that order. One score per class. */
export function scores(x) {
  const sums = ${array}.of(${intercept.join(', ')});
  for (let j = 0; j < weights.length; ++j)
    for (let k = 0; k < sums.length; ++k) sums[k] += ${round}(${round}(x[j]) * ${float ? 'Math.fround(weights[j][k])' : 'weights[j][k]'});
  return sums;
}

/** The class with the largest score. */
export function predict(x) {
  const sums = scores(x);
  return classes[sums.indexOf(Math.max(...sums))];
}
${probabilities(calibration, loss)}`;
}

function probabilities(calibration: ReturnType<Offer['model']['toJSON']>['calibration'], loss: string): string {
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
