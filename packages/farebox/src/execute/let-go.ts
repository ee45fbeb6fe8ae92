import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import type { HeldJob } from './keep-leases.ts'
import { PaymentRejected, type ReservedPayment } from './reserve-payment.ts'
import { HandlerOverran } from './run-handler.ts'
import type { Service } from './service.ts'

/**
 * A job that failed is forgotten, so that a retry may run, and its reservation given back: nothing was charged
 * (D24). Nothing of this can make the failure worse, so nothing here throws; what is not done now ends by itself.
 *
 * Left alone: a job that is saved, because its settlement decides. Kept a while: one whose handler is still running.
 */
export async function letGoAfterFailure(
  service: Service,
  held: HeldJob,
  reserved: ReservedPayment | undefined,
  error: unknown,
): Promise<void> {
  const { job } = held
  if (job.state === 'saved' || held.lost.aborted) return
  if (reserved?.hold !== undefined) void service.payments?.gate?.release(reserved.hold)
  if (error instanceof HandlerOverran) return letGoWhenEnded(service, held, error.ended)
  const change = job.state === 'unpaid'
    ? { kind: 'leave', job, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const
    : { kind: 'forget', ...(error instanceof PaymentRejected && { payment: error.paymentKey }) } as const
  await held.letGo(change).catch(() => undefined)
  service.bell.ring(held.holder.jobKey)
}

/**
 * A handler that ran past its deadline goes on running, for nobody: until it ends the job stays held, so that no
 * retry runs beside it (D24, IDM-08). A handler that never ends is given up after twice the longest deadline.
 */
function letGoWhenEnded(service: Service, held: HeldJob, ended: Promise<void>): void {
  const { clock, declaration } = service
  const giveUpMs = 2 * declaration.max_deadline_seconds * 1_000
  const { job } = held
  if (job.state === 'running') void held.keep({ ...job, overran: true }).catch(() => undefined)
  void new Promise<void>(resolve => {
    const cancel = clock.after(giveUpMs, resolve)
    void ended.then(() => {
      cancel()
      resolve()
    })
  }).then(async () => {
    await held.letGo({ kind: 'forget' }).catch(() => undefined)
    service.bell.ring(held.holder.jobKey)
  })
}
