/** Numbers as the page shows them. */
export const count = (n: number) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
export const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)} %`;

/** At most three significant digits, without an exponent. */
export function short(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x))));
  return x.toFixed(Math.min(decimals, 9));
}

/** A relative gap as two significant digits of per cent, rounded up: a certificate must not promise more than it holds. */
export function certificate(gap: number): string {
  if (!Number.isFinite(gap)) return '–';
  const value = 100 * gap;
  if (value < 0.001) return '0.001 %'; // near the rounding of single precision
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  const decimals = Math.max(0, -Math.round(Math.log10(unit)));
  return `${(Math.ceil(value / unit - 1e-9) * unit).toFixed(decimals)} %`;
}

/** A C identifier made of a title, as the tamis command makes one of a file's name. */
export function identifier(title: string): string {
  const name = title.replace(/[^A-Za-z0-9]/g, '_');
  return name === '' || /^\d/.test(name) ? `model_${name}` : name;
}

export const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
export const signed = (x: number) => (x < 0 ? `−${short(-x)}` : `+${short(x)}`);
export const milliseconds = (time: number) => (time < 10 ? time.toFixed(1) : count(Math.round(time)));
