import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { Draft } from './draft.ts'
import type { KeptRun } from './kept-run.ts'
import type { SignedOrder } from './order.ts'

/** The database of this browser. */
interface Kept extends DBSchema {
  orders: { key: string; value: SignedOrder; indexes: { 'by-time': number } }
  runs: { key: string; value: KeptRun; indexes: { 'by-time': number } }
  drafts: { key: string; value: Draft; indexes: { 'by-time': number } }
  /** Other values, by name. */
  kept: { key: string; value: string }
}

const VERSION = 2

let opened: Promise<IDBPDatabase<Kept>> | undefined

/** Opens the database of this browser, once. */
export function openBrowserDatabase(): Promise<IDBPDatabase<Kept>> {
  opened ??= openDB<Kept>('farebox', VERSION, {
    upgrade(database, before) {
      if (before < 1) {
        database.createObjectStore('orders', { keyPath: 'job_id' }).createIndex('by-time', 'created_at')
        database.createObjectStore('kept')
      }
      database.createObjectStore('runs', { keyPath: 'run_id' }).createIndex('by-time', 'created_at')
      database.createObjectStore('drafts', { keyPath: 'draft_id' }).createIndex('by-time', 'changed_at')
    },
    // Another tab has a newer version of the pages and is waiting for this connection to close.
    blocking: () => void opened?.then(database => database.close()),
  })
  return opened
}

const CHANNELS = { orders: 'farebox-orders', runs: 'farebox-runs', drafts: 'farebox-drafts' } as const
const channels = new Map<string, BroadcastChannel>()

/** Notifies all tabs, including this one, of a change in a store. */
export function notifyChange(store: keyof typeof CHANNELS, key: string): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = channels.get(store) ?? new BroadcastChannel(CHANNELS[store])
  channels.set(store, channel)
  channel.postMessage(key)
}

/** Reports changes of a store made in any tab. Returns a function that stops it. */
export function watchChanges(store: keyof typeof CHANNELS, report: (key: string) => void): () => void {
  const listener = new BroadcastChannel(CHANNELS[store])
  listener.addEventListener('message', event => report(String(event.data)))
  return () => listener.close()
}
