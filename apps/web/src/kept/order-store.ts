import { openBrowserDatabase, notifyChange, watchChanges } from './database.ts'
import type { SignedOrder, OrderJournal } from './order.ts'

const MOST_LISTED = 200

/** The orders of this browser, in its database. */
export const orderJournal: OrderJournal = {
  async keep(order) {
    const database = await openBrowserDatabase()
    const writing = database.transaction('orders', 'readwrite', { durability: 'strict' })
    await writing.store.put(order)
    await writing.done
    notifyChange('orders', order.job_id)
  },
  async read(jobId) {
    return await (await openBrowserDatabase()).get('orders', jobId)
  },
  async update(jobId, change) {
    const database = await openBrowserDatabase()
    const writing = database.transaction('orders', 'readwrite')
    const order = await writing.store.get(jobId)
    if (order === undefined) return undefined
    const changed = { ...order, ...change }
    await writing.store.put(changed)
    await writing.done
    notifyChange('orders', jobId)
    return changed
  },
  async lock(jobId, work, signal) {
    return await navigator.locks.request(`farebox-order-${jobId}`, { signal }, work)
  },
}

/** The newest orders of this browser. */
export async function listOrders(most = MOST_LISTED): Promise<readonly SignedOrder[]> {
  const database = await openBrowserDatabase()
  const orders: SignedOrder[] = []
  let cursor = await database.transaction('orders').store.index('by-time').openCursor(null, 'prev')
  while (cursor !== null && orders.length < most) {
    orders.push(cursor.value)
    cursor = await cursor.continue()
  }
  return orders
}

/** Reports the orders that change in this tab or another. Returns a function that stops it. */
export function watchOrders(report: (jobId: string) => void): () => void {
  return watchChanges('orders', report)
}
