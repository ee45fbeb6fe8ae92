import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { isMovedByUs, wasForgotten, type Evidence } from './verdict.ts'

// Rules of payments, deliveries and the ledger.

/** I1: one authorization pays for at most one job. */
export function* onePaymentOneJob({ world }: Evidence): Iterable<string> {
  const jobs = new Map<string, Set<string>>()
  for (const { payment, job } of world.said.deliveries) {
    if (payment === undefined) {
      yield `${job} was delivered without any payment`
      continue
    }
    jobs.set(payment, (jobs.get(payment) ?? new Set()).add(job))
  }
  for (const [payment, bought] of jobs) {
    if (bought.size > 1) yield `${payment} bought ${[...bought].join(' and ')}`
  }
}

/**
 * I2: one job_id moves money at most once in its ten minutes. A payment that was refused while a facilitator had forgotten
 * its transaction on the way is not counted: its caller was asked to sign another.
 */
export function* oneJobOneTransfer(evidence: Evidence): Iterable<string> {
  for (const [job, { saved, hasLostWrites, refusedMs }] of evidence.world.jobs.all()) {
    // A store that forgot what it was told cannot know that this job was paid before.
    if (hasLostWrites) continue
    const payments = [...new Set(saved.map(({ payment }) => payment))].filter(
      one => isMovedByUs(evidence, one) && !wasForgotten(evidence, one, refusedMs.get(one)),
    )
    const times = payments.map(payment => evidence.onChain.get(payment)?.minedMs ?? 0)
    const spanMs = Math.max(...times) - Math.min(...times)
    if (payments.length > 1 && spanMs < RESPONSE_KEPT_SECONDS * 1_000)
      yield `${job} was charged ${payments.length} times: ${payments.join(', ')}`
  }
}

/** D13: a payment whose nonce names a job buys that job and no other. */
export function* boundIsBound({ world }: Evidence): Iterable<string> {
  for (const { payment, job } of world.said.deliveries) {
    const named = payment === undefined ? undefined : world.boundTo.get(payment)
    if (named !== undefined && named !== job) yield `${payment} is bound to ${named} and bought ${job}`
  }
}

/** I3: output leaves an agent only after its transfer was in a block. */
export function* proofBeforeOutput({ world, onChain }: Evidence): Iterable<string> {
  for (const { job, payment, isProven, atMs } of world.said.deliveries) {
    // What was in a block, and is not any more, was proven all the same: a loss we accept, and bound.
    if (payment === undefined || world.undone.has(payment)) continue
    if (!isProven) yield `${job} was delivered at ${atMs}, before ${payment} was in a block`
    else if (!onChain.has(payment)) yield `${job} was delivered, but ${payment} is in no block`
  }
}

/**
 * I4: where money moved for a job, its exact response can be had with the same job_id and header. Left out is what was
 * written down as refused while a facilitator had forgotten its transaction on the way.
 */
export function* paidIsKept(evidence: Evidence): Iterable<string> {
  const { world, onChain, probes } = evidence
  const buyers = new Map<string, string[]>()
  for (const [job, { saved, hasLostWrites }] of world.jobs.all()) {
    for (const { payment } of saved.filter(({ isTakenBack }) => hasLostWrites || !isTakenBack))
      buyers.set(payment, [...(buyers.get(payment) ?? []), job])
  }
  for (const { key } of onChain.values()) {
    const isOurs = isMovedByUs(evidence, key)
    const jobs = new Set(buyers.get(key))
    if (isOurs && jobs.size === 0 && !world.meddled.has(key))
      yield `${key} was charged, and no response was saved for it`
    for (const job of jobs) {
      const { saved, hasLostWrites, refusedMs } = world.jobs.of(job)
      // Somebody else may use an authorization that we have given up, for better or worse.
      if (hasLostWrites || (!isOurs && refusedMs.has(key))) continue
      if (wasForgotten(evidence, key, refusedMs.get(key))) continue
      const expected = saved.findLast(({ payment }) => payment === key)?.response
      const probe = probes.find(({ send }) => send.job === job && send.payment === key)
      if (probe === undefined) yield `nobody asked for ${job} again`
      else if (probe.status !== 200 || probe.text !== expected)
        yield `${key} was charged for ${job}, which now answers ${probe.status} ${probe.text}`
    }
  }
}

/** I4: whoever asks gets the same bytes, for as long as they are kept. */
export function* sameBytes({ world }: Evidence): Iterable<string> {
  const said = new Map<string, string>()
  for (const { job, payment, text } of world.said.deliveries) {
    const before = said.get(`${job} ${payment}`)
    if (before !== undefined && before !== text && !world.jobs.of(job).hasLostWrites)
      yield `${job} was answered ${before} and ${text}`
    said.set(`${job} ${payment}`, text)
  }
}

/**
 * I7: the ledger is the chain, row by row. Left out is a charge whose row was lost with the ledger's last writes and that
 * no agent asked about again: nothing is left to compare. A row that was set back to an earlier state is not left out.
 */
export function* ledgerIsChain({ world, rows, onChain, relayers }: Evidence): Iterable<string> {
  if (rows === undefined) return
  for (const [key, { state, transaction, blockNumber }] of rows) {
    const moved = onChain.get(key)
    if (state === 'held' || state === 'captured' || state === 'submitted')
      yield `the row of ${key} is still ${state}, after its end`
    else if (state === 'settled' && moved === undefined)
      yield `the row of ${key} is settled by ${transaction}, and the chain knows nothing`
    else if (state === 'settled' && moved?.transaction !== transaction)
      yield `the row of ${key} names ${transaction} in ${blockNumber}, the chain ${moved?.transaction}`
    else if (state !== 'settled' && moved !== undefined)
      yield `the row of ${key} is ${state}, and ${moved.transaction} moved its money`
  }
  for (const { key, sender, transaction } of onChain.values()) {
    // A payment that came to no facilitator may be used by anybody, but not by us.
    if (!rows.has(key) && relayers.has(sender) && !world.forgottenMs.has(key))
      yield `${key} was moved by our ${transaction}, and has no row`
  }
}
