import type { Evidence, Violation } from './verdict.ts'

/** I8: who proves nothing gets nothing, and whoever pays gets only what is theirs. */
export function* onlyPayersGetOutput({ world }: Evidence): Iterable<Violation> {
  for (const { job, isForged, header, payer, seen, caller } of world.sends.all()) {
    if (seen === undefined) continue
    const isRefused = [400, 402].includes(seen.status) || seen.text.includes('shutting down')
    if ((isForged || header === undefined) && !isRefused)
      yield {
        invariant: 'I8',
        message: `${caller} proved nothing and was answered ${seen.status} for ${job}`,
      }
    if (seen.status !== 200 || payer === undefined) continue
    const owners = world.jobs.of(job).saved.map(({ payment }) => payment)
    if (!owners.some(payment => payment.includes(`:${payer}:`)))
      yield { invariant: 'I8', message: `${caller} got the output of ${job}, which somebody else paid for` }
  }
}
