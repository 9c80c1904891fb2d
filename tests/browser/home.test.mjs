// The panel Take home: the files of a model, and what training takes on a board.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  downloaded, dropFile, inEveryLook, nothingRuns, planeSettled, program, screenshot, settled, stage, tableSettled, tamisInNode,
  testData, trainInNode,
} from './support.mjs';

const scene = stage();
const { withPage } = scene;
const folder = mkdtempSync(path.join(tmpdir(), 'tamis-home-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const shown = (page) => page.locator('#home-exports li').first().waitFor();
const toHome = async (page) => {
  await page.click('#tab-home');
  await shown(page);
};
const calculated = async (page) => {
  await page.locator('#home-verdict[aria-busy=false]').waitFor();
  return page.textContent('#home-verdict');
};
/** Writes a file, and gives its place. */
function written(name, text) {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
}
/** Sums of a header, a sketch … without their bodies: how many bytes a card promises. */
const promised = (page, kind) => page.textContent(`[data-kind=${kind}]`).then((label) => Number(label.match(/([\d,]+) bytes$/)[1].replaceAll(',', '')));

test('the header is compiled, and passes its self-test', async () => {
  for (const [at, settle, name] of [['', settled, 'digits'], ['#table', tableSettled, 'wine']])
    await withPage(async (page) => {
      await settle(page);
      await toHome(page);
      assert.equal(await page.textContent('#home-title'), name);
      const { name: file, text } = await downloaded(page, 'c');
      assert.equal(file, `${name}.h`);
      assert.equal(Buffer.byteLength(text), await promised(page, 'c'));
      writeFileSync(path.join(folder, file), text);
      writeFileSync(path.join(folder, 'main.c'), `#include "${file}"\nint main(void) { return ${name}_self_test(); }\n`);
      for (const compiler of [['gcc', '-std=c99'], ['g++', '-x', 'c++', '-std=gnu++17']]) {
        const binary = path.join(folder, 'test');
        execFileSync(compiler[0], [...compiler.slice(1), '-Wall', '-Wno-unused-function', '-Wno-unused-const-variable', '-ffp-contract=off',
          path.join(folder, 'main.c'), '-o', binary, '-lm'], { stdio: 'pipe' });
        execFileSync(binary); // throws unless it returns 0
      }
      assert.deepEqual(page.complaints, []);
    }, { at });
});

test('the JavaScript gives the model’s predictions, and the JSON is what the command takes', async (t) => {
  await withPage(async (page) => {
    await tableSettled(page);
    await toHome(page);
    const [json, script, sketch, header] = [await downloaded(page, 'json'), await downloaded(page, 'javascript'), await downloaded(page, 'arduino'), await downloaded(page, 'c')];
    assert.deepEqual([json.name, script.name, sketch.name], ['wine.json', 'wine.mjs', 'wine.ino']);
    for (const { name, text } of [json, script]) writeFileSync(path.join(folder, name), text);
    const model = JSON.parse(json.text);
    const taken = await import(pathToFileURL(path.join(folder, 'wine.mjs')));
    assert.deepEqual([taken.keptNames, taken.keptFeatures], [model.features, model.coefficients.indices]);

    // By the weights of the JSON, in single precision.
    const [names, ...rows] = testData('wine.csv').trim().split('\n').map((line) => line.split(','));
    const places = model.features.map((name) => names.indexOf(name));
    const scores = (row) => model.coefficients.values.reduce((sums, weights, j) =>
      sums.map((sum, k) => Math.fround(sum + Math.fround(Math.fround(row[places[j]]) * Math.fround(weights[k])))), model.intercept.map(Math.fround));
    let right = 0;
    for (const row of rows) {
      const x = row.slice(1).map(Number);
      const kept = places.map((place) => Number(row[place]));
      assert.deepEqual([...taken.scores(x)], scores(row));
      assert.deepEqual([taken.scoresKept(kept), taken.predictKept(kept)], [taken.scores(x), taken.predict(x)]);
      const shares = taken.probabilities(x);
      assert.deepEqual(taken.probabilitiesKept(kept), shares);
      assert.ok(Math.abs(shares.reduce((a, b) => a + b) - 1) < 1e-12);
      right += taken.predict(x) === row[0];
    }
    assert.ok(right > 165, `${right} of 178`);

    const command = program('tamis');
    if (!command) return t.diagnostic('the command is not built: its predictions and its sketch are not compared');
    writeFileSync(path.join(folder, 'wine.csv'), testData('wine.csv'));
    const predicted = execFileSync(command, ['predict', path.join(folder, 'wine.json'), path.join(folder, 'wine.csv'), '--label', 'label'],
      { encoding: 'utf8' }).trim().split('\n');
    assert.equal(predicted.filter((label, i) => label === taken.predict(rows[i].slice(1).map(Number))).length, 178);
    const theirs = execFileSync(command, ['export', path.join(folder, 'wine.json'), '--format', 'arduino', '--name', 'wine'], { encoding: 'utf8' });
    const loop = theirs.slice(theirs.lastIndexOf('\n/* Reads'));
    assert.ok(loop.length > 400);
    assert.ok(sketch.text.endsWith(loop), 'the same sketch');
    assert.ok(sketch.text.startsWith(header.text));
  }, { at: '#table' });
});

test('the JavaScript takes all pixels of a digit, as the model and its header do, and refuses anything else in a sentence', async () => {
  await withPage(async (page) => {
    await settled(page);
    await toHome(page);
    const taken = await import(pathToFileURL(written('digits.mjs', (await downloaded(page, 'javascript')).text)));
    const model = await trainInNode({ loss: 'squared-hinge', penalty: 'l1', lambda: 0.03, tolerance: 0.01 });
    assert.deepEqual([taken.featureCount, taken.keptFeatures], [64, model.keptFeatures]);
    const images = testData('digits.csv').trim().split('\n').slice(1, 301).map((line) => line.split(',').slice(1).map((ink) => Number(ink) / 16));
    for (const x of images) {
      assert.deepEqual([...taken.scores(x)], [...model.scores(x)]);
      assert.equal(taken.predict(Float32Array.from(x)), String(model.predict(x)));
      assert.equal(taken.predictKept(model.keptFeatures.map((j) => x[j])), taken.predict(x));
    }
    const count = model.keptFeatures.length;
    const says = (work, sentence) => assert.throws(work, { message: sentence });
    says(() => taken.predict([1, 2]), `a sample has 64 features here, this one has 2: predict takes all 64, predictKept the ${count} that are read`);
    says(() => taken.predictKept(images[0]), `a sample has ${count} features here, this one has 64: predict takes all 64, predictKept the ${count} that are read`);
    says(() => taken.scores(), /this one has undefined/);
    says(() => taken.predict(images[0].map(String)), /^feature \d+ of the sample is not a finite number: /);
  });
});

test('what stood for missing values is in the JSON, and the command fills them by it', async (t) => {
  const lines = Array.from({ length: 60 }, (_, i) => `${i % 6 === 4 ? '' : (i % 2) * 3 + ((i * 7) % 5)},${(i * 3) % 7},${i % 2}`);
  await withPage(async (page) => {
    await tableSettled(page);
    await dropFile(page, 'gaps.csv', `x,y,label\n${lines.join('\n')}`);
    await page.getByText('60 rows, 3 columns').waitFor();
    await tableSettled(page);
    await toHome(page);
    const { text } = await downloaded(page, 'json');
    assert.equal(JSON.parse(text).preparation.missing_means.length, JSON.parse(text).features.length);
    const command = program('tamis');
    if (!command) return t.diagnostic('the command is not built: it does not predict');
    writeFileSync(path.join(folder, 'gaps.json'), text);
    writeFileSync(path.join(folder, 'gaps.csv'), `x,y,label\n${lines.join('\n')}\n`);
    const predicted = execFileSync(command, ['predict', path.join(folder, 'gaps.json'), path.join(folder, 'gaps.csv'), '--label', 'label'], { encoding: 'utf8' });
    assert.equal(predicted.trim().split('\n').length, 60);
  }, { at: '#table' });
});

test('a model of numbers and categories has their names, and its JavaScript their probabilities', async () => {
  await withPage(async (page) => {
    await tableSettled(page);
    await page.check('#table-controls [value=logistic]', { force: true });
    await tableSettled(page);
    await toHome(page);
    const { text } = await downloaded(page, 'javascript');
    writeFileSync(path.join(folder, 'logistic.mjs'), text);
    const taken = await import(pathToFileURL(path.join(folder, 'logistic.mjs')));
    const mean = { alcohol: 12.99, flavanoids: 2.02 };
    const shares = taken.probabilitiesKept(taken.keptNames.map((name) => mean[name] ?? 1));
    assert.ok(shares.every((share) => share >= 0 && share <= 1));
  }, { at: '#table' });
});

test('the models of the plane are taken home: their header and their JavaScript agree everywhere', async () => {
  await withPage(async (page) => {
    await planeSettled(page);
    for (const [kind, kept] of [['linear', / features, /], ['interactions', / terms, /], ['kernels', / kernels, /]]) {
      await page.check(`#plane-controls [value=${kind}]`, { force: true });
      await planeSettled(page);
      await toHome(page);
      await page.locator('#home-about', { hasText: kept }).waitFor();
      const [header, script, json, sketch] =
        [await downloaded(page, 'c'), await downloaded(page, 'javascript'), await downloaded(page, 'json'), await downloaded(page, 'arduino')];
      assert.ok(sketch.text.startsWith(header.text));
      const taken = await import(pathToFileURL(written(`${kind}.mjs`, script.text)));
      const grid = Array.from({ length: 441 }, (_, i) => [(i % 21) / 10 - 1, Math.floor(i / 21) / 10 - 1]);
      written('plane.h', header.text);
      const binary = path.join(folder, kind);
      execFileSync('gcc', ['-std=c99', '-Wall', '-Wno-unused-function', '-Wno-unused-const-variable', '-ffp-contract=off', '-o', binary,
        written('plane.c', '#include <stdio.h>\n#include "plane.h"\nint main(void) {\n  int i;\n  for (i = 0; i < 441; ++i) {\n' +
        '    const float x[2] = {(float)(i % 21 / 10. - 1), (float)(i / 21 / 10. - 1)};\n    puts(plane_labels[plane_predict(x)]);\n  }\n' +
        '  return plane_self_test();\n}\n'), '-lm'], { stdio: 'pipe' });
      const theirs = execFileSync(binary, { encoding: 'utf8' }).trim().split('\n');
      const ours = grid.map((x) => taken.predict(x));
      assert.deepEqual(new Set(ours), new Set(taken.classes), 'every class is predicted somewhere');
      const same = ours.filter((label, i) => label === theirs[i]).length;
      assert.ok(kind === 'kernels' ? same > 435 : same === 441, `${kind}: ${same} of 441`);
      await page.click('#tab-plane');
    }
    assert.deepEqual(page.complaints, []);
  }, { at: '#plane' });
});

test('the calculator knows the bytes that Node computes, and whether they fit', async () => {
  const tamis = await tamisInNode();
  await withPage(async (page) => {
    for (const [samples, features, classes, loss, penalty, fits] of [
      [150, 4, 3, 'hinge', 'l1', true], [1198, 64, 10, 'squared-hinge', 'group-l2', false], [200, 30, 2, 'logistic', 'elastic-net', false],
    ]) {
      await page.fill('[name=samples]', String(samples));
      await page.fill('[name=features]', String(features));
      await page.fill('[name=classes]', String(classes));
      await page.selectOption('#home-size [name=loss]', loss);
      await page.selectOption('#home-size [name=penalty]', penalty);
      const { least } = tamis.trainingBytes({ samples, features, classes, loss, penalty });
      const words = least.toLocaleString('en-GB');
      await page.locator('#home-verdict', { hasText: `arena ${words} bytes` }).waitFor();
      const said = await page.textContent('#home-verdict');
      const data = samples * (4 * features + 2);
      assert.ok(said.includes(`data ${data.toLocaleString('en-GB')} bytes`), said);
      const room = 20 * 1024 - least - data;
      assert.equal(room >= 0, said.includes('fits in 20 KiB of RAM'), said);
      if (room < 0) assert.ok(said.includes(`${(-room).toLocaleString('en-GB')} bytes too many for 20 KiB of RAM`), said);
      assert.equal((await page.$$('#home-boards tr')).length, 12);
      if (fits) assert.ok(room > -1e5);
    }
    // What is asked for last is shown, though what was asked before has to load a module first.
    const loaded = page.waitForResponse(/tamis-baselines.*\.wasm/);
    await page.evaluate(() => {
      const solver = document.querySelector('#home-size [name=solver]');
      for (solver.value of ['fista', 'primal-dual', 'block-coordinate-descent']) solver.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await loaded;
    await nothingRuns(page);
    const { least } = tamis.trainingBytes({ samples: 200, features: 30, classes: 2, loss: 'logistic', penalty: 'elastic-net', solver: 'block-coordinate-descent' });
    assert.ok((await page.textContent('#home-verdict')).includes(`arena ${least.toLocaleString('en-GB')} bytes`));
    assert.equal(await page.textContent('#home-size-error'), '');
    assert.deepEqual(page.complaints, []);
  }, { at: '#home' });
});

test('what cannot be calculated is told in one sentence, beside it', async () => {
  await withPage(async (page) => {
    await calculated(page);
    const complaint = page.locator('#home-size-error:not(:empty)');
    await page.fill('[name=samples]', '-3');
    assert.match(await complaint.textContent(), /^The number of samples: .+\.$/);
    await page.fill('[name=samples]', '10');
    await page.selectOption('#home-size [name=loss]', 'logistic');
    await page.selectOption('#home-size [name=solver]', 'two-phase');
    await complaint.waitFor();
    assert.match(await complaint.textContent(), /^[A-Z].*\.$/);
    await page.selectOption('#home-size [name=loss]', 'hinge');
    await page.locator('#home-size-error:empty').waitFor({ state: 'attached' });
    await page.fill('[name=features]', '1000000');
    await page.fill('[name=samples]', '1000000');
    await page.locator('#home-verdict', { hasText: 'bytes too many' }).waitFor();
  }, { at: '#home' });
});

const boardRows = (page) => page.$$eval('#home-boards tr', (rows) => rows.map((row) => {
  const [board, run, core, , , , , train] = [...row.children].map((cell) => ({ text: cell.textContent, look: cell.firstElementChild?.className }));
  return { board: board.text, run, core: core.text, train };
}));

test('says of each board whether it can run the model, by the tables of its header and what was measured of prediction', async () => {
  const [head, ...figures] = readFileSync(new URL('../firmware/figures.csv', import.meta.url), 'utf8').trim().split('\n').map((line) => line.split(','));
  const predictionOf = (board) => Number(figures.find((row) => row[0] === board && row[2] === '-Os' && row[3] === 'prediction')[head.indexOf('flash')]);
  const measured = { 'Cortex-M0': 'm0plus', 'Cortex-M0+': 'm0plus', 'Cortex-M3': 'm3', 'Cortex-M4F': 'm4f', 'Cortex-M33': 'm4f', 'Cortex-M7': 'm7',
    RV32IMC: 'rv32imc', RV32IMAC: 'rv32imc' };
  await withPage(async (page) => {
    await settled(page);
    await toHome(page);
    await calculated(page);
    const { text } = await downloaded(page, 'c');
    const [kept, classes] = [Number(text.match(/_weights\[(\d+)\]/)[1]), 10];
    const bytes = 4 * kept * classes + 2 * kept + 4 * classes + 4 * classes; // weights, their features, intercepts, where the labels are
    const rows = await boardRows(page);
    assert.equal(rows.length, 12);
    for (const { board, run, core } of rows) {
      const [, verdict, taken] = run.text.match(/^(.+) ([\d,]+) bytes$/);
      assert.equal(verdict, 'runs', board);
      assert.equal(run.look, 'fits');
      assert.ok(Math.abs(Number(taken.replace(',', '')) - predictionOf(measured[core]) - bytes) <= kept, `${board}: ${run.text} for ${bytes}`);
    }
    assert.deepEqual(await page.$$eval('.boards thead th', (cells) => cells.slice(0, 2).map((cell) => cell.textContent)), ['board', 'to run the model']);
    const key = await page.textContent('#home-key');
    assert.match(key, /measured with -Os for block-coordinate-descent, squared-hinge, l1\./);
    assert.match(key, /Cortex-M0\+ stands for Cortex-M0, Cortex-M4F stands for Cortex-M33, RV32IMC stands for RV32IMAC\.$/);
    await page.selectOption('#home-size [name=loss]', 'logistic');
    await page.locator('#home-key', { hasText: 'for block-coordinate-descent, logistic, group-l2, what is nearest to this. ' }).waitFor();
    await page.selectOption('#home-size [name=solver]', 'fista');
    await page.locator('#home-key', { hasText: 'for fista, logistic, l1. ' }).waitFor();
  });
});

test('a board with too little flash is said to have too little of that', async () => {
  // A board of our own: none of those that are known has so little.
  const prepare = (page) => page.route('**/home-*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/(STM32F103\)".*?flash:)64/, '$12') });
  });
  await withPage(async (page) => {
    await settled(page);
    await toHome(page);
    for (const [name, value] of [['samples', 20], ['features', 4], ['classes', 3]]) await page.fill(`#home-size [name=${name}]`, String(value));
    await page.locator('#home-verdict', { hasText: 'fits in 20 KiB of RAM' }).waitFor();
    const pill = (await boardRows(page)).find(({ board }) => board.startsWith('Blue Pill'));
    assert.match(pill.run.text, /^too large [\d,]+ bytes$/);
    assert.equal(pill.run.look, 'too-large');
    const [, excess] = pill.train.text.match(/^([\d,]+) bytes of flash too many$/);
    assert.ok(Number(excess.replace(',', '')) > 1000, pill.train.text);
    await page.fill('#home-size [name=samples]', '2000');
    await page.locator('#home-boards', { hasText: 'bytes of RAM too many' }).waitFor();
  }, { prepare });
});

test('Back takes back what was asked of the calculator, one choice or one number at a time', async () => {
  const asked = (page) => page.$$eval('#home-size :is(input, select)', (all) => all.map(({ value }) => value));
  await withPage(async (page) => {
    await settled(page);
    await toHome(page);
    await calculated(page);
    await nothingRuns(page);
    const states = [await asked(page)];
    const length = await page.evaluate(() => history.length);
    const steps = [
      () => page.selectOption('#home-size [name=loss]', 'logistic'),
      async () => {
        await page.focus('#home-size [name=samples]');
        await page.keyboard.press('Control+a');
        await page.keyboard.type('12');
        await nothingRuns(page); // longer than the link waits
        await page.keyboard.type('34');
        await page.keyboard.press('Tab');
      },
      () => page.selectOption('#home-size [name=penalty]', 'ridge'),
    ];
    for (const step of steps) {
      await step();
      await nothingRuns(page);
      states.push(await asked(page));
    }
    assert.deepEqual(states.at(-1).slice(0, 5), ['1234', '64', '10', 'logistic', 'ridge']);
    assert.equal(await page.evaluate(() => history.length), length + steps.length);
    for (const at of [2, 1, 0]) {
      await page.goBack();
      await nothingRuns(page);
      assert.deepEqual(await asked(page), states[at], `back to ${at}`);
    }
    for (const at of [1, 2, 3]) {
      await page.goForward();
      await nothingRuns(page);
      assert.deepEqual(await asked(page), states[at], `forward to ${at}`);
    }
    assert.deepEqual(page.complaints, []);
  });
});

test('the model is there after a reload, with the same predictions', async () => {
  await withPage(async (page) => {
    for (const [tab, ready] of [['table', tableSettled], ['plane', planeSettled]]) {
      await page.click(`#tab-${tab}`);
      await ready(page);
      await toHome(page);
      const before = [await page.textContent('#home-title'), await page.textContent('#home-about'), (await downloaded(page, 'javascript')).text];
      await page.reload();
      await shown(page);
      assert.deepEqual([await page.textContent('#home-title'), await page.textContent('#home-about'), (await downloaded(page, 'javascript')).text], before);
      assert.match((await downloaded(page, 'c')).text, /_self_test/);
      await calculated(page);
    }
    assert.deepEqual(page.complaints, []);
  }, { at: '#table' });
});

test('without a model it says where one comes from, and its link keeps what was calculated', async () => {
  let link;
  await withPage(async (page) => {
    await calculated(page);
    assert.equal(await page.textContent('#home-title'), 'No model yet');
    await page.fill('[name=samples]', '77');
    await page.waitForFunction(() => location.hash.includes('?1='));
    link = page.url();
    await page.click('#home-about a[href="#table"]');
    await tableSettled(page);
    await toHome(page);
    assert.equal(await page.inputValue('[name=samples]'), '77', 'what was typed stays');
  }, { at: '#home' });
  await withPage(async (page) => {
    await calculated(page);
    assert.equal(await page.inputValue('[name=samples]'), '77');
  }, { at: new URL(link).hash });
});

test('fits the screen, light and dark, wide and narrow', async () => {
  await inEveryLook(scene, '#table', async (page, look) => {
    await tableSettled(page);
    await toHome(page);
    await calculated(page);
    await page.fill('[name=samples]', '1198');
    await page.fill('[name=features]', '64');
    await page.locator('#home-boards .too-large').first().waitFor();
    assert.deepEqual(await page.evaluate(collisions), [], look);
    await screenshot(page, `home-${look}`);
  });
});

/** Rows of the boards whose texts reach into the next column, or out of the table. */
function collisions() {
  const extent = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  };
  const { left, width } = document.querySelector('.boards').parentElement.getBoundingClientRect();
  return [...document.querySelectorAll('.boards tr')].filter((row) => {
    const cells = [...row.children].filter((cell) => cell.checkVisibility()).map(extent).filter(({ width }) => width > 0);
    return cells.some(({ right }, i) => right > (cells[i + 1]?.left ?? left + width + 2) - 1);
  }).map((row) => row.textContent);
}
