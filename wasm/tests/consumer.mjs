// A project that has nothing but the package: prints the class of a flower, again and again.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { load } from 'tamis';
import { load as loadBundle } from 'tamis/bundle';
import { embedded, load as loadEmbedded } from 'tamis/embedded';
import 'tamis/global';
import { createWorkerClient } from 'tamis/worker';

const X = [[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5]];
const y = ['setosa', 'versicolor', 'virginica'];
const problem = { X, y, loss: 'hinge', penalty: 'l1', lambda: 0.02 };
const tamis = await load();
const model = await tamis.train(problem);

const worker = () => new Worker(createRequire(import.meta.url).resolve('tamis/worker-script'));
const inWorker = async (options) => {
  const client = createWorkerClient(worker(), options);
  const model = await client.train(problem);
  client.close();
  return model;
};
const models = [model, await inWorker(), await (await loadEmbedded()).train(problem), await inWorker(await embedded({ simd: false })),
  await (await loadBundle()).train(problem), await (await globalThis.tamis.load()).train(problem)];
console.log(models.map((model) => model.predict([5.0, 3.4, 1.5, 0.2])).join(' '), model.report.status);
