export function byId<T extends Element = HTMLElement>(id: string): T {
  const found = document.querySelector<T>(`#${id}`);
  if (!found) throw new Error(`the page has no element '${id}'`);
  return found;
}

type Attributes = Record<string, string | number>;

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Switches controls off that would do nothing. */
export function switchOff(controls: HTMLElement): void {
  controls.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button, select, textarea').forEach((one) => (one.disabled = true));
}

/** Says in a notice why controls do nothing, and switches them off. */
export function giveUp(notice: HTMLElement, controls: HTMLElement, sentence: string): void {
  notice.textContent = sentence;
  notice.hidden = false;
  switchOff(controls);
}
