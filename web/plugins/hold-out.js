/**
 * Which samples `tamis train --hold-out FRACTION --seed SEED` would hold out: a fraction of each class, at random.
 * @param {readonly (string | number)[]} labels
 * @param {number} fraction
 * @param {bigint} seed
 */
export function holdOut(labels, fraction, seed) {
  const next = mersenneTwister64(seed);
  /** @type {Map<string, number[]>} */
  const members = new Map();
  labels.forEach((label, i) => {
    const rows = members.get(String(label));
    if (rows) rows.push(i);
    else members.set(String(label), [i]);
  });
  const out = labels.map(() => false);
  for (const label of [...members.keys()].sort()) {
    const rows = members.get(label) ?? [];
    for (let i = rows.length; i > 1; --i) {
      const other = Number(next() % BigInt(i));
      [rows[i - 1], rows[other]] = [rows[other] ?? 0, rows[i - 1] ?? 0];
    }
    for (const row of rows.slice(0, Math.round(fraction * rows.length))) out[row] = true;
  }
  return out;
}

/**
 * The generator std::mt19937_64.
 * @param {bigint} seed
 */
function mersenneTwister64(seed) {
  const n = 312;
  const mask = (1n << 64n) - 1n;
  const state = [seed];
  for (let i = 1; i < n; ++i) {
    const last = state[i - 1] ?? 0n;
    state.push((6364136223846793005n * (last ^ (last >> 62n)) + BigInt(i)) & mask);
  }
  let at = n;
  const twist = () => {
    for (let i = 0; i < n; ++i) {
      const x = (((state[i] ?? 0n) >> 31n) << 31n) | ((state[(i + 1) % n] ?? 0n) & 0x7fffffffn);
      state[i] = (state[(i + 156) % n] ?? 0n) ^ (x >> 1n) ^ (x & 1n ? 0xb5026f5aa96619e9n : 0n);
    }
    at = 0;
  };
  return () => {
    if (at === n) twist();
    let x = state[at++] ?? 0n;
    x ^= (x >> 29n) & 0x5555555555555555n;
    x ^= (x << 17n) & 0x71d67fffeda60000n;
    x ^= (x << 37n) & 0xfff7eee000000000n;
    return (x ^ (x >> 43n)) & mask;
  };
}
