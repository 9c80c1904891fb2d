/** The worker, asked for before anything else, so that it starts while the page is built. */
import { createWorkerClient, type WorkerClient } from 'tamis/worker';
import { hasSimd, hasWebAssembly } from './simd';

export const simd = hasWebAssembly() && hasSimd();
export const client: WorkerClient | null = hasWebAssembly() ? createWorkerClient(undefined, { simd }) : null;
