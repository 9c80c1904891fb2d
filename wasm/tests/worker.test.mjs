import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWorkerClient, digits, dist, iris, load, outcome, refusal, small } from './support.mjs';

const client = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
after(() => client.close());

const long = { ...digits, loss: 'hinge', penalty: 'l1', lambda: 1 / 1797, tolerance: 1e-6 };

test('a worker trains the model that the library trains here', async () => {
  const problem = { ...iris, loss: 'hinge', penalty: 'l1', lambda: 1 / 150 };
  const tamis = await load({ double: true });
  await client.started;
  await client.ready;
  for (const precision of ['float', 'double']) {
    const reports = [];
    const model = await client.train({ ...problem, precision }, { onProgress: (report) => void reports.push(report) });
    const here = tamis.trainSync({ ...problem, precision });
    assert.deepEqual(outcome(model), outcome(here));
    assert.equal(reports.at(-1).status, 'converged');
    assert.deepEqual(model.predictAll(iris.X), here.predictAll(iris.X));
    assert.deepEqual(model.toJSON(), here.toJSON());
    assert.equal(await model.toC({ name: 'iris' }), here.toC({ name: 'iris' }));
    assert.deepEqual(await model.toBlob(), here.toBlob());
  }
});

test('a model is exported by another client than the one that trained it', async () => {
  const other = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  const model = await other.train({ ...iris, loss: 'hinge', penalty: 'l1', lambda: 0.02 });
  const wanted = await model.toC();
  other.close();
  await assert.rejects(model.toC());
  assert.equal(await client.adopt(model).toC(), wanted);
  assert.deepEqual(outcome(client.adopt(model)), outcome(model));
});

test('trainings overlap', async () => {
  const models = await Promise.all([1, 0.1, 0.01].map((lambda) => client.train({ ...iris, loss: 'hinge', penalty: 'l1', lambda })));
  const kept = models.map((model) => model.report.nonzeros);
  assert.deepEqual(kept, kept.slice().sort((a, b) => a - b));
});

test('false from onProgress stops a training, with its best so far', async () => {
  assert.equal((await client.train(long, { onProgress: () => false })).report.status, 'stopped');
});

test('a signal means the same everywhere: an AbortError, or the best so far where that is wanted', async () => {
  const tamis = await load();
  const { lambda, ...path } = long;
  const tasks = [['train', long], ['path', path], ['crossValidate', path], ['stabilitySelection', path],
    ['trainInteractions', { X: long.X, y: long.y, hierarchy: 'weak', lambda: 1e-3 }],
    ['selectInteractions', { X: long.X, y: long.y, hierarchy: 'weak' }],
    ['trainKernels', { X: long.X.slice(0, 300), y: long.y.slice(0, 300), kernels: ['linear', 'gaussian:1'], p: 2, q: 1, r: 1, lambda: 1e-4 }],
    ['hashText', Array(3000).fill('words of a line')]];
  for (const library of [tamis, client])
    for (const [task, given] of tasks) {
      const abort = async (signal, onProgress) => {
        const asked = { signal, onProgress, sliceMilliseconds: 1 };
        const error = await refusal(() => (task === 'hashText' ? library.hashText(given, {}, asked) : library[task](given, asked)), 'stopped');
        assert.equal(error.name, 'AbortError', task);
        assert.match(error.message, / was stopped by its signal$/);
      };
      await abort(AbortSignal.abort());
      const controller = new AbortController();
      await abort(controller.signal, () => controller.abort());
    }
  for (const library of [tamis, client]) {
    const controller = new AbortController();
    const wish = { signal: controller.signal, bestOnAbort: true };
    const onProgress = (report) => {
      if (report.iterations > 0) controller.abort();  // the first slice may have begun none
    };
    const best = await library.train(long, { ...wish, onProgress });
    assert.equal(best.report.status, 'stopped');
    assert.ok(best.report.iterations > 0);
    assert.equal((await library.train(long, wish)).report.iterations, 0);
  }
});

test('what onProgress and onPoint throw rejects the promise, and the client goes on', async () => {
  const { lambda, ...path } = long;
  const thrown = new Error('of the caller');
  const fail = () => {
    throw thrown;
  };
  for (const library of [await load(), client])
    for (const work of [() => library.train(long, { onProgress: fail }), () => library.path(path, { onPoint: fail }),
      () => library.crossValidate(path, { onProgress: fail }), () => library.hashText(['a', 'b'], {}, { onProgress: fail })])
      await assert.rejects(work, (error) => error === thrown);
  assert.equal((await client.train(small)).report.status, 'converged');
});

test('a worker follows paths and cross-validates as the library does here', async () => {
  const problem = { ...iris, loss: 'hinge', penalty: 'l1' };
  const tamis = await load();
  const options = { points: 8, refit: true, choose: 'min', seed: 1 };
  const seen = [];
  const [path, wanted] = [await client.path(problem, { points: 8, onPoint: (point) => void seen.push(point) }),
    await tamis.path(problem, { points: 8 })];
  assert.equal(path.status, 'converged');
  assert.deepEqual(seen, path.points);
  assert.deepEqual(path.points.map(({ model }) => outcome(model)), wanted.points.map(({ model }) => outcome(model)));
  assert.equal(await path.points[7].model.toC(), wanted.points[7].model.toC());
  const told = [];
  const [there, here] = [await client.crossValidate(problem, { ...options, onProgress: ({ share }) => void told.push(share) }),
    await tamis.crossValidate(problem, options)];
  const { model, refit, ...rest } = there;
  assert.deepEqual(rest, (({ model, refit, ...rest }) => rest)(here));
  assert.deepEqual([outcome(model), outcome(refit)], [outcome(here.model), outcome(here.refit)]);
  assert.equal(told.at(-1), 1);
});

