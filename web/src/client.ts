/** The worker, asked for before anything else, so that it starts while the page is built. */
import { createWorkerClient, type WorkerClient } from 'tamis/worker';
import { ReplacedClient } from './replaced-client';
import { hasSimd, hasWebAssembly } from './simd';

export const simd = hasWebAssembly() && hasSimd();
const make = (): WorkerClient => createWorkerClient(undefined, { simd });
export const client = hasWebAssembly() ? new ReplacedClient(make) : null;
