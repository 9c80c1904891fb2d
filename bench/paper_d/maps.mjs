// Relevance maps as SVG: samples downwards, kernels across, the darker the more relevant.

const cell = { width: 34, height: 3 }, gap = { across: 56, down: 52 }, left = 44, top = 62;
const text = (string) => String(string).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** `panels` of { title, columns: [{ name, values }] }, values from 0 to 1, `across` of them beside each other. */
export function maps(title, panels, across) {
  const rows = panels[0].columns[0].values.length, high = rows * cell.height, wide = panels[0].columns.length * cell.width;
  const width = Math.max(360, left + across * (wide + gap.across)), height = top + Math.ceil(panels.length / across) * (high + gap.down);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="10">`,
    '<rect width="100%" height="100%" fill="white"/>', `<text x="12" y="20" font-size="14">${text(title)}</text>`];
  panels.forEach(({ title: heading, columns }, number) => {
    const x = left + (number % across) * (wide + gap.across), y = top + Math.floor(number / across) * (high + gap.down);
    out.push(`<text x="${x + wide / 2}" y="${y - 18}" text-anchor="middle" font-size="11">${text(heading)}</text>`);
    columns.forEach(({ name, values }, c) => {
      out.push(`<text x="${x + (c + 0.5) * cell.width}" y="${y - 5}" text-anchor="middle">${text(name)}</text>`);
      values.forEach((value, i) => {
        if (value > 0)
          out.push(`<rect x="${x + c * cell.width}" y="${y + i * cell.height}" width="${cell.width}" height="${cell.height}" fill="black" fill-opacity="${Number(value.toPrecision(3))}"/>`);
      });
    });
    for (let c = 1; c < columns.length; ++c)
      out.push(`<line x1="${x + c * cell.width}" y1="${y}" x2="${x + c * cell.width}" y2="${y + high}" stroke="#bbb" stroke-width="0.5"/>`);
    out.push(`<rect x="${x}" y="${y}" width="${wide}" height="${high}" fill="none" stroke="#555"/>`);
    for (const mark of [1, rows]) out.push(`<text x="${x - 4}" y="${y + (mark - 0.5) * cell.height + 3}" text-anchor="end">${mark}</text>`);
  });
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}
