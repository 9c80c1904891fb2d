/** The tables that come with the page, as CSV. */

export const examples = ['iris', 'wine', 'digits'] as const;
export type Example = (typeof examples)[number];
export const isExample = (name: unknown): name is Example => examples.includes(name as Example);

export async function exampleText(name: Example): Promise<string> {
  if (name === 'iris') return (await import('../../../../tests/data/iris.csv?raw')).default;
  if (name === 'wine') return (await import('../../../../tests/data/wine.csv?raw')).default;
  const { features, side, test, training } = await import('../../digits');
  const names = Array.from({ length: features }, (_, j) => `row ${Math.floor(j / side) + 1}, column ${(j % side) + 1}`);
  const lines = [training, test].flatMap(({ X: { values }, y }) =>
    y.map((digit, i) => [digit, ...Array.from(values.subarray(i * features, (i + 1) * features), (ink) => 16 * ink)].join(',')));
  return [['digit', ...names.map((name) => `"${name}"`)].join(','), ...lines].join('\n');
}
