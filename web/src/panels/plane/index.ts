/** Models that are not linear: in the plane, and with several kernels. */
import type { Mount } from '../../panel';
import { mountKernels } from './kernels';

export const mount: Mount = (root, page) => mountKernels(root, page.client);
