// A report as Markdown and as one static page.

const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inline = (text) => escape(text).replace(/`([^`]*)`/g, '<code>$1</code>').replace(/\*\*([^*]*)\*\*/g, '<strong>$1</strong>')
  .replace(/\[([^\]]*)\]\(([^)]*)\)/g, '<a href="$2">$1</a>');

const style = `:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem; text-align: left; } td + td, th + th { text-align: right; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
pre { overflow-x: auto; } .missed { color: #c33; } .met { color: #283; } details { margin: 1rem 0; }`;

export class Document {
  #parts = [];
  files = {};  // SVG by file name

  constructor(title) { this.title = title; }
  heading(text, level = 2) { this.#parts.push({ heading: text, level }); }
  text(text) { this.#parts.push({ text }); }
  list(items) { this.#parts.push({ items }); }
  table(header, rows) { if (rows.length > 0) this.#parts.push({ header, rows: rows.map((row) => row.map(String)) }); }
  /** Written beside the Markdown, and into the page. */
  plot(file, svg) { this.files[file] = svg; this.#parts.push({ file, svg }); }
  /** Markdown that others have written. */
  quote(text) { this.#parts.push({ markdown: text }); }

  markdown() {
    return `# ${this.title}\n\n${this.#parts.map((part) => {
      if (part.heading) return `${'#'.repeat(part.level)} ${part.heading}\n`;
      if (part.text) return `${part.text}\n`;
      if (part.items) return `${part.items.map((item) => `- ${item}`).join('\n')}\n`;
      if (part.header) return `${[part.header, part.header.map(() => '---'), ...part.rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
      if (part.svg) return `![${part.file}](${part.file})\n`;
      return `${part.markdown}\n`;
    }).join('\n')}`;
  }

  html() {
    const cells = (row, tag) => `<tr>${row.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`;
    const parts = this.#parts.map((part) => {
      if (part.heading) return `<h${part.level}>${inline(part.heading)}</h${part.level}>`;
      if (part.text) return `<p>${inline(part.text)}</p>`;
      if (part.items) return `<ul>${part.items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
      if (part.header) return `<table><thead>${cells(part.header, 'th')}</thead><tbody>${part.rows.map((row) => cells(row, 'td')).join('\n')}</tbody></table>`;
      if (part.svg) return `<figure>${part.svg}</figure>`;
      return `<details><summary>As it was written</summary><pre>${escape(part.markdown)}</pre></details>`;
    });
    return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escape(this.title)}</title><style>${style}</style><h1>${escape(this.title)}</h1>\n${parts.join('\n')}\n</html>\n`;
  }
}
