import type { Clock } from '@farebox/protocol/time/clock'
import type { Answer } from '../../answer/answer.ts'
import type { GraceEnd } from '../../grace-end.ts'
import { answerPending, answerSettled } from './answer-job.ts'
import { refuseUnpaid } from '../payment/refused-payment.ts'
import type { SavedResponse } from './save-response.ts'
import type { Service } from '../service/service.ts'

/**
 * Charges for a saved response, and answers: 200 when the transfer is proven, 402 when it definitely failed, 503 while
 * the outcome is unknown (D7, D8). The only place where money moves; it requires a {@link SavedResponse}.
 */
export async function settlePayment(
  { settlements, clock, graceEnd }: Pick<Service, 'settlements' | 'clock' | 'graceEnd'>,
  saved: SavedResponse,
): Promise<Answer> {
  const known = await withinWait(
    { clock, graceEnd, waitMs: settlements.waitMs },
    settlements.resume(saved.held),
  )
  if (known === undefined) return answerPending(saved.jobId)
  if (known.state === 'settled') return answerSettled(known)
  throw refuseUnpaid(known, saved.paymentKey)
}

/**
 * The result of the work; undefined when it takes longer than `waitMs` or the agent has to stop. The work continues in
 * that case.
 */
async function withinWait<T>(
  {
    clock,
    graceEnd,
    waitMs,
  }: { readonly clock: Clock; readonly graceEnd: GraceEnd; readonly waitMs: number },
  work: Promise<T>,
): Promise<T | undefined> {
  let cancel: () => void = () => undefined
  const waitOver = new Promise<undefined>(resolve => {
    const over = (): void => resolve(undefined)
    const cancels = [clock.after(waitMs, over), graceEnd.on(over)]
    cancel = () => cancels.forEach(each => each())
  })
  return await Promise.race([work, waitOver]).finally(cancel)
}
