// The CSV lines of the harnesses as one table of workloads and targets.

/** { targets, workloads }: each workload has name, kind and a run { seconds, checksum } per target. */
export function tabulate(lines) {
  const targets = [], workloads = new Map();
  for (const line of lines) {
    const [target, name, kind, seconds, flops, bytes, checksum] = line.split(',');
    if (!targets.includes(target)) targets.push(target);
    if (!workloads.has(name)) workloads.set(name, { name, kind, flops: Number(flops), bytes: Number(bytes), runs: {} });
    workloads.get(name).runs[target] = { seconds: Number(seconds), checksum };
  }
  return { targets, workloads: [...workloads.values()] };
}

/** One sentence per workload whose results are wrong, are not the same bits on all targets, or that a target lacks. */
export function disagreements({ targets, workloads }) {
  const out = [];
  for (const { name, runs } of workloads) {
    const checksums = targets.map((target) => `${target} ${runs[target]?.checksum ?? 'did not run it'}`);
    const distinct = new Set(targets.map((target) => runs[target]?.checksum));
    if (distinct.size > 1 || distinct.has('0000000000000000')) out.push(`${name}: ${checksums.join(', ')}`);
  }
  return out;
}
