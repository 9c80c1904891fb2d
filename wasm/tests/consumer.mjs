// A project that has nothing but the package: prints the class of a flower, twice.
import { Worker } from 'node:worker_threads';
import { load } from 'tamis';
import { createWorkerClient } from 'tamis/worker';

const X = [[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5]];
const y = ['setosa', 'versicolor', 'virginica'];
const problem = { X, y, loss: 'hinge', penalty: 'l1', lambda: 0.02 };
const tamis = await load();
const model = await tamis.train(problem);

const script = import.meta.resolve ? await import.meta.resolve('tamis/worker-script') : null;
const client = createWorkerClient(new Worker(new URL(script ?? './node_modules/tamis/worker-script.js', import.meta.url)));
const other = await client.train(problem);
client.close();
console.log(model.predict([5.0, 3.4, 1.5, 0.2]), model.report.status, other.predict([5.0, 3.4, 1.5, 0.2]));
