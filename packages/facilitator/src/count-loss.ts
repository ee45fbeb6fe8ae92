import type { Log } from '@farebox/server/log'
import type { Conclusion } from './ledger/settlement-ledger.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts and logs a lost payment, where a conclusion means that: it was proven, its job was delivered, a reorganisation
 * undid it, and it can never be made again.
 */
export function countLoss(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  conclusion: Conclusion,
): void {
  if (conclusion.to !== 'failed' || conclusion.lostAtomic === undefined) return
  const { key, failure, lostAtomic } = conclusion
  metrics.paymentsLost.inc()
  metrics.lostAtomic.inc(Number(lostAtomic))
  log.error('a payment is lost: the job was delivered, but a reorganisation removed the transfer', {
    key,
    atomic: lostAtomic,
    ...failure,
  })
}
