import { html } from '../../dom';
import type { Mount } from '../../panel';

export const mount: Mount = (root) => {
  root.append(html('p', { class: 'coming' }, 'The benchmarks, here is not built yet.'));
  return {};
};
