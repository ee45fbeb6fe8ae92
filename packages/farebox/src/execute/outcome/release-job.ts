import { within } from '@farebox/protocol/internal/time/within'
import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { isStale, isTaken } from './recheck-job.ts'
import type { HeldJob } from '../../jobs/renew-leases.ts'
import { OutcomeInDoubt } from './outcome-in-doubt.ts'
import { refused, TAKEN, type Served } from './served.ts'
import { PaymentRejected, type ReservedPayment } from '../payment/reserve-payment.ts'
import { HandlerCutOff } from '../run/run-handler.ts'
import { SaveTakenBack } from './save-response.ts'
import { StillRunning } from '../service/still-running.ts'
import type { Service } from '../service/service.ts'

/**
 * Releases a job that failed. Its record is deleted, so that a retry may run, and its reservation is released: nothing
 * was charged (D24). A saved job is left alone, because its settlement decides. A job whose handler is still running is
 * kept until the handler ends.
 *
 * Resolves to the failure as a refusal when the store confirmed that this process held the job to the end, and to
 * `taken` when another process has the job, whose record then decides. Throws an {@link OutcomeInDoubt} when the store
 * gave no answer. A process that was paused reads the record again first, because a repeat may have been charged since.
 */
export async function releaseAfterFailure(
  service: Service,
  held: HeldJob,
  reserved: ReservedPayment | undefined,
  failure: unknown,
): Promise<Served> {
  if (failure instanceof OutcomeInDoubt) throw failure
  if (held.job.state === 'saved') return refused(failure)
  switch (await releaseJob(service, held, failure)) {
    case 'ours':
      // The reservation is released only now: until the store confirmed the release, it may have belonged to another
      // holder of the same payment.
      if (reserved?.hold !== undefined) void service.payments?.gate?.release(reserved.hold, reserved.terms)
      return refused(failure)
    case 'lost':
      return TAKEN
    case 'unknown':
      throw new OutcomeInDoubt('the job store failed when the job was released', { cause: failure })
  }
}

/** Releases a job whose payment was charged, without a refusal. True when another process has the job. */
export async function releaseQuietly(service: Service, held: HeldJob, failure: unknown): Promise<boolean> {
  const released = await releaseAfterFailure(service, held, undefined, failure).catch(() => undefined)
  return released?.kind === 'taken'
}

/** Who held the job when it was released, according to the store: this process, another one, or unknown. */
type LastWord = 'ours' | 'lost' | 'unknown'

async function releaseJob(service: Service, held: HeldJob, failure: unknown): Promise<LastWord> {
  const { job } = held
  if (held.isLost) return 'lost'
  // The record was taken back when the store failed, which may have taken long.
  if (failure instanceof SaveTakenBack) return await lastWord(isFree(service, held))
  if (failure instanceof HandlerCutOff && job.state === 'running') {
    // The record is kept: its lease ends with this process, and the next caller has the job run again.
    const word = await lastWord(held.isStillHeld())
    if (word !== 'lost') releaseWhenEnded(service, held, failure.ended)
    return word
  }
  if (failure instanceof StillRunning && job.state === 'running') {
    const kept = held.keep({ ...job, overran: true })
    // When the store answers late, the lease may have ended and another process may have the job.
    const word = await lastWord(kept.then(async ours => ours && (await held.isStillHeld())))
    if (word !== 'lost') releaseWhenEnded(service, held, failure.ended)
    return word
  }
  const change =
    job.state === 'unpaid'
      ? ({ kind: 'leave', job, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const)
      : ({
          kind: 'forget',
          ...(failure instanceof PaymentRejected && { payment: failure.paymentKey }),
        } as const)
  const askedMs = service.clock.nowMs()
  const word = await lastWord(held.release(change))
  service.notifier.notify(held.holder.jobKey)
  if (word !== 'ours' || !isStale(service.clock, askedMs)) return word
  return await lastWord(isFree(service, held))
}

async function isFree(service: Service, { holder }: HeldJob): Promise<boolean> {
  return !(await isTaken(service, holder.jobKey))
}

async function lastWord(writing: Promise<boolean>): Promise<LastWord> {
  try {
    return (await writing) ? 'ours' : 'lost'
  } catch {
    // The record stays until its lease ends.
    return 'unknown'
  }
}

/**
 * A handler that runs past its deadline keeps running, although its result is not used: the job stays held until it
 * ends, so that no retry runs beside it (D24, IDM-08). After twice the longest deadline the job is released in any
 * case.
 */
function releaseWhenEnded(service: Service, held: HeldJob, ended: Promise<void>): void {
  const { clock, declaration } = service
  const giveUpMs = 2 * declaration.max_deadline_seconds * 1_000
  // However it ends, the job is released: a gate of the embedder's own may reject after the deadline.
  const settled = ended.catch(() => undefined)
  void within(clock, giveUpMs, settled).then(async () => {
    await held.release({ kind: 'forget' }).catch(() => undefined)
    service.notifier.notify(held.holder.jobKey)
  })
}
