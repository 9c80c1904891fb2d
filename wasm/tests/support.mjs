// What the tests share: the assembled package, the data, the command, problems made up without chance.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const project = path.resolve(here, '../..');
/** Where CMake puts the package; set by ctest. */
export const dist = process.env.TAMIS_WASM_DIST ?? path.join(project, 'build/release/wasm/dist');
/** The folder node_modules of what the tests need; set by ctest. */
export const tools = process.env.TAMIS_WASM_TOOLS ?? path.join(project, 'build/release/wasm/tests/tools/node_modules');
/** The tamis command, if there is one to compare with. */
export const command = process.env.TAMIS_COMMAND;

export const { load, TamisError } = await import(pathToFileURL(path.join(dist, 'tamis.js')));
export const { createWorkerClient } = await import(pathToFileURL(path.join(dist, 'worker.js')));

export function readTable(name, scale = 1) {
  const text = readFileSync(path.join(project, 'tests/data', name), 'utf8');
  const [header, ...rows] = text.trim().split('\n').map((line) => line.split(','));
  return {
    X: rows.map((row) => row.slice(1).map((value) => Number(value) / scale)),
    y: rows.map((row) => row[0]),
    featureNames: header.slice(1),
  };
}
export const iris = readTable('iris.csv');
export const digits = readTable('digits.csv', 16);
export const small = { X: [[1, 2], [3, 4], [5, 7]], y: ['a', 'b', 'a'], loss: 'hinge', penalty: 'l1', lambda: 0.1 };

export const runCommand = (...given) => execFileSync(command, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Makes a project of the folder, and installs the package there as its README says. */
export function installPackage(folder) {
  const [line] = readFileSync(path.join(dist, 'README.md'), 'utf8').match(/(?<=^ {4})npm install .*$/m);
  const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  execFileSync('sh', ['-c', line.replace('TAMIS/build/release/wasm/dist', dist)], { cwd: folder, env, stdio: 'pipe' });
}

/** The error that `work` throws or rejects with, which must be a TamisError of that status. */
export async function refusal(work, status) {
  let error;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof TamisError, `expected a TamisError, got ${error}`);
  assert.equal(error.status, status, error.message);
  return error;
}

/** A small problem per seed; every loss, penalty, grouping and shape comes up. */
export function madeUpProblem(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const classes = 2 + (seed % 6);
  const features = 1 + ((seed * 7) % 23);
  const samples = 20 + ((seed * 13) % 60);
  const penalty = ['ridge', 'l1', 'group-l2', 'group-linf', 'elastic-net', 'sparse-group', 'reweighted-l1'][(seed >> 1) % 7];
  const grouped = ['group-l2', 'group-linf', 'sparse-group'].includes(penalty);
  const someGroups = seed % 3 === 1 ? Array.from({ length: features }, (_, j) => (j * 5) % 4) : { blocks: 3 };
  const y = Array.from({ length: samples }, (_, i) => i % classes);
  const X = y.map((label) => Array.from({ length: features }, (_, j) => random() * 2 - 1 + (j % classes === label ? 0.7 : 0)));
  return {
    X, y,
    loss: seed % 2 ? 'hinge' : ['squared-hinge', 'logistic', 'one-vs-rest-squared-hinge'][(seed >> 1) % 3],
    penalty,
    groups: seed % 3 && grouped ? someGroups : 'rows',
    lambda: [0.002, 0.01, 0.05][seed % 3],
    tolerance: 1e-3,
    maxIterations: 3000,
    intercept: seed % 5 !== 0,
    sampleWeights: seed % 4 ? undefined : y.map(() => 0.5 + random()),
    margins: seed % 7 ? undefined : y.map(() => 0.5 + random()),
  };
}

/** Everything a training came to, without the time it took. */
export function outcome(model) {
  const { milliseconds, ...report } = model.report;
  return { report, weights: [...model.weights], intercepts: [...model.intercepts] };
}
