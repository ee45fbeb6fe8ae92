import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { DependencyWatch } from '../../reputation/watch-dependencies.ts'
import { fairSeconds, secondsLeft } from '../../reputation/fair-deadline.ts'
import { judgeFault } from '../../reputation/judge-fault.ts'
import { sawDependencyOutage } from '../../reputation/dependency-outages.ts'
import { changeJob } from '../records/change-job.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import { readPayerState } from '../quote/read-payer-state.ts'

/**
 * Records who was at fault for a job without a paid delivery. Judges the job once it failed, or expired after a
 * completed send, or was charged without a delivery. The platform's own daily jobs are not judged.
 *
 * Never rejects: a job that could not be judged is judged when it is next driven, and is not counted until then.
 *
 * @returns whether this call found the agent at fault
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
    log.warn('could not judge a failed job', { ...jobFields(job), error: describeError(error) })
    return false
  }
}

/** A charge without a delivery overrides an earlier conclusion. */
function isToBeJudged({ state, fault, firstAskedAtMs, chargedWithoutDelivery }: JobRow): boolean {
  if (chargedWithoutDelivery) return fault !== 'agent'
  return (state === 'failed' || state === 'expired') && fault === undefined && firstAskedAtMs !== undefined
}

async function couldPay(parts: PlatformParts, job: JobRow): Promise<boolean | undefined> {
  const payer = await readPayerState(parts, job.authorization)
  return payer && payer.balanceAtomic >= job.amountAtomic && !payer.isUsed
}
