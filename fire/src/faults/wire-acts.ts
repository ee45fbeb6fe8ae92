import type { Crossing } from './wire.ts'

/** What is done to a crossing. */
export type Act = (crossing: Crossing) => Promise<void> | void

export const HTML = { 'content-type': 'text/html' }
export const BAD_GATEWAY = '<html><body><h1>502 Bad Gateway</h1></body></html>'

/** It has arrived, and was done, when this is called; what the other side hears of it is up to the act. */
export function afterDelivery(act: Act): Act {
  return async crossing => {
    await crossing.deliver()
    await act(crossing)
  }
}
