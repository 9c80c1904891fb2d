/** The data that the solvers race on: features of mean 0 and variance 1, the digits as they are. */
export const names = { digits: 'digits', wine: 'wine', iris: 'iris' } as const;
export type Name = keyof typeof names;
export const isName = (name: unknown): name is Name => typeof name === 'string' && Object.hasOwn(names, name);

export interface Data {
  X: { values: Float32Array; samples: number; features: number };
  y: number[];
}
const digits_taken = 300;

export async function dataOf(name: Name): Promise<Data> {
  if (name === 'digits') {
    const { training: { X, y } } = await import('../../digits');
    return { X: { ...X, values: X.values.subarray(0, digits_taken * X.features), samples: digits_taken }, y: y.slice(0, digits_taken) };
  }
  const { default: text } = await (name === 'iris' ? import('../../../../tests/data/iris.csv?raw') : import('../../../../tests/data/wine.csv?raw'));
  return standardised(text.trim().split('\n').slice(1).map((line) => line.split(',').map(Number)));
}

/** Of rows that begin with the label. */
function standardised(rows: number[][]): Data {
  const [samples, features] = [rows.length, rows[0]!.length - 1];
  const values = new Float32Array(samples * features);
  for (let j = 0; j < features; ++j) {
    const column = rows.map((row) => row[j + 1]!);
    const mean = column.reduce((sum, value) => sum + value) / samples;
    const deviation = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / samples);
    column.forEach((value, i) => (values[i * features + j] = (value - mean) / deviation));
  }
  return { X: { values, samples, features }, y: rows.map(([label]) => label!) };
}

export const sizeOf = ({ X: { samples, features }, y }: Data) => `${samples} samples, ${features} features, ${new Set(y).size} classes`;
