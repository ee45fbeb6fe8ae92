import type { Evidence, Violation } from './verdict.ts'

/** I7: the ledger is the chain, row by row. */
export function* ledgerIsChain({ rows, onChain, relayers }: Evidence): Iterable<Violation> {
  if (rows === undefined) return
  for (const [key, { state, transaction, blockNumber }] of rows) {
    const moved = onChain.get(key)
    if (state === 'held' || state === 'captured' || state === 'submitted')
      yield { invariant: 'I7', message: `the row of ${key} is still ${state}, after its end` }
    else if (state === 'settled' && moved === undefined)
      yield {
        invariant: 'I7',
        message: `the row of ${key} is settled by ${transaction}, and the chain knows nothing`,
      }
    else if (state === 'settled' && moved?.transaction !== transaction)
      yield {
        invariant: 'I7',
        message: `the row of ${key} names ${transaction} in ${blockNumber}, the chain ${moved?.transaction}`,
      }
    else if (state !== 'settled' && moved !== undefined)
      yield {
        invariant: 'I7',
        message: `the row of ${key} is ${state}, and ${moved.transaction} moved its money`,
      }
  }
  for (const { key, sender, transaction } of onChain.values()) {
    // A payment that came to no facilitator may be used by anybody, but not by us.
    if (!rows.has(key) && relayers.has(sender))
      yield { invariant: 'I7', message: `${key} was moved by our ${transaction}, and has no row` }
  }
}
