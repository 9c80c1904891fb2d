// Starts the harnesses as programs of their own and gives the CSV lines that they print.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What the program printed, by lines. What it says in complaint goes to the terminal; its failure is an error. */
export function run(program, args) {
  const { status, error, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return stdout.trim().split('\n');
}

export const runModule = (module, ...mode) => run(process.execPath, [here('node.mjs'), module, ...mode]);

export const runBrowser = (module) => run(process.execPath, [here('browser.mjs'), module]);
