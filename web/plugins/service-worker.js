// Keeps the built page in the browser, so that it works without a network after the first visit. What is above is written at
// build time: `version`, which tells one build from another, and `files`, [{ file, integrity, simd }].
//
// A version is taken whole or not at all: its files are fetched into a cache of its own, each of which must be the one that was
// built. It waits until no page of the version before is open, so that none gets files of two versions.

const { scope } = registration;
const cache_name = `tamis ${scope} `;
const simd = WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 11, 1, 9, 0, 67, 0, 0,
  0, 0, 253, 19, 11]));
/** Those that this browser asks for. */
const wanted = new Map(files.filter((one) => (one.simd ?? simd) === simd).map((one) => [new URL(one.file, scope).href, one]));
const front = new URL('index.html', scope).href;

addEventListener('install', (event) => event.waitUntil(take()));
addEventListener('activate', (event) => event.waitUntil(begin()));
addEventListener('message', ({ data }) => data === 'take over' && skipWaiting());
addEventListener('fetch', (event) => {
  const { request } = event;
  const address = new URL(request.url);
  address.hash = '';
  if (request.method !== 'GET') return;
  if (request.mode !== 'navigate') {
    if (wanted.has(address.href)) event.respondWith(kept(address.href, request));
    return;
  }
  address.search = '';
  if (address.href !== scope && address.href !== front) return;
  event.respondWith(visit(event));
});

async function take() {
  const taken = await Promise.all([...wanted].map(async ([address, { integrity }]) => {
    // The names of all others change with what they hold.
    const response = await fetch(address, { integrity, cache: address === front ? 'no-cache' : 'default' });
    if (!response.ok) throw new Error(`${address} answers ${response.status}`);
    // Where a visit is answered, browsers refuse what was redirected.
    return [address, response.redirected ? new Response(await response.blob(), { headers: response.headers }) : response];
  }));
  const cache = await caches.open(cache_name + version);
  await Promise.all(taken.map(([address, response]) => cache.put(address, response)));
}

async function begin() {
  await forget((name) => name !== cache_name + version);
  await clients.claim();
}
const forget = async (which) => Promise.all((await caches.keys()).filter((name) => name.startsWith(cache_name) && which(name)).map((name) => caches.delete(name)));

/** From the cache; from the network what a browser has thrown away. */
async function kept(address, request) {
  return (await caches.match(address, { cacheName: cache_name + version })) ?? fetch(request);
}

/** The page. Where it is the only one that is open, and is loaded again, a version that waits takes over. */
async function visit(event) {
  const { request } = event;
  const { waiting } = registration;
  const again = request.isReloadNavigation ?? ['no-cache', 'reload'].includes(request.cache);
  if (waiting && again && (await openPages()).length === 1) {
    waiting.postMessage('take over');
    return new Response(until_then, { headers: { 'content-type': 'text/html' } });
  }
  if (!waiting) event.waitUntil(leaveIfGone());
  return kept(front, request);
}
/** An empty page until the version that waits has begun, which is not before this one rests. */
const until_then = `<!doctype html><meta name="color-scheme" content="light dark"><title>tamis</title><script>
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('controllerchange', () => location.reload());
  serviceWorker.getRegistration().then((registration) => registration?.waiting || location.reload());
</script>`;
const openPages = async () =>
  (await clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(({ url }) => url.startsWith(scope));

/** Where the server has something else by now, the next visit gets that. */
async function leaveIfGone() {
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null); // null: no network
  if (!answer || (answer.ok ? /javascript/.test(answer.headers.get('content-type')) : ![404, 410].includes(answer.status))) return;
  await forget(() => true);
  await registration.unregister();
}
