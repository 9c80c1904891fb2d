// The ratios as a plain bar chart.

const colours = ['#3465a4', '#c17d11', '#4e9a06', '#75507b'];
const colour = (series) => colours[series % colours.length];
const halo = 'paint-order="stroke" stroke="white" stroke-width="3"';
const left = 270, width = 420, bar = 11, gap = 9, top = 54;

/** Text of an SVG: `rows` are { name, ratios: [number per series] }. */
export function chart(title, series, rows) {
  const most = Math.max(1.5, ...rows.flatMap((row) => row.ratios.filter(Number.isFinite)));
  const x = (ratio) => Math.round(left + (width * ratio) / most);
  const height = top + rows.length * (series.length * bar + gap) + 24;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" `,
    'font-family="sans-serif" font-size="11">',
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="12" y="20" font-size="14">${title}</text>`,
  ];
  series.forEach((name, s) => {
    const at = left + s * 150;
    out.push(`<rect x="${at}" y="30" width="10" height="10" fill="${colour(s)}"/>`);
    out.push(`<text x="${at + 15}" y="39">${name}</text>`);
  });
  const one = x(1), bottom = height - 24;
  out.push(`<line x1="${one}" y1="${top - 6}" x2="${one}" y2="${bottom}" stroke="#555" stroke-dasharray="3 3"/>`);
  out.push(`<text x="${one}" y="${bottom + 12}" text-anchor="middle">1</text>`);
  let y = top;
  for (const { name, ratios } of rows) {
    out.push(`<text x="${left - 8}" y="${y + (ratios.length * bar) / 2 + 4}" text-anchor="end">${name}</text>`);
    ratios.forEach((ratio, s) => {
      if (Number.isFinite(ratio)) {
        const end = x(ratio);
        out.push(`<rect x="${left}" y="${y}" width="${end - left}" height="${bar - 2}" fill="${colour(s)}"/>`);
        out.push(`<text x="${end + 4}" y="${y + bar - 3}" font-size="9" ${halo}>${ratio.toFixed(2)}</text>`);
      }
      y += bar;
    });
    y += gap;
  }
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}
