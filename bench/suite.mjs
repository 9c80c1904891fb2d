// The suite on all targets in turn, again and again: what is compared is measured within the same minutes.
import { NotRun } from './targets.mjs';

/**
 * { documents: { target: [one per round] }, cold: { target: document }, notRun: { target: reason }, failed: { target: reason } }.
 * A target that is not run, or fails, is left out of the rounds that follow. `least`: seconds of each workload and round; `brief`: without the longest solve.
 */
export function measureSuite(targets, { rounds, least, limit, brief = false, say = console.log }) {
  const out = { documents: {}, cold: {}, notRun: {}, failed: {} };
  const attempt = (name, work) => {
    if (out.notRun[name] || out.failed[name]) return;
    try {
      work();
    } catch (error) {
      (error instanceof NotRun ? out.notRun : out.failed)[name] = error.message;
      say(`${name}: ${error instanceof NotRun ? 'not run: ' : 'FAILED: '}${error.message}`);
    }
  };
  for (let round = 0; round < rounds; ++round) {
    say(`Round ${round + 1} of ${rounds}: ${targets.map(({ name }) => name).filter((name) => !out.notRun[name] && !out.failed[name]).join(', ')}`);
    for (const target of targets) {
      attempt(target.name, () => {
        const document = target.measure(least, limit, brief);
        (out.documents[target.name] ??= []).push(document);
      });
    }
  }
  for (const target of targets.filter(({ cold }) => cold)) attempt(target.name, () => { out.cold[target.name] = target.cold(limit, brief); });
  return out;
}
