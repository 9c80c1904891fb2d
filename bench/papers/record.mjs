// node record.mjs RESULTS RECORDED PLOTS.mjs [EXPERIMENT…]: keeps results of a paper's experiments in the repository.
// Copies the CSV files of every experiment that has a .run.json (or of those named), and draws plots and summary there anew.
// record.mjs --check RECORDED PLOTS.mjs ends with 1 unless the plots and the summary there are those of its CSV files.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const largest = 256 * 1024;  // bytes of a file that the repository takes
const ending = '.run.json';

/** The files that an experiment has written: its record, NAME.csv and NAME_*.csv. */
const filesOf = (folder, experiment) => readdirSync(folder).filter((name) =>
  name === `${experiment}${ending}` || name === `${experiment}.csv` || (name.startsWith(`${experiment}_`) && name.endsWith('.csv'))).sort();

/** Those that have written something; one that was skipped for want of data has not. */
const experimentsOf = (folder) => readdirSync(folder).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
  .filter((name) => filesOf(folder, name).length > 1).sort();

const draw = (plots, folder, experiments) => {
  for (const experiment of experiments) {
    const { status } = spawnSync(process.execPath, [plots, folder, experiment], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`${path.basename(plots)} ${experiment} ended with ${status}.`);
  }
};

/** What keeps a file out of the repository, or nothing. */
function objection(folder, name) {
  const bytes = statSync(path.join(folder, name)).size;
  if (bytes > largest) return `${name} has ${bytes} bytes, more than ${largest}: run the experiment with fewer subsets.`;
  const place = /(^|[\s"'`(=,])(\/(home|root|tmp|work|usr|var|opt|mnt)\/[^\s"'`),]*)/m.exec(readFileSync(path.join(folder, name), 'utf8'));
  return place ? `${name} names a place of this machine: ${place[2]}` : null;
}

function record(results, recorded, plots, names) {
  const experiments = names.length > 0 ? names : experimentsOf(results);
  if (experiments.length === 0) throw new Error(`${results} has no experiment with a ${ending}: run one first.`);
  for (const experiment of experiments) {
    const files = filesOf(results, experiment);
    if (!files.includes(`${experiment}${ending}`)) throw new Error(`${results} has no ${experiment}${ending}: run the experiment first.`);
    for (const name of files) {
      const why = objection(results, name);
      if (why) throw new Error(why);
    }
  }
  mkdirSync(recorded, { recursive: true });
  for (const experiment of experiments) {
    for (const name of filesOf(recorded, experiment)) rmSync(path.join(recorded, name));
    for (const name of filesOf(results, experiment)) copyFileSync(path.join(results, name), path.join(recorded, name));
  }
  draw(plots, recorded, experiments);
  console.log(`Recorded: ${experiments.join(', ')}`);
}

function check(recorded, plots) {
  const anew = mkdtempSync(path.join(os.tmpdir(), 'tamis-recorded-')), wrong = [];
  try {
    const experiments = existsSync(recorded) ? experimentsOf(recorded) : [];
    if (experiments.length === 0) throw new Error(`${recorded} holds no record.`);
    for (const experiment of experiments)
      for (const name of filesOf(recorded, experiment)) copyFileSync(path.join(recorded, name), path.join(anew, name));
    draw(plots, anew, experiments);
    for (const name of new Set([...readdirSync(anew), ...readdirSync(recorded)])) {
      const [here, there] = [anew, recorded].map((folder) => (existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name)) : null));
      if (!here) wrong.push(`${name} belongs to no recorded experiment.`);
      else if (!there || !here.equals(there)) wrong.push(`${name} is not what ${path.basename(plots)} makes of the recorded CSV files.`);
      else if (objection(anew, name)) wrong.push(objection(anew, name));
    }
  } finally {
    rmSync(anew, { recursive: true });
  }
  if (wrong.length > 0) throw new Error(`${recorded}:\n${wrong.join('\n')}`);
}

try {
  if (process.argv[2] === '--check') check(...process.argv.slice(3, 5));
  else {
    const [results, recorded, plots, ...names] = process.argv.slice(2);
    record(results, recorded, plots, names);
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
