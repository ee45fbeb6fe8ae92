/** What one process tells the others of its database. */
export type Signal = 'captured' | 'concluded'

/**
 * Notifications between processes that share a ledger: they may come too often and may be missed, so nobody relies on
 * it.
 */
export interface Signals {
  /** Notifies the other processes; never rejects. */
  publish(signal: Signal): Promise<void>
  /** Calls back for each ring of another process, until the returned function is called. */
  subscribe(listener: (signal: Signal) => void): () => void
}
