// Square matrices as SVG, each with bars over its rows.

const side = 300, bars = { width: 330, height: 135 }, gap = 46, top = 50;
const text = (string) => String(string).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * One row of the picture for each of `panels`: { title, entries: [[row, column, value]] counted from 1, bars: [{ label,
 * values }] }. Positive entries are blue, negative ones red, the darker the larger.
 */
export function matrices(title, size, panels) {
  const width = 40 + side + panels[0].bars.length * (bars.width + gap), height = top + panels.length * (side + gap);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="10">`,
    '<rect width="100%" height="100%" fill="white"/>', `<text x="12" y="20" font-size="14">${text(title)}</text>`];
  const cell = side / size, dot = Math.max(cell, 1.6);
  panels.forEach(({ title: heading, entries, bars: rows }, p) => {
    const x = 30, y = top + p * (side + gap), most = Math.max(...entries.map(([, , value]) => Math.abs(value)), 1e-300);
    out.push(`<text x="${x}" y="${y - 6}" font-size="11">${text(heading)}, ${entries.length} nonzeros</text>`);
    for (const [row, column, value] of entries) {
      const depth = (0.15 + 0.85 * Math.sqrt(Math.abs(value) / most)).toFixed(2);
      out.push(`<rect x="${(x + (column - 1) * cell).toFixed(2)}" y="${(y + (row - 1) * cell).toFixed(2)}" width="${dot.toFixed(2)}" `
        + `height="${dot.toFixed(2)}" fill="${value > 0 ? '#3465a4' : '#cc0000'}" fill-opacity="${depth}"/>`);
    }
    out.push(`<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="none" stroke="#555"/>`);
    for (const mark of [1, size]) {
      out.push(`<text x="${x - 4}" y="${y + (mark - 0.5) * cell + 3}" text-anchor="end">${mark}</text>`);
      out.push(`<text x="${x + (mark - 0.5) * cell}" y="${y + side + 12}" text-anchor="middle">${mark}</text>`);
    }
    rows.forEach(({ label, values }, b) => {
      const left = x + side + gap + b * (bars.width + gap), below = y + bars.height, high = Math.max(...values, 1e-300);
      out.push(`<text x="${left}" y="${y - 6}" font-size="11">${text(label)}</text>`);
      values.forEach((value, j) => {
        if (value > 0)
          out.push(`<rect x="${(left + (j * bars.width) / size).toFixed(2)}" y="${(below - (bars.height * value) / high).toFixed(2)}" `
            + `width="${Math.max(0.8, (0.8 * bars.width) / size).toFixed(2)}" height="${((bars.height * value) / high).toFixed(2)}" fill="#3465a4"/>`);
      });
      const largest = values.indexOf(Math.max(...values));
      out.push(`<line x1="${left}" y1="${below}" x2="${left + bars.width}" y2="${below}" stroke="#555"/>`);
      out.push(`<text x="${left + ((largest + 0.5) * bars.width) / size}" y="${below + 12}" text-anchor="middle">${largest + 1}</text>`);
      out.push(`<text x="${left - 4}" y="${y + 8}" text-anchor="end">${high.toPrecision(2)}</text>`);
    });
  });
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}
