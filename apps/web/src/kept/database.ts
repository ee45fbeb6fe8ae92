import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { Draft } from './draft.ts'
import type { KeptRun } from './kept-run.ts'
import type { Order } from './order.ts'

/** All that this browser keeps. */
interface Kept extends DBSchema {
  orders: { key: string; value: Order; indexes: { 'by-time': number } }
  runs: { key: string; value: KeptRun; indexes: { 'by-time': number } }
  drafts: { key: string; value: Draft; indexes: { 'by-time': number } }
  /** By name: what else there is. */
  kept: { key: string; value: string }
}

const VERSION = 2

let opened: Promise<IDBPDatabase<Kept>> | undefined

/** Opens what this browser keeps, once. */
export function openDatabase(): Promise<IDBPDatabase<Kept>> {
  opened ??= openDB<Kept>('farebox', VERSION, {
    upgrade(database, before) {
      if (before < 1) {
        database.createObjectStore('orders', { keyPath: 'job_id' }).createIndex('by-time', 'created_at')
        database.createObjectStore('kept')
      }
      database.createObjectStore('runs', { keyPath: 'run_id' }).createIndex('by-time', 'created_at')
      database.createObjectStore('drafts', { keyPath: 'draft_id' }).createIndex('by-time', 'changed_at')
    },
    // Another tab has a newer version of the pages: it must not wait for this one.
    blocking: () => void opened?.then(database => database.close()),
  })
  return opened
}

const TOLD = { orders: 'farebox-orders', runs: 'farebox-runs', drafts: 'farebox-drafts' } as const
const channels = new Map<string, BroadcastChannel>()

/** Tells the other tabs, and this one, that something kept has changed. */
export function tellChange(store: keyof typeof TOLD, key: string): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = channels.get(store) ?? new BroadcastChannel(TOLD[store])
  channels.set(store, channel)
  channel.postMessage(key)
}

/** Listens to changes of a store, by whichever tab; resolves to what ends it. */
export function watchChanges(store: keyof typeof TOLD, tell: (key: string) => void): () => void {
  const listener = new BroadcastChannel(TOLD[store])
  listener.addEventListener('message', event => tell(String(event.data)))
  return () => listener.close()
}
