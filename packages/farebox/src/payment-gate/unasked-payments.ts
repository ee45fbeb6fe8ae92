/** The payments for which a refusal by the facilitator can be final. */
export interface UnaskedPayments {
  /** Adds a payment that was verified, unless the outcome of an earlier request to settle it is unknown. */
  add(key: string): void
  /** Removes a payment, because its settlement is requested now. Returns whether it was there. */
  take(key: string): boolean
  /** Notes that the outcome of a payment's settlement is known. */
  decide(key: string): void
}

/** How many payments are remembered before and after the request; for older ones only the chain decides the outcome. */
const MAX_REMEMBERED = 10_000

/**
 * The payments that were verified here and for which no settlement was requested yet. For these a refusal can be final,
 * because no earlier settlement request of this or an earlier process can be in progress. A payment is verified again
 * after its request when the store has lost the record of its job.
 */
export function createUnaskedPayments(): UnaskedPayments {
  const unasked = new Set<string>()
  const undecided = new Set<string>()
  return {
    add(key) {
      if (!undecided.has(key)) remember(unasked, key)
    },
    take(key) {
      remember(undecided, key)
      return unasked.delete(key)
    },
    decide: key => void undecided.delete(key),
  }
}

/** Adds a key as the newest, and drops the oldest if there are too many. */
function remember(keys: Set<string>, key: string): void {
  keys.delete(key)
  keys.add(key)
  const [oldest] = keys
  if (keys.size > MAX_REMEMBERED && oldest !== undefined) keys.delete(oldest)
}
