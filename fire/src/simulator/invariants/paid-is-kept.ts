import { isMovedByUs, wasForgottenInFlight, type Evidence, type Violation } from './verdict.ts'

/**
 * I4: where money moved for a job, its exact response can be had with the same job_id and header. Left out is what was
 * written down as refused while a facilitator had forgotten its transaction on the way.
 */
export function* paidIsKept(evidence: Evidence): Iterable<Violation> {
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
      yield { invariant: 'I4', message: `${key} was charged, and no response was saved for it` }
    for (const job of jobs) {
      const { saved, hasLostWrites, refusedMs } = world.jobs.of(job)
      // Somebody else may use an authorization that we have given up, for better or worse.
      if (hasLostWrites || (!isOurs && refusedMs.has(key))) continue
      if (wasForgottenInFlight(evidence, key, refusedMs.get(key))) continue
      const expected = saved.findLast(({ payment }) => payment === key)?.response
      const probe = probes.find(({ send }) => send.job === job && send.payment === key)
      if (probe === undefined) yield { invariant: 'I4', message: `nobody asked for ${job} again` }
      else if (probe.status !== 200 || probe.text !== expected)
        yield {
          invariant: 'I4',
          message: `${key} was charged for ${job}, which now answers ${probe.status} ${probe.text}`,
        }
    }
  }
}

/** I4: whoever asks gets the same bytes, for as long as they are kept. */
export function* sameBytes({ world }: Evidence): Iterable<Violation> {
  const said = new Map<string, string>()
  for (const { job, payment, text } of world.said.deliveries) {
    const before = said.get(`${job} ${payment}`)
    if (before !== undefined && before !== text && !world.jobs.of(job).hasLostWrites)
      yield { invariant: 'I4', message: `${job} was answered ${before} and ${text}` }
    said.set(`${job} ${payment}`, text)
  }
}
