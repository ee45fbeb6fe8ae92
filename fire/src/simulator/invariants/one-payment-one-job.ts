import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { isMovedByUs, wasForgottenInFlight, type Evidence, type Violation } from './verdict.ts'

/** I1: one authorization pays for at most one job. */
export function* onePaymentOneJob({ world }: Evidence): Iterable<Violation> {
  const jobs = new Map<string, Set<string>>()
  for (const { payment, job } of world.said.deliveries) {
    if (payment === undefined) {
      yield { invariant: 'I1', message: `${job} was delivered without any payment` }
      continue
    }
    jobs.set(payment, (jobs.get(payment) ?? new Set()).add(job))
  }
  for (const [payment, bought] of jobs) {
    if (bought.size > 1) yield { invariant: 'I1', message: `${payment} bought ${[...bought].join(' and ')}` }
  }
}

/**
 * I2: one job_id moves money at most once in its ten minutes. A payment that was refused while a facilitator had forgotten
 * its transaction on the way is not counted: its caller was asked to sign another.
 */
export function* oneJobOneTransfer(evidence: Evidence): Iterable<Violation> {
  for (const [job, { saved, hasLostWrites, refusedMs }] of evidence.world.jobs.all()) {
    // A store that forgot what it was told cannot know that this job was paid before.
    if (hasLostWrites) continue
    const payments = [...new Set(saved.map(({ payment }) => payment))].filter(
      one => isMovedByUs(evidence, one) && !wasForgottenInFlight(evidence, one, refusedMs.get(one)),
    )
    const times = payments.map(payment => evidence.onChain.get(payment)?.minedMs ?? 0)
    const spanMs = Math.max(...times) - Math.min(...times)
    if (payments.length > 1 && spanMs < RESPONSE_KEPT_SECONDS * 1_000)
      yield {
        invariant: 'I2',
        message: `${job} was charged ${payments.length} times: ${payments.join(', ')}`,
      }
  }
}

/** D13: a payment whose nonce names a job buys that job and no other. */
export function* boundIsBound({ world }: Evidence): Iterable<Violation> {
  for (const { payment, job } of world.said.deliveries) {
    const named = payment === undefined ? undefined : world.boundTo.get(payment)
    if (named !== undefined && named !== job)
      yield { invariant: 'I1', message: `${payment} is bound to ${named} and bought ${job}` }
  }
}
