import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { DependencyWatch } from '../../reputation/watch-dependencies.ts'
import { fairSeconds, secondsLeft } from '../../reputation/fair-deadline.ts'
import { judgeFault } from '../../reputation/judge-fault.ts'
import { sawDependencyOutage } from '../../reputation/dependency-outages.ts'
import { changeJob } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import { readPayerState } from '../quote/read-payer-state.ts'

/**
 * Writes down whose fault it was that a job came to nothing, once there is something to be judged: it failed, or it
 * expired and a sending was seen to its end, or it was charged without a delivery. The platform's own daily jobs count
 * neither way, and are not judged.
 *
 * Never rejects: who is not judged now is judged when the job is next driven, and until then counts neither way.
 *
 * @returns whether the agent was at fault, where that was found now
 */
export async function blameJob(
  parts: PlatformParts,
  job: JobRow,
  outages: Pick<DependencyWatch, 'isAway'>,
): Promise<boolean> {
  if (job.kind !== 'caller' || !isToBeJudged(job)) return false
  const { database, clock, log } = parts
  const { deadline, authorization, maxDeadlineSeconds, orderedAtMs } = job
  const orderLeft = secondsLeft({ deadline, validBefore: Number(authorization.validBefore) }, orderedAtMs)
  try {
    const fault = await judgeFault(
      {
        ...job,
        isPaymentBound: isBoundNonce(authorization.nonce),
        isOrderFair: orderLeft >= fairSeconds(maxDeadlineSeconds),
      },
      {
        sawDependencyOutage: async () =>
          (await outages.isAway()) || (await sawDependencyOutage(database, orderedAtMs, clock.nowMs())),
        couldPay: () => couldPay(parts, job),
      },
    )
    await changeJob(database, job, clock.nowMs(), () => ({ fault }))
    return fault === 'agent'
  } catch (error) {
    log.warn('a job that came to nothing was not judged', { job: job.jobId, error: describeError(error) })
    return false
  }
}

/** A charge without a delivery outweighs what was concluded before it was known. */
function isToBeJudged({ state, fault, firstAskedAtMs, chargedWithoutDelivery }: JobRow): boolean {
  if (chargedWithoutDelivery) return fault !== 'agent'
  return (state === 'failed' || state === 'expired') && fault === undefined && firstAskedAtMs !== undefined
}

async function couldPay(parts: PlatformParts, job: JobRow): Promise<boolean | undefined> {
  const payer = await readPayerState(parts, job.authorization)
  return payer && payer.balanceAtomic >= job.amountAtomic && !payer.isUsed
}
