import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import type { HeldJob } from './keep-leases.ts'
import { PaymentRejected, type ReservedPayment } from './reserve-payment.ts'
import { HandlerOverran } from './run-handler.ts'
import { SaveInDoubt, SaveTakenBack } from './save-response.ts'
import type { Service } from './service.ts'

/**
 * A job that failed is forgotten, so that a retry may run, and its reservation given back: nothing was charged
 * (D24). Nothing of this can make the failure worse, so nothing here throws; what is not done now ends by itself.
 * Resolves to false where the job is another process's by now: its caller is answered by what that process does.
 *
 * Left alone: a job that is saved, because its settlement decides. Kept a while: one whose handler is still running.
 */
export async function letGoAfterFailure(
  service: Service,
  held: HeldJob,
  reserved: ReservedPayment | undefined,
  error: unknown,
): Promise<boolean> {
  if (held.job.state === 'saved' || error instanceof SaveInDoubt) return true
  if (!(await letGo(service, held, error))) return false
  // Only now: until the record said so, the reservation may have been another holder's of the same payment.
  if (reserved?.hold !== undefined) void service.payments?.gate?.release(reserved.hold)
  return true
}

/** A store that cannot be reached leaves the record to its lease; it is ours as far as anybody knows. */
async function letGo(service: Service, held: HeldJob, error: unknown): Promise<boolean> {
  const { job } = held
  if (held.isLost) return false
  if (error instanceof SaveTakenBack) return true
  if (error instanceof HandlerOverran && job.state === 'running') {
    const ours = await held.keep({ ...job, overran: true }).catch(() => true)
    if (ours) letGoWhenEnded(service, held, error.ended)
    return ours
  }
  const change =
    job.state === 'unpaid'
      ? ({ kind: 'leave', job, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const)
      : ({ kind: 'forget', ...(error instanceof PaymentRejected && { payment: error.paymentKey }) } as const)
  const ours = await held.letGo(change).catch(() => true)
  service.bell.ring(held.holder.jobKey)
  return ours
}

/**
 * A handler that ran past its deadline goes on running, for nobody: until it ends the job stays held, so that no
 * retry runs beside it (D24, IDM-08). A handler that never ends is given up after twice the longest deadline.
 */
function letGoWhenEnded(service: Service, held: HeldJob, ended: Promise<void>): void {
  const { clock, declaration } = service
  const giveUpMs = 2 * declaration.max_deadline_seconds * 1_000
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
