import { html } from '../../dom';
import type { Mount } from '../../panel';

export const mount: Mount = (root) => {
  root.append(html('p', { class: 'coming' }, 'A race of solvers is not built yet.'));
  return {};
};
