/** The files that a model is taken home as. */
import { identifier } from '../../format';
import type { Offer } from '../../panel';
import { scriptOf } from './javascript';

export interface Exported {
  kind: 'c' | 'arduino' | 'json' | 'javascript';
  file: string;
  text: string;
  type: string;
}

export async function exportsOf({ title, model, selfTest, missingMeans }: Offer): Promise<Exported[]> {
  const name = identifier(title);
  const header = await model.toC(selfTest ? { name, samples: selfTest } : { name });
  const json = model.toJSON();
  if ('weights' in model && selfTest) json.self_test = selfTest.map((row) => model.keptFeatures.map((j) => row[j]!));
  if ('weights' in model && missingMeans)
    Object.assign(json, { preparation: { missing_means: model.keptFeatures.map((j) => missingMeans[j]!), log: null, normalise: null, min_max: null } });
  return [
    { kind: 'c', file: `${name}.h`, text: header, type: 'text/x-c' },
    { kind: 'arduino', file: `${name}.ino`, text: sketch(header, name, json.kind === 'kernels'), type: 'text/x-arduino' },
    { kind: 'json', file: `${name}.json`, text: `${JSON.stringify(json, null, 1)}\n`, type: 'application/json' },
    { kind: 'javascript', file: `${name}.mjs`, text: scriptOf(json), type: 'text/javascript' },
  ];
}

const widths: Record<string, number> = { float: 4, double: 8, 'unsigned char': 1, 'unsigned short': 2, 'unsigned int': 4, int: 4, 'char *const': 4 };

/** Bytes of the tables that a board keeps to predict, by the C header: not those of its self-test. */
export function tableBytes(header: string): number {
  const defined = new Map([...header.matchAll(/^#define (\w+) (\d+)/gm)].map(([, name, value]) => [name!, Number(value)]));
  let bytes = 0;
  for (const [, type, sizes] of header.matchAll(/^static const ([\w *]+?) ?\w+((?:\[\w+\])+) =/gm))
    bytes += [...sizes!.matchAll(/\w+/g)].reduce((product, [size]) => product * (defined.get(size) ?? Number(size)), widths[type!.trim()] ?? 4);
  return bytes;
}

/** As `tamis export --format arduino` writes it. `whole`: of all features, not of those kept. */
export function sketch(header: string, name: string, whole: boolean): string {
  const size = `${name.toUpperCase()}_${whole ? 'FEATURES' : 'KEPT'}`;
  return `${header}
/* Reads the ${whole ? '' : 'kept '}features of one sample, separated by commas or blanks, and prints its class. */
static float ${name}_sample[${size} ? ${size} : 1];

void setup() {
  Serial.begin(115200);
  Serial.println(${name}_self_test() == 0 ? "self-test passed" : "self-test FAILED");
}

void loop() {
  if (!Serial.available()) return;
  for (int j = 0; j < ${size}; ++j) ${name}_sample[j] = Serial.parseFloat();
  while (Serial.available() && Serial.read() != '\\n') {}
  Serial.println(${name}_labels[${name}_predict${whole ? '' : '_kept'}(${name}_sample)]);
}
`;
}
