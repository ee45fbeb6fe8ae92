import type { Evidence, Violation } from './verdict.ts'

/**
 * I7: the ledger is the chain, row by row. Left out is a charge whose row was lost with the ledger's last writes and that
 * no agent asked about again: nothing is left to compare. A row that was set back to an earlier state is not left out.
 */
export function* ledgerIsChain({ world, rows, onChain, relayers }: Evidence): Iterable<Violation> {
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
    if (!rows.has(key) && relayers.has(sender) && !world.forgottenMs.has(key))
      yield { invariant: 'I7', message: `${key} was moved by our ${transaction}, and has no row` }
  }
}
