/** Has the browser keep the built page, so that it works without a network from the second visit on (plugins/service-worker.js). */
export async function keepPage(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  try {
    if (serviceWorker.controller) await (await serviceWorker.getRegistration())?.update(); // browsers would wait for a while
    else await serviceWorker.register('./service-worker.js', { updateViaCache: 'none' });
  } catch (error) {
    console.info(error); // no network, or no room; the page does without
  }
}
