/** The worker, asked for before anything else, so that it starts while the page is built. */
import { createWorkerClient, type WorkerClient } from 'tamis/worker';
import { ReplacedClient } from './replaced-client';
import { hasSimd, hasWebAssembly } from './simd';

export const simd = hasWebAssembly() && hasSimd();
/** What the panel trains first that most visits begin with. */
const problems = /^#?(draw|$)/.test(location.hash) ? [{ loss: 'squared-hinge', penalty: 'l1' } as const] : [];
const make = (): WorkerClient => createWorkerClient(undefined, { simd, problems });
export const client = hasWebAssembly() ? new ReplacedClient(make) : null;
