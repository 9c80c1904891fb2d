// Plain charts as SVG: bars, and panels of lines.

const colours = ['#3465a4', '#c17d11', '#4e9a06', '#75507b', '#cc0000', '#06989a', '#555753', '#c4a000', '#ad5f9b', '#8f5902', '#204a87'];
const colour = (series) => colours[series % colours.length];
const halo = 'paint-order="stroke" stroke="white" stroke-width="3"';
const left = 270, width = 420, bar = 11, gap = 9, top = 54;

const text = (string) => String(string).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Text of an SVG: `rows` are { name, ratios: [number per series] }; a dashed line is drawn at `reference`. */
export function chart(title, series, rows, { reference = 1, digits = 2 } = {}) {
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
  if (reference !== null) {
    const one = x(reference), bottom = height - 24;
    out.push(`<line x1="${one}" y1="${top - 6}" x2="${one}" y2="${bottom}" stroke="#555" stroke-dasharray="3 3"/>`);
    out.push(`<text x="${one}" y="${bottom + 12}" text-anchor="middle">${reference}</text>`);
  }
  let y = top;
  for (const { name, ratios } of rows) {
    out.push(`<text x="${left - 8}" y="${y + (ratios.length * bar) / 2 + 4}" text-anchor="end">${name}</text>`);
    ratios.forEach((ratio, s) => {
      if (Number.isFinite(ratio)) {
        const end = x(ratio);
        out.push(`<rect x="${left}" y="${y}" width="${end - left}" height="${bar - 2}" fill="${colour(s)}"/>`);
        out.push(`<text x="${end + 4}" y="${y + bar - 3}" font-size="9" ${halo}>${ratio.toFixed(digits)}</text>`);
      }
      y += bar;
    });
    y += gap;
  }
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}

// ---- panels of lines

const panel = { width: 330, height: 220, left: 56, right: 14, top: 26, bottom: 40 };

/** The ends of an axis and its marks: powers of ten, or about five round numbers. */
function axis(values, log) {
  const finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  let low = Math.min(...finite), high = Math.max(...finite);
  if (finite.length === 0) [low, high] = log ? [0.1, 1] : [0, 1];
  if (log) {
    const first = Math.floor(Math.log10(low) + 1e-9), last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
    const apart = Math.ceil((last - first) / 6);
    const marks = [];
    for (let power = first; power <= last; power += apart) marks.push(10 ** power);
    return { log, low: 10 ** first, high: 10 ** last, marks };
  }
  const rough = (high - low || Math.abs(high) || 1) / 5, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  low = Math.floor(low / step + 1e-9) * step;
  high = Math.max(low + step, Math.ceil(high / step - 1e-9) * step);
  const marks = [];
  for (let value = low; value <= high + step / 2; value += step) marks.push(Number(value.toPrecision(12)));
  return { log, low, high, marks };
}

const place = ({ log, low, high }, value) =>
  log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);

/** A mark as text: powers of ten that are far from 1 as 1e5. */
const label = (value) => (value !== 0 && (Math.abs(value) >= 1e4 || Math.abs(value) < 1e-3)
  ? value.toExponential(0).replace('+', '') : String(value));

/**
 * Text of an SVG of panels, `columns` beside each other. A panel is { title, x, y, series } with axes { label, log } and
 * series { name, points: [[x, y]], circle }: `circle` is the number of the point to mark. Series of one name have one
 * colour in all panels.
 */
export function lines(title, panels, columns) {
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const legend = 34, rows = Math.ceil(panels.length / columns), perRow = Math.max(1, Math.floor((columns * panel.width) / 190));
  const top = legend + 16 * Math.ceil(names.length / perRow);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * panel.width}" height="${top + rows * panel.height}" `,
    'font-family="sans-serif" font-size="10">',
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="12" y="20" font-size="14">${text(title)}</text>`,
  ];
  names.forEach((name, s) => {
    const x = 12 + (s % perRow) * 190, y = legend + 16 * Math.floor(s / perRow);
    out.push(`<line x1="${x}" y1="${y}" x2="${x + 18}" y2="${y}" stroke="${colour(s)}" stroke-width="2.5"/>`);
    out.push(`<text x="${x + 23}" y="${y + 4}" font-size="11">${text(name)}</text>`);
  });
  panels.forEach(({ title: heading, x: across, y: up, series }, number) => {
    const left = (number % columns) * panel.width + panel.left, above = top + Math.floor(number / columns) * panel.height;
    const wide = panel.width - panel.left - panel.right, high = panel.height - panel.top - panel.bottom;
    const points = series.flatMap((one) => one.points);
    const horizontal = axis(points.map(([x]) => x), across.log), vertical = axis(points.map(([, y]) => y), up.log);
    const x = (value) => left + wide * place(horizontal, value);
    const y = (value) => above + panel.top + high * (1 - place(vertical, value));
    out.push(`<text x="${left + wide / 2}" y="${above + 16}" text-anchor="middle" font-size="11">${text(heading)}</text>`);
    for (const mark of horizontal.marks) {
      out.push(`<line x1="${x(mark)}" y1="${above + panel.top}" x2="${x(mark)}" y2="${above + panel.top + high}" stroke="#ddd"/>`);
      out.push(`<text x="${x(mark)}" y="${above + panel.top + high + 13}" text-anchor="middle">${label(mark)}</text>`);
    }
    for (const mark of vertical.marks) {
      out.push(`<line x1="${left}" y1="${y(mark)}" x2="${left + wide}" y2="${y(mark)}" stroke="#ddd"/>`);
      out.push(`<text x="${left - 4}" y="${y(mark) + 3}" text-anchor="end">${label(mark)}</text>`);
    }
    out.push(`<rect x="${left}" y="${above + panel.top}" width="${wide}" height="${high}" fill="none" stroke="#555"/>`);
    out.push(`<text x="${left + wide / 2}" y="${above + panel.top + high + 27}" text-anchor="middle">${text(across.label)}</text>`);
    const middle = above + panel.top + high / 2;
    out.push(`<text x="${left - 40}" y="${middle}" text-anchor="middle" transform="rotate(-90 ${left - 40} ${middle})">${text(up.label)}</text>`);
    for (const { name, points: all, circle } of series) {
      const stroke = colour(names.indexOf(name));
      const drawn = all.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b) && (!across.log || a > 0) && (!up.log || b > 0));
      const path = drawn.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(' ');
      out.push(`<polyline points="${path}" fill="none" stroke="${stroke}" stroke-width="1.5"/>`);
      if (drawn.length <= 12)
        for (const [a, b] of drawn) out.push(`<circle cx="${x(a).toFixed(1)}" cy="${y(b).toFixed(1)}" r="1.8" fill="${stroke}"/>`);
      if (circle !== undefined && all[circle])
        out.push(`<circle cx="${x(all[circle][0]).toFixed(1)}" cy="${y(all[circle][1]).toFixed(1)}" r="5" fill="none" stroke="${stroke}"/>`);
    }
  });
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}
