import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { Order } from '../../kept/order.ts'
import type { Ask } from '../../site/ask.ts'

/** A job that was opened, as it stands. */
export interface OpenedJob {
  readonly order: Order
  readonly job: JobAnswer | undefined
}

/**
 * Opens a job by the token of its address, by what this browser keeps, or for a payer who is signed in; and tells of it
 * each time it changes. The token leaves the address bar as soon as it is read.
 */
export async function openJob(
  ask: Ask,
  jobId: string,
  tell: (opened: OpenedJob) => void,
  signal: AbortSignal,
): Promise<void> {
  const given = takeToken()
  const [{ readOrder, updateOrder }, { sendOrder }, { followJob, isOver }] = await Promise.all([
    import('../../kept/order-store.ts'),
    import('../../orders/send-order.ts'),
    import('../../orders/follow-job.ts'),
  ])
  const kept = await readOrder(jobId)
  if (kept !== undefined && kept.job === undefined && kept.refusal === undefined) {
    tell({ order: kept, job: undefined })
    await sendOrder(ask, kept, () => undefined, signal)
  }
  const known = await readOrder(jobId)
  const token = given ?? known?.job_token
  if (known?.job !== undefined || known?.refusal !== undefined) tell({ order: known, job: known.job })
  const see = (job: JobAnswer): void => {
    tell({ order: known ?? orderOf(job), job })
    if (known !== undefined) void updateOrder(jobId, { job })
  }
  const headers: { [name: string]: string } = token === undefined ? {} : { 'job-token': token }
  const now = await ask<JobAnswer>(`/v1/jobs/${encodeURIComponent(jobId)}`, { headers, signal })
  see(now)
  if (!isOver(now)) await followJob(ask, { jobId, token }, see, signal)
}

function takeToken(): string | undefined {
  const token = /^#t=([\w.~-]{1,128})$/.exec(location.hash)?.[1]
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  return token
}

/** What can be said of an order that another browser made. */
function orderOf(job: JobAnswer): Order {
  return {
    job_id: job.job_id,
    agent_id: job.agent_id,
    agent_name: job.agent_name,
    capability: job.capability,
    input: {},
    deadline: job.expires_at,
    payment: '',
    amount: job.amount,
    pay_to: job.payment.pay_to,
    payer: job.payer,
    wallet: 'Your wallet',
    usable_until: job.payment.valid_before,
    created_at: job.created_at,
  }
}