test('paths and cross-validations stop', async () => {
  const { lambda, ...problem } = long;
  const controller = new AbortController();
  let count = 0;
  const stopped = await client.path(problem, {
    signal: controller.signal, bestOnAbort: true, sliceMilliseconds: 1, onPoint: () => void (++count === 3 && controller.abort()),
  });
  assert.equal(stopped.status, 'stopped');
  assert.ok(stopped.points.length >= 3 && stopped.points.length < 100);
  assert.equal((await client.path(problem, { onPoint: () => false })).status, 'stopped');
  await refusal(() => client.crossValidate(problem, { onProgress: () => false }), 'stopped');
  const error = await refusal(() => client.crossValidate({ ...small, y: ['a', 'b', 'a'] }, { folds: 2 }), 'invalid_option');
  assert.equal(error.column, 1);
});

test('errors arrive whole', async () => {
  const error = await refusal(() => client.train({ ...small, X: [[1, 2], [3, NaN], [5, 6]] }), 'invalid_data');
  assert.deepEqual([error.row, error.column], [1, 1]);
  assert.match(error.message, /^X\[1\]\[1\]: a sample holds a value that is not finite/);
  await assert.rejects(client.train({ ...small, X: () => 1 }), { name: 'DataCloneError' });
});

test('without a worker of its own, Node is told what to give', async () => {
  const error = await refusal(() => createWorkerClient(), 'unsupported');
  assert.match(error.message, /in Node give one of node:worker_threads, as in createWorkerClient\(new Worker\(/);
});

test('a closed client refuses', async () => {
  const closing = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  const training = refusal(() => closing.train(long), 'stopped');
  closing.close();
  await training;
  await refusal(() => closing.train(small), 'stopped');
});

test('a client whose worker is lost refuses, and another begins again', async () => {
  const endings = [
    (worker) => worker.terminate(),
    (worker) => worker.postMessage(null), // nothing its script expects
    (worker) => worker.emit('messageerror', new Error('an answer that cannot be read')),
  ];
  for (const end of endings) {
    const worker = new Worker(path.join(dist, 'worker-script.js'));
    const losing = createWorkerClient(worker);
    const trainings = [long, { ...long, lambda: 1e-3 }].map((problem) => refusal(() => losing.train(problem, { onProgress: () => void end(worker) }), 'worker_lost'));
    const [error] = await Promise.all(trainings);
    assert.match(error.message, /^the worker has ended.*; make another client and begin again$/);
    await refusal(() => losing.train(small), 'worker_lost');
    losing.close();
    await refusal(() => losing.path(small), 'worker_lost');
    const next = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
    assert.equal((await next.train(small)).report.status, 'converged');
    next.close();
  }
});

test('where there are no locks pings tell that a worker has ended, and no timer is left when nothing is asked', async () => {
  const { setInterval, clearInterval } = globalThis;
  const ticking = new Map();
  globalThis.setInterval = (tick) => (ticking.set(tick, tick), tick);
  globalThis.clearInterval = (tick) => void ticking.delete(tick);
  const tick = () => ticking.forEach((tick) => tick());
  class Silent extends EventTarget {
    sent = [];
    postMessage(message) {
      this.sent.push(message.type);
    }
    answer(data) {
      this.dispatchEvent(Object.assign(new Event('message'), { data }));
    }
    terminate() {}
  }
  try {
    const worker = new Silent();
    const client = createWorkerClient(worker);
    let started = false;
    const starting = client.started.then(() => (started = true));
    await null;
    assert.equal(started, false);
    worker.answer({ id: 0, type: 'watch', value: false });
    await starting;
    assert.equal(ticking.size, 1);
    worker.answer({ id: 0, type: 'done' });
    await client.ready;
    assert.equal(ticking.size, 0);

    const stop = new AbortController();
    const aborted = client.train(small, { signal: stop.signal });
    assert.equal(ticking.size, 1);
    stop.abort();
    await assert.rejects(aborted, { name: 'AbortError' });
    assert.equal(ticking.size, 0);

    const training = refusal(() => client.train(small), 'worker_lost');
    tick();
    worker.answer({ type: 'done' }); // to the ping
    for (let i = 0; i < 4; ++i) tick();
    await training;
    assert.equal(ticking.size, 0);
    assert.deepEqual(worker.sent, ['load', 'perform', 'stop', 'perform', 'ping', 'ping', 'ping', 'ping']);

    const other = new Silent();
    const closing = createWorkerClient(other);
    other.answer({ id: 0, type: 'watch', value: false });
    const closed = refusal(() => closing.train(small), 'stopped');
    closing.close();
    await closed;
    assert.equal(ticking.size, 0);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

test('a client is disposed of by the end of its scope', { skip: !Symbol.dispose && 'no Symbol.dispose here' }, async () => {
  const closing = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')));
  closing[Symbol.dispose]();
  await refusal(() => closing.train(small), 'stopped');
});

test('a worker that cannot load says so', async () => {
  const broken = createWorkerClient(new Worker(path.join(dist, 'worker-script.js')), { wasm: '/nowhere/tamis.wasm' });
  await refusal(() => broken.ready, 'unsupported');
  await refusal(() => broken.train(small), 'unsupported');
  broken.close();
  const missing = createWorkerClient(new Worker(path.join(dist, 'no-such-script.js')));
  await refusal(() => missing.train(small), 'unsupported');
  await missing.started; // it never will
});
