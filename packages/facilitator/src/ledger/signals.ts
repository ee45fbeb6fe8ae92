/** What one process tells the others of its database. */
export type Signal = 'captured' | 'concluded'

/**
 * A bell between processes that share a ledger: it may ring too often and may be missed, so nobody relies on
 * it.
 */
export interface Signals {
  /** Rings the bell in the other processes; never rejects. */
  publish(signal: Signal): Promise<void>
  /** Calls back for each ring of another process, until the returned function is called. */
  subscribe(listener: (signal: Signal) => void): () => void
}
