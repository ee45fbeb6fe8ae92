import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { KeyStore } from '../wallet/test-wallet/test-wallet.ts'
import type { Order } from './order.ts'

interface Schema extends DBSchema {
  orders: { key: string; value: Order; indexes: { 'by-time': number } }
  /** By name: what else this browser keeps. */
  kept: { key: string; value: string }
}

const MOST_LISTED = 200

let opened: Promise<IDBPDatabase<Schema>> | undefined

function open(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>('farebox', 1, {
    upgrade(database) {
      database.createObjectStore('orders', { keyPath: 'job_id' }).createIndex('by-time', 'created_at')
      database.createObjectStore('kept')
    },
  })
  return opened
}

/** Writes an order, so that it outlives the page. Resolves when it is kept. */
export async function keepOrder(order: Order): Promise<void> {
  const database = await open()
  const writing = database.transaction('orders', 'readwrite', { durability: 'strict' })
  await writing.store.put(order)
  await writing.done
  channel?.postMessage(order.job_id)
}

/** Changes what is known of an order that is kept. */
export async function updateOrder(jobId: string, change: Partial<Order>): Promise<Order | undefined> {
  const database = await open()
  const writing = database.transaction('orders', 'readwrite')
  const order = await writing.store.get(jobId)
  if (order === undefined) return undefined
  const changed = { ...order, ...change }
  await writing.store.put(changed)
  await writing.done
  channel?.postMessage(jobId)
  return changed
}

/** An order by its job. */
export async function readOrder(jobId: string): Promise<Order | undefined> {
  return await (await open()).get('orders', jobId)
}

/** The newest orders of this browser. */
export async function listOrders(most = MOST_LISTED): Promise<readonly Order[]> {
  const database = await open()
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
  const listener = new BroadcastChannel('farebox-orders')
  listener.addEventListener('message', event => tell(String(event.data)))
  return () => listener.close()
}

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('farebox-orders')

/** The key of the test wallet, in this browser. */
export const testKeyStore: KeyStore = {
  read: async () => await (await open()).get('kept', 'test-wallet'),
  async write(key) {
    await (await open()).put('kept', key, 'test-wallet')
  },
}
