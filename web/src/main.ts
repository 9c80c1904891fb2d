import { client, simd } from './client'; // first
import { byId } from './dom';
import { keepPage } from './offline';
import { mount as draw } from './panels/draw';
import { Shell } from './shell';

// A worker starts only while this thread is free, and loads its module while the panel is built, which waits a tenth of a second at most.
const started = client && Promise.race([client.started, new Promise((resolve) => setTimeout(resolve, 100))]);
const shell = new Shell(client, {
  draw: async () => (await started, { mount: draw }), // in sight before anything is chosen
  table: () => import('./panels/table'),
  plane: () => import('./panels/plane'),
  race: () => import('./panels/race'),
  bench: () => import('./panels/bench'),
  home: () => import('./panels/home'),
});
if (client) byId('engine').textContent = `WebAssembly, ${simd ? 'SIMD' : 'base'}`;
shell.start();
client?.ready.then(keepPage, () => {}); // not before what the page needs first is there
