// What the plots of the papers share: results read from CSV files, tables, and the files written.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];
export const where = (rows, wanted) => rows.filter((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
export const mean = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
export const table = (header, rows) => [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** [[x, mean of `key`]] over the rows with each x. */
export const means = (rows, x, key) => distinct(rows, x).sort((a, b) => a - b).map((at) => [at, mean(where(rows, { [x]: at }), key)]);

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

    /** Writes EXPERIMENT.svg where there is one, EXPERIMENT.md, and summary.md of the .md files that are there. */
    write(title, names, experiment, { svg, text }) {
      if (svg) writeFileSync(file(`${experiment}.svg`), svg);
      writeFileSync(file(`${experiment}.md`), `${text}\n${svg ? `\n![${experiment}](${experiment}.svg)\n` : ''}`);
      const sections = names.filter((name) => existsSync(file(`${name}.md`)));
      writeFileSync(file('summary.md'), `# ${title}\n\n${sections.map((name) => readFileSync(file(`${name}.md`), 'utf8')).join('\n')}`);
      console.log(`Written to ${folder}: ${svg ? `${experiment}.svg, ` : ''}${experiment}.md, summary.md`);
    },
  };
}
