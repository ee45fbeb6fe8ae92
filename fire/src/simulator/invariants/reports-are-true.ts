import { isMovedByUs, type Evidence, type Violation } from './verdict.ts'

/** What our client says is what an agent said; what our facilitator says of a charge is so. */
export function* reportsAreTrue(evidence: Evidence): Iterable<Violation> {
  yield* reportsOfClients(evidence)
  yield* reportsOfFacilitators(evidence)
}

function* reportsOfClients(evidence: Evidence): Iterable<Violation> {
  const { world } = evidence
  for (const { job, payment, reported, words } of world.words.ofClients) {
    const heard = world.sends.all().filter(send => send.job === job && send.payment === payment)
    const says = (...statuses: readonly number[]): boolean =>
      heard.some(({ seen }) => seen !== undefined && statuses.includes(seen.status))
    const isKept =
      payment === undefined ||
      reported === 'unresolved' ||
      (reported === 'done' && says(200)) ||
      (reported === 'failed' && says(400, 401, 402, 408, 500)) ||
      (reported === 'nothing was paid' && heard.length === 0)
    if (!isKept) yield { invariant: 'CLIENT', message: `our client says ${reported} of ${job}: ${words}` }
  }
  for (const [job, payments] of world.words.signed) {
    if (payments.size > 1)
      yield { invariant: 'CLIENT', message: `our client signed ${payments.size} times for ${job}` }
  }
}

/**
 * Left out are payments whose rows were lost or set back. They are of callers who use one payment for two purposes, or
 * charge what they gave back, and a ledger cannot hold against them what it has forgotten; whether a payment bought two
 * jobs at agents is judged by what those delivered.
 */
function* reportsOfFacilitators(evidence: Evidence): Iterable<Violation> {
  const { world, onChain } = evidence
  const settledFor = new Map<string, string>()
  for (const { payment, binding, reported, reason, isLast } of world.words.ofFacilitators) {
    if (world.undone.has(payment) || world.setBack.has(payment)) continue
    if (reported === 'settled') {
      const other = settledFor.get(payment)
      settledFor.set(payment, binding)
      if (other !== undefined && other !== binding)
        yield { invariant: 'I1', message: `the facilitator settled ${payment} for two purposes` }
      if (!onChain.has(payment))
        yield { invariant: 'I3', message: `the facilitator says that ${payment} is settled` }
    } else if (isLast && reason !== 'payment_bound_otherwise' && isMovedByUs(evidence, payment))
      yield {
        invariant: 'I5',
        message: `the facilitator says ${reported} of ${payment} (${reason}), and charged it`,
      }
  }
}
