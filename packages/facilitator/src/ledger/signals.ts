/** Notifications from one process to the others of its database. */
export type Signal =
  /** A payment was captured. */
  | { readonly kind: 'captured' }
  /**
   * Payments were decided: by the last characters of their keys (see {@link shortKey}), undefined where they are too
   * many to name, or where it is not known which were.
   */
  | { readonly kind: 'concluded'; readonly payments: readonly string[] | undefined }

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

/** The end of a payment's key, of its nonce: two payments with the same end cost one look in vain. */
export function shortKey(key: string): string {
  return key.slice(-12)
}
