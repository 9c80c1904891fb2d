import { html } from '../../dom';
import type { Mount } from '../../panel';

export const mount: Mount = (root) => {
  root.append(html('p', { class: 'coming' }, 'Training on a table of your own is not built yet.'));
  return {};
};
