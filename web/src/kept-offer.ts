/** The model that Take home offers, kept for as long as the tab lives: a reload brings it back. */
import type { WorkerClient } from 'tamis/worker';
import type { Offer, PanelName } from './panel';

export type Offered = Offer & { from: PanelName };
const key = 'tamis offer';

/** Keeps what is offered when the page goes. What is too large is not kept, nor is anything where the browser keeps nothing. */
export function keepOnLeaving(offered: () => Offered | null): void {
  addEventListener('pagehide', () => {
    const offer = offered();
    try {
      if (offer) sessionStorage.removeItem(key); // what was offered before it would come back where this one is too large
      if (offer) sessionStorage.setItem(key, JSON.stringify({ ...offer, model: offer.model.toJSON() }));
    } catch (error) {
      console.info(error); // for who looks for the reason
    }
  });
}

/** What was offered before the reload, or null. */
export async function keptOffer(client: Pick<WorkerClient, 'fromJSON'>): Promise<Offered | null> {
  try {
    const text = sessionStorage.getItem(key);
    if (!text) return null;
    const { model, ...offer } = JSON.parse(text) as Omit<Offered, 'model'> & { model: object };
    return { ...offer, model: await client.fromJSON(model) };
  } catch (error) {
    console.info(error);
    return null;
  }
}
