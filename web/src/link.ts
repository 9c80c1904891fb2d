/** A panel and its state in the fragment of a link: `#draw?1=…`, the version and base64url of deflated JSON. */
import { panels, type PanelName } from './panel';

const version = 1;
/** Characters of a state: longer links are cut short by what they are sent with. */
export const most_characters = 12_000;
const most_bytes = 4_000_000; // unpacked: what a few deflated bytes could otherwise fill


export const isPanel = (name: string): name is PanelName => Object.hasOwn(panels, name);

/** null: there is no such panel. */
export function placeOf(fragment: string): { name: PanelName; version: string | null; code: string | null } | null {
  const [name = '', query] = fragment.replace(/^#/, '').split('?', 2);
  const [digits, code] = query?.split('=', 2) ?? [];
  if (name !== '' && !isPanel(name)) return null;
  return { name: name === '' ? 'draw' : name, version: digits ?? null, code: query === undefined ? null : code ?? '' };
}

export const fragmentOf = (name: PanelName, code: string | null) => (code === null ? `#${name}` : `#${name}?${version}=${code}`);

/** null: this browser cannot deflate. */
export async function pack(state: unknown): Promise<string | null> {
  if (typeof CompressionStream === 'undefined') return null;
  const packed = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Throws an Error with a sentence for the user. */
export async function unpack(given: string | null, code: string): Promise<unknown> {
  if (given !== String(version))
    throw new Error(/^[1-9]\d*$/.test(given ?? '') ? 'This link was made by a later version of the page, and is not understood here.' : damaged);
  if (typeof DecompressionStream === 'undefined') throw new Error('This browser cannot unpack what is in the link.');
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const decode = new TextDecoder('utf-8', { fatal: true });
    let [text, length] = ['', 0];
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if ((length += part.value.length) > most_bytes) throw new Error();
      text += decode.decode(part.value, { stream: true });
    }
    return JSON.parse(text + decode.decode());
  } catch {
    throw new Error(damaged);
  }
}

const damaged = 'What this link holds is damaged or was edited by hand.';
