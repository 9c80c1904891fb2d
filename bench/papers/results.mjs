// What the plots of the papers share: results read from CSV files, tables, and the files written.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];
export const where = (rows, wanted) => rows.filter((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
export const mean = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
export const table = (header, rows) => [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** [[x, mean of `key`]] over the rows with each x. */
export const means = (rows, x, key) => distinct(rows, x).sort((a, b) => a - b).map((at) => [at, mean(where(rows, { [x]: at }), key)]);

/** A sentence about a run, from its .run.json: when, where and by what command, and what its times are worth. */
export function provenance({ command, date, processor, processors, compiler, seconds, threads, load: [before, after] }) {
  const known = before >= 0 && after >= 0, busy = Math.max(before, after) > threads + 0.5;
  const load = known ? `load average ${before} before and ${after} after` : 'load average unknown';
  return `Run on ${date} by \`${command}\`, ${compiler}, ${processor}, ${processors} processor${processors === 1 ? '' : 's'}, in ${seconds} s; ${load}`
    + `${busy ? ': **its times were taken beside other work** and are no more than an order of magnitude' : ''}.`;
}

/** The files of a folder of results. */
export function results(folder) {
  const file = (name) => path.join(folder, name);
  return {
    file,

    /** The lines of a CSV file as objects, numbers as numbers. */
    read(name) {
      if (!existsSync(file(name))) return [];
      const [header, ...rows] = readFileSync(file(name), 'utf8').trim().split('\n').map((line) => line.split(','));
      return rows.map((row) => Object.fromEntries(header.map((key, i) => [key, Number.isNaN(Number(row[i])) ? row[i] : Number(row[i])])));
    },

    /**
     * Writes EXPERIMENT.svg where there is one, EXPERIMENT.md, and summary.md of the .md files that are there; `run`: the
     * experiment whose run it was, where that has another name. `remark` opens the summary.
     */
    write(title, names, experiment, { svg, text, run = experiment }, remark = '') {
      if (svg) writeFileSync(file(`${experiment}.svg`), svg);
      const record = file(`${run}.run.json`);
      const said = existsSync(record) ? `\n${provenance(JSON.parse(readFileSync(record, 'utf8')))}\n` : '';
      writeFileSync(file(`${experiment}.md`), `${text}\n${said}${svg ? `\n![${experiment}](${experiment}.svg)\n` : ''}`);
      const sections = names.filter((name) => existsSync(file(`${name}.md`)));
      writeFileSync(file('summary.md'), `# ${title}\n\n${remark ? `${remark}\n\n` : ''}${sections.map((name) => readFileSync(file(`${name}.md`), 'utf8')).join('\n')}`);
      console.log(`Written to ${folder}: ${svg ? `${experiment}.svg, ` : ''}${experiment}.md, summary.md`);
    },
  };
}
