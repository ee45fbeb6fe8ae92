import type { Evidence, Violation } from './verdict.ts'

/** I3: output leaves an agent only after its transfer was in a block. */
export function* proofBeforeOutput({ world, onChain }: Evidence): Iterable<Violation> {
  for (const { job, payment, isProven, atMs } of world.said.deliveries) {
    // What was in a block, and is not any more, was proven all the same: a loss we accept, and bound.
    if (payment === undefined || world.undone.has(payment)) continue
    if (!isProven)
      yield { invariant: 'I3', message: `${job} was delivered at ${atMs}, before ${payment} was in a block` }
    else if (!onChain.has(payment))
      yield { invariant: 'I3', message: `${job} was delivered, but ${payment} is in no block` }
  }
}
