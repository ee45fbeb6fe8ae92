import { systemClock } from '@farebox/protocol/time/clock'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { SignedOrder } from '../../kept/order.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** A job that was opened, with its current state. */
export interface OpenedJob {
  readonly order: SignedOrder
  /** Undefined: the platform has not answered the order yet, or has rejected it. */
  readonly job: JobAnswer | undefined
}

/**
 * Opens a job by the token of its address, by what this browser keeps of it or of the run that ordered it, or for a payer
 * who is signed in; and reports it each time it changes. The token leaves the address bar as soon as it is read.
 *
 * @param runId the run that ordered it, as the address names it
 */
export async function watchJob(
  ask: Ask,
  { jobId, runId }: { readonly jobId: string; readonly runId: string | undefined },
  report: (opened: OpenedJob) => void,
  signal: AbortSignal,
): Promise<void> {
  const given = takeTokens()
  const [{ orderJournal }, { sendOrder }, { followJob, headersFor, isOver }] = await Promise.all([
    import('../../kept/order-store.ts'),
    import('../../orders/send-order.ts'),
    import('../../orders/follow-job.ts'),
  ])
  const kept = await orderJournal.read(jobId)
  if (kept !== undefined && kept.job === undefined && kept.refusal === undefined) {
    report({ order: kept, job: undefined })
    const access = { ask, journal: orderJournal, clock: systemClock }
    await sendOrder(access, kept, () => undefined, signal)
  }
  const known = await orderJournal.read(jobId)
  const tokens = {
    token: given.token ?? known?.job_token,
    runToken: await findRunToken(given.runToken, runId),
  }
  if (known?.job !== undefined || known?.refusal !== undefined) report({ order: known, job: known.job })
  const see = (job: JobAnswer): void => {
    report({ order: known ?? orderOf(job), job })
    if (known !== undefined) void orderJournal.update(jobId, { job })
  }
  const headers = headersFor(tokens)
  const now = await ask(`/v1/jobs/${encodeURIComponent(jobId)}`, answers.job, { headers, signal })
  see(now)
  if (!isOver(now)) await followJob(ask, { jobId, ...tokens }, see, signal)
}

/** The token of the run that ordered the job: of the address, of this entry of the history, or of this browser. */
async function findRunToken(
  given: string | undefined,
  runId: string | undefined,
): Promise<string | undefined> {
  const { readKeptRun } = await import('../../kept/run-store.ts')
  const run = runId === undefined ? undefined : await readKeptRun(runId).catch(() => undefined)
  if (given !== undefined && run === undefined) keepToken(given)
  return given ?? takeKeptToken() ?? run?.run_token
}

/** `#t=` is followed by a token of the job, `#r=` by one of the run that ordered it. */
function takeTokens(): { readonly token: string | undefined; readonly runToken: string | undefined } {
  const [, kind, token] = /^#([tr])=([\w.~-]{1,128})$/.exec(location.hash) ?? []
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return { token: kind === 't' ? token : undefined, runToken: kind === 'r' ? token : undefined }
}

/** In this entry of the history: after a reload, nothing else opens a run that this browser does not keep. */
function keepToken(runToken: string): void {
  history.replaceState({ ...(history.state as object | null), runToken }, '')
}

function takeKeptToken(): string | undefined {
  const { runToken } = (history.state ?? {}) as { readonly runToken?: unknown }
  return typeof runToken === 'string' ? runToken : undefined
}

/** As much of an order as its job says, for a job that was ordered in another browser. */
function orderOf(job: JobAnswer): SignedOrder {
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
