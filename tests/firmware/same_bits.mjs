// node same_bits.mjs MODULE.wasm: prints the number of each of the same-bits problems, as same_bits.cpp does.
import { readFile } from 'node:fs/promises';

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const { _initialize, tamis_same_bits_count: count, tamis_same_bits_hash: hash } = instance.exports;
_initialize?.();
for (let problem = 0; problem < count(); ++problem) {
  const number = BigInt.asUintN(64, hash(problem));
  console.log(`${String(problem).padStart(2, '0')} ${number.toString(16).padStart(16, '0')}`);
  if (number === 0n) process.exitCode = 1;
}
