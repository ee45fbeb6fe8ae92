import type { Log } from '@farebox/server/log'
import { paymentFields, type TracedPayment } from './ledger/payment-fields.ts'
import type { Conclusion } from './ledger/settlement-ledger.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts and logs a lost payment if the conclusion is one: the payment was proven and its job delivered, a reorganisation
 * removed the transfer, and the payment can never be made again.
 */
export function countLoss(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  conclusion: Conclusion,
  payment: TracedPayment,
): void {
  if (conclusion.to !== 'failed' || conclusion.lostAtomic === undefined) return
  const { failure, lostAtomic } = conclusion
  metrics.paymentsLost.inc()
  metrics.lostAtomic.inc(Number(lostAtomic))
  log.error('a payment is lost: the job was delivered, but a reorganisation removed the transfer', {
    ...paymentFields(payment),
    atomic: lostAtomic,
    ...failure,
  })
}
