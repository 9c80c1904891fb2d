/** Copies a link, and says beside the button what it holds. */
import { html } from './dom';

const without = {
  nothing: '',
  parts: ', without the data, which are too large for a link',
  all: ' to this panel alone: what it shows is too large for a link',
};

export async function showShared(status: HTMLElement, link: string, missing: keyof typeof without): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    status.textContent = `Link copied${without[missing]}.`;
  } catch {
    const field = html('input', { type: 'text', readonly: '', 'aria-label': 'Link to this page', value: link });
    status.replaceChildren(`The link to copy${without[missing]}: `, field);
    field.select();
  }
}
