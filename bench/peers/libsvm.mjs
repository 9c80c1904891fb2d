// node libsvm.mjs DIST: two classes by the linear C-SVC of libsvm-js and by the tamis package in the folder DIST, both as
// WebAssembly in this process. Reads { x, y, cost, lambda, tolerances, certified } from the standard input and prints
// { 'libsvm-js': […], 'tamis, WebAssembly': […] }, each a list of { seconds, w, b }: one model per tolerance, the least time of three.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const { x, y, cost, lambda, tolerances, certified } = JSON.parse(await text(process.stdin));
const SVM = await createRequire(import.meta.url)('libsvm-js');
const tamis = await (await import(pathToFileURL(path.join(process.argv[2], 'tamis.js')))).load();

async function least(work) {
  let best = null;
  for (let run = 0; run < 3; ++run) {
    const started = performance.now(), model = await work(), seconds = (performance.now() - started) / 1000;
    if (!best || seconds < best.seconds) best = { seconds, model };
  }
  return best;
}

/** w and b of a serialised model with a linear kernel; its first label counts as positive. */
function hyperplane(serialised) {
  const [head, body] = serialised.split('\nSV\n');
  const value = (key) => head.match(new RegExp(`^${key} (.*)$`, 'm'))[1].split(' ').map(Number);
  const sign = value('label')[0] === 1 ? 1 : -1, w = new Array(x[0].length).fill(0);
  for (const line of body.trim().split('\n')) {
    const [coefficient, ...entries] = line.trim().split(/\s+/);
    for (const entry of entries) {
      const [index, number] = entry.split(':').map(Number);
      w[index - 1] += sign * Number(coefficient) * number;
    }
  }
  return { w, b: -sign * value('rho')[0] };
}

const out = { 'libsvm-js': [], 'tamis, WebAssembly': [] };
for (const tolerance of tolerances) {
  const { seconds, model } = await least(() => {
    const svm = new SVM({ kernel: SVM.KERNEL_TYPES.LINEAR, type: SVM.SVM_TYPES.C_SVC, cost, tolerance, cacheSize: 200, quiet: true });
    svm.train(x, y);
    return svm;
  });
  out['libsvm-js'].push({ seconds, ...hyperplane(model.serializeModel()) });
}
for (const tolerance of certified) {
  const problem = { X: x, y, loss: 'hinge', penalty: 'ridge', lambda, tolerance, precision: 'double' };
  const { seconds, model } = await least(() => tamis.train(problem));
  const { weights, intercepts, classes } = model, positive = classes.indexOf(1), of = (j, k) => weights[j * 2 + k];
  out['tamis, WebAssembly'].push({
    seconds, w: x[0].map((_, j) => of(j, positive) - of(j, 1 - positive)), b: intercepts[positive] - intercepts[1 - positive],
  });
}
console.log(JSON.stringify(out));
