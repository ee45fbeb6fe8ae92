/** A notification from one process to the others that share its database. */
export type Signal =
  /** A payment was captured. */
  | { readonly kind: 'captured' }
  /**
   * Payments were decided. They are named by the last characters of their keys (see {@link shortKey}); undefined when they
   * are too many to name or not known.
   */
  | { readonly kind: 'concluded'; readonly payments: readonly string[] | undefined }

/**
 * Notifications between processes that share a ledger: they may come too often and may be missed, so correctness must not
 * depend on them.
 */
export interface Signals {
  /** Notifies the other processes; never rejects. */
  publish(signal: Signal): Promise<void>
  /** Calls the listener for each signal of another process, until the returned function is called. */
  subscribe(listener: (signal: Signal) => void): () => void
}

/**
 * The end of a payment's key, taken from its nonce: if two payments have the same end, one extra read of the ledger is the
 * only effect.
 */
export function shortKey(key: string): string {
  return key.slice(-12)
}
