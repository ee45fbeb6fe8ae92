import { randomUUID } from 'node:crypto'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import type { Signal, Signals } from '../signals.ts'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { readSignal, writeSignal } from './signal-payload.ts'

const RECONNECT_MS = 1_000

/** The arguments of `pg_notify` that send a signal to the other processes: channel and payload. */
export type NotifyQuery = (signal: Signal) => readonly [channel: string, payload: string]

/**
 * {@link Signals} over LISTEN and NOTIFY, on a connection of its own that is reopened when it breaks.
 */
export function createPostgresSignals(
  { schema, query }: Database,
  connectionString: string,
  clock: Clock,
): Signals & { readonly notify: NotifyQuery; close(): Promise<void> } {
  const channel = `${schema}_signals`
  const self = randomUUID()
  const notify: NotifyQuery = signal => [channel, writeSignal(self, signal)]
  const listeners = new Set<(signal: Signal) => void>()
  const tell = (signal: Signal): void => {
    for (const listener of listeners) listener(signal)
  }
  const closing = new AbortController()
  const listening = (async () => {
    while (!closing.signal.aborted) {
      await listen(
        { connectionString, channel, signal: closing.signal },
        {
          // Notifications sent while there was no listening connection are lost.
          onListening: () => tell({ kind: 'concluded', payments: undefined }),
          onPayload(payload) {
            const signal = readSignal(self, payload)
            if (signal !== undefined) tell(signal)
          },
        },
      )
      await sleep(clock, RECONNECT_MS, closing.signal)
    }
  })()
  return {
    notify,
    async publish(signal) {
      try {
        await query('publish', 'select pg_notify($1, $2)', notify(signal))
      } catch {
        // The other processes read the ledger at intervals anyway.
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closing.abort()
      await listening
    },
  }
}

/** Listens until the connection breaks or `signal` aborts; never rejects. */
async function listen(
  { connectionString, channel, signal }: { connectionString: string; channel: string; signal: AbortSignal },
  { onListening, onPayload }: { onListening: () => void; onPayload: (payload: string) => void },
): Promise<void> {
  const client = new pg.Client({
    connectionString,
    application_name: 'farebox-facilitator-signals',
    keepAlive: true,
  })
  const broken = new Promise<void>(resolve => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  client.on('notification', message => onPayload(message.payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${channel}`)
    onListening()
    await broken
    await client.end()
  } catch {
    // The next attempt, or the regular reads of the ledger, make up for it.
  }
}
