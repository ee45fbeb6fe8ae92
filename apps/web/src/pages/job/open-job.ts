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
  const given = takeTokens()
  const [{ readOrder, updateOrder }, { sendOrder }, { followJob, headersFor, isOver }] = await Promise.all([
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
  const tokens = { token: given.token ?? known?.job_token, runToken: given.runToken }
  if (known?.job !== undefined || known?.refusal !== undefined) tell({ order: known, job: known.job })
  const see = (job: JobAnswer): void => {
    tell({ order: known ?? orderOf(job), job })
    if (known !== undefined) void updateOrder(jobId, { job })
  }
  const headers = headersFor(tokens)
  const now = await ask<JobAnswer>(`/v1/jobs/${encodeURIComponent(jobId)}`, { headers, signal })
  see(now)
  if (!isOver(now)) await followJob(ask, { jobId, ...tokens }, see, signal)
}

/** `#t=` is followed by a token of the job, `#r=` by one of the run that ordered it. */
function takeTokens(): { readonly token: string | undefined; readonly runToken: string | undefined } {
  const [, kind, token] = /^#([tr])=([\w.~-]{1,128})$/.exec(location.hash) ?? []
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  return { token: kind === 't' ? token : undefined, runToken: kind === 'r' ? token : undefined }
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
