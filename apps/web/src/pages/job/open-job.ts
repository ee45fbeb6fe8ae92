import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { Order } from '../../kept/order.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** A job that was opened, as it stands. */
export interface OpenedJob {
  readonly order: Order
  readonly job: JobAnswer | undefined
}

/**
 * Opens a job by the token of its address, by what this browser keeps of it or of the run that ordered it, or for a payer
 * who is signed in; and tells of it each time it changes. The token leaves the address bar as soon as it is read.
 *
 * @param runId the run that ordered it, as the address names it
 */
export async function openJob(
  ask: Ask,
  { jobId, runId }: { readonly jobId: string; readonly runId: string | undefined },
  tell: (opened: OpenedJob) => void,
  signal: AbortSignal,
): Promise<void> {
  const given = takeTokens()
  const [{ readOrder, updateOrder }, { readRun }, { sendOrder }, { followJob, headersFor, isOver }] =
    await Promise.all([
      import('../../kept/order-store.ts'),
      import('../../kept/run-store.ts'),
      import('../../orders/send-order.ts'),
      import('../../orders/follow-job.ts'),
    ])
  const kept = await readOrder(jobId)
  if (kept !== undefined && kept.job === undefined && kept.refusal === undefined) {
    tell({ order: kept, job: undefined })
    await sendOrder(ask, kept, () => undefined, signal)
  }
  const known = await readOrder(jobId)
  const ofRun = runId === undefined ? undefined : await readRun(runId).catch(() => undefined)
  const tokens = {
    token: given.token ?? known?.job_token,
    runToken: given.runToken ?? takeKeptToken() ?? ofRun?.run_token,
  }
  if (given.runToken !== undefined && ofRun === undefined) keepToken(given.runToken)
  if (known?.job !== undefined || known?.refusal !== undefined) tell({ order: known, job: known.job })
  const see = (job: JobAnswer): void => {
    tell({ order: known ?? orderOf(job), job })
    if (known !== undefined) void updateOrder(jobId, { job })
  }
  const headers = headersFor(tokens)
  const now = await ask(`/v1/jobs/${encodeURIComponent(jobId)}`, answers.job, { headers, signal })
  see(now)
  if (!isOver(now)) await followJob(ask, { jobId, ...tokens }, see, signal)
}

/** `#t=` is followed by a token of the job, `#r=` by one of the run that ordered it. */
function takeTokens(): { readonly token: string | undefined; readonly runToken: string | undefined } {
  const [, kind, token] = /^#([tr])=([\w.~-]{1,128})$/.exec(location.hash) ?? []
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return { token: kind === 't' ? token : undefined, runToken: kind === 'r' ? token : undefined }
}

/** With this entry of the history: of a run that this browser does not keep nothing else is left after a reload. */
function keepToken(runToken: string): void {
  history.replaceState({ ...(history.state as object | null), runToken }, '')
}

function takeKeptToken(): string | undefined {
  const { runToken } = (history.state ?? {}) as { readonly runToken?: unknown }
  return typeof runToken === 'string' ? runToken : undefined
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
