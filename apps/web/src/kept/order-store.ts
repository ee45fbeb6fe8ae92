import { openDatabase, tellChange, watchChanges } from './database.ts'
import type { Order } from './order.ts'

const MOST_LISTED = 200

/** Writes an order, so that it outlives the page. Resolves when it is kept. */
export async function keepOrder(order: Order): Promise<void> {
  const database = await openDatabase()
  const writing = database.transaction('orders', 'readwrite', { durability: 'strict' })
  await writing.store.put(order)
  await writing.done
  tellChange('orders', order.job_id)
}

/** Changes what is known of an order that is kept. */
export async function updateOrder(jobId: string, change: Partial<Order>): Promise<Order | undefined> {
  const database = await openDatabase()
  const writing = database.transaction('orders', 'readwrite')
  const order = await writing.store.get(jobId)
  if (order === undefined) return undefined
  const changed = { ...order, ...change }
  await writing.store.put(changed)
  await writing.done
  tellChange('orders', jobId)
  return changed
}

/** An order by its job. */
export async function readOrder(jobId: string): Promise<Order | undefined> {
  return await (await openDatabase()).get('orders', jobId)
}

/** The newest orders of this browser. */
export async function listOrders(most = MOST_LISTED): Promise<readonly Order[]> {
  const database = await openDatabase()
  const orders: Order[] = []
  let cursor = await database.transaction('orders').store.index('by-time').openCursor(null, 'prev')
  while (cursor !== null && orders.length < most) {
    orders.push(cursor.value)
    cursor = await cursor.continue()
  }
  return orders
}

/** Tells of orders that change, in this tab or in another; resolves to what ends it. */
export function watchOrders(tell: (jobId: string) => void): () => void {
  return watchChanges('orders', tell)
}
