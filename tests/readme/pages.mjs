// The pages of the project, and the blocks of code in them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The pages below a folder, for sources without git. */
function* pagesBelow(root, folder) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!/^(\.|build|node_modules$)/.test(entry.name)) yield* pagesBelow(root, name);
    } else if (name.endsWith('.md')) yield name;
  }
}

/** All pages of the project: the files *.md that git does not ignore. */
export function pagesOf(root) {
  try {
    const given = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.md'], given).split('\0');
    const found = tracked.filter((page) => page && existsSync(path.join(root, page)));
    if (found.length) return found;
  } catch {
    // no git, or no repository
  }
  return [...pagesBelow(root, '')];
}

export const linesOf = (root, page) => readFileSync(path.join(root, page), 'utf8').replace(/\n$/, '').split('\n');

/** The blocks of code of a page's lines: the number of their first line, from 1; the language, null if they are indented; their lines;
 * and the comment in the line before, without its marks. */
export function* blocksOf(lines) {
  const commentAt = (i) => lines[i]?.match(/^<!-- (.*) -->$/)?.[1] ?? '';
  for (let i = 0; i < lines.length; ++i) {
    const [, mark, language] = lines[i].match(/^ {0,3}(`{3,}|~{3,})\s*(.*)$/) ?? [];
    if (mark) {
      const first = i, closing = new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}\\s*$`);
      while (++i < lines.length && !closing.test(lines[i]));
      yield { line: first + 1, language, code: lines.slice(first + 1, i), comment: commentAt(first - 1) };
    } else if (/^ {4}\S/.test(lines[i]) && (i === 0 || lines[i - 1] === '' || commentAt(i - 1))) {
      const first = i;
      while (/^ {4}|^$/.test(lines[i + 1] ?? 'end')) ++i;
      yield { line: first + 1, language: null, code: lines.slice(first, i + 1).filter(Boolean).map((line) => line.slice(4)), comment: commentAt(first - 1) };
    }
  }
}
