import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const name = 'service-worker.js';
const hashed = (algorithm, bytes, form) => createHash(algorithm).update(bytes).digest(form);

/** Whether a file is a module of the package with SIMD, or without; undefined for others, and for the one that is there once. */
function simdOf({ names = [] }) {
  const module = names.map((one) => one.match(/^tamis[a-z-]*\.wasm$/)?.[0]).find(Boolean);
  return module === 'tamis-model.wasm' ? undefined : module?.includes('-simd');
}

/** Writes beside the built page the script that keeps it in the browser: its files, what they must hash to, and `worker`. */
export default function offline(worker) {
  return {
    name: 'offline',
    apply: 'build',
    enforce: 'post',
    buildStart() {
      this.addWatchFile(worker);
    },
    writeBundle({ dir }, bundle) {
      const files = Object.keys(bundle).filter((file) => file !== name).sort().map((file) => ({
        file, integrity: `sha256-${hashed('sha256', readFileSync(path.join(dir, file)), 'base64')}`, simd: simdOf(bundle[file]),
      }));
      const text = `const files = ${JSON.stringify(files, null, 1)};\n${readFileSync(worker, 'utf8')}`;
      const version = hashed('sha256', text, 'hex').slice(0, 16);
      writeFileSync(path.join(dir, name), `const version = '${version}';\n${text}`);
    },
  };
}
