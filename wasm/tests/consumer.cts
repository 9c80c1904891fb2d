// Compiled, never run: a CommonJS file of a strict project.
export async function classify(X: number[][], y: string[], x: number[]): Promise<string | number> {
  const tamis = await (await import('tamis')).load();
  const model = await tamis.train({ X, y, loss: 'hinge', penalty: 'l1', lambda: 0.02 });
  // @ts-expect-error: there is no such property
  void model.nothing;
  return model.predict(x);
}
