import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { SignedOrder } from '../kept/order.ts'
import type { Ask } from '../site/ask.ts'
import { isOver, type FollowedJob } from './follow-job.ts'
import { sendOrder, type OrderAccess } from './send-order.ts'

/** Reports a job each time it changes, until its state is final. */
export type FollowJob = (
  ask: Ask,
  job: FollowedJob,
  report: (job: JobAnswer) => void,
  signal: AbortSignal,
) => Promise<void>

/**
 * Sends an order unless the platform already has it, then follows its job until the state is final, and writes each new
 * state to the journal.
 *
 * @param on.change called with the order after each new state
 * @param on.unanswered called for each attempt to send the order that was not answered
 */
export async function followOrder(
  access: OrderAccess & { readonly followJob: FollowJob },
  order: SignedOrder,
  on: { readonly change: (order: SignedOrder) => void; readonly unanswered: () => void },
  signal: AbortSignal,
): Promise<void> {
  const sent = await sendOrder(access, order, on.unanswered, signal)
  on.change(sent)
  if (sent.job === undefined || isOver(sent.job)) return
  const write = (job: JobAnswer): void => {
    on.change({ ...sent, job })
    void access.journal.update(sent.job_id, { job })
  }
  const job = { jobId: sent.job_id, token: sent.job_token }
  await access.followJob(access.ask, job, write, signal)
}
