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
 * A job that failed is forgotten, so that a retry may run, and its reservation given back: nothing was charged
 * (D24). Left alone: a job that is saved, because its settlement decides. Kept a while: one whose handler is still
 * running.
 *
 * Resolves to the failure as a refusal, where the store has said that the job was ours to the end; to `taken` where it
 * is another process's by now, which its caller is answered by. Throws an {@link OutcomeInDoubt} where the store did not
 * say. A process that stood still reads the record again first: the job may have been charged by a repeat since.
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
      // Only now: until the record said so, the reservation may have been another holder's of the same payment.
      if (reserved?.hold !== undefined) void service.payments?.gate?.release(reserved.hold, reserved.binding)
      return refused(failure)
    case 'lost':
      return TAKEN
    case 'unknown':
      throw new OutcomeInDoubt('the job store failed when the job was released', { cause: failure })
  }
}

/** Lets go of a job whose payment was charged, so that nothing is refused. True where another process has the job by now. */
export async function releaseQuietly(service: Service, held: HeldJob, failure: unknown): Promise<boolean> {
  const released = await releaseAfterFailure(service, held, undefined, failure).catch(() => undefined)
  return released?.kind === 'taken'
}

/** What the store says of a job that was let go: whose it was. */
type LastWord = 'ours' | 'lost' | 'unknown'

async function releaseJob(service: Service, held: HeldJob, failure: unknown): Promise<LastWord> {
  const { job } = held
  if (held.isLost) return 'lost'
  // Taken back when the store failed: it may have taken its time.
  if (failure instanceof SaveTakenBack) return await lastWord(isFree(service, held))
  if (failure instanceof HandlerCutOff && job.state === 'running') {
    // The record is left: its lease ends with this process, and the next caller has the job run again.
    const word = await lastWord(held.isStillHeld())
    if (word !== 'lost') releaseWhenEnded(service, held, failure.ended)
    return word
  }
  if (failure instanceof StillRunning && job.state === 'running') {
    const kept = held.keep({ ...job, overran: true })
    // Where the answer is late, the lease may be over, and the job another process's.
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
    // The record is left to its lease.
    return 'unknown'
  }
}

/**
 * A handler that ran past its deadline goes on running, for nobody: until it ends the job stays held, so that no
 * retry runs beside it (D24, IDM-08). A handler that never ends is given up after twice the longest deadline.
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
