import { systemClock } from '@farebox/protocol/time/clock'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { SignedOrder } from '../../kept/order.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** An opened job in its current state. */
export interface OpenedJob {
  readonly order: SignedOrder
  /** Undefined when the platform has not answered the order yet, or has rejected it. */
  readonly job: JobAnswer | undefined
}

/**
 * Opens a job and reports it each time it changes. The job is opened by the token in its address, by what this browser keeps
 * of the job or of the run that ordered it, or by the session of its payer. The token is removed from the address bar as
 * soon as it is read.
 *
 * @param runId the run that ordered the job, as named in the address
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

/** The token of the run that ordered the job: from the address, from this history entry, or from this browser's store. */
async function findRunToken(
  given: string | undefined,
  runId: string | undefined,
): Promise<string | undefined> {
  const { readKeptRun } = await import('../../kept/run-store.ts')
  const run = runId === undefined ? undefined : await readKeptRun(runId).catch(() => undefined)
  if (given !== undefined && run === undefined) keepToken(given)
  return given ?? takeKeptToken() ?? run?.run_token
}

/** Reads the fragment: `#t=` is followed by a token of the job, `#r=` by a token of the run that ordered it. */
function takeTokens(): { readonly token: string | undefined; readonly runToken: string | undefined } {
  const [, kind, token] = /^#([tr])=([\w.~-]{1,128})$/.exec(location.hash) ?? []
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return { token: kind === 't' ? token : undefined, runToken: kind === 'r' ? token : undefined }
}

/**
 * Keeps the token in this history entry, because after a reload nothing else opens a run that this browser does not store.
 */
function keepToken(runToken: string): void {
  history.replaceState({ ...(history.state as object | null), runToken }, '')
}

function takeKeptToken(): string | undefined {
  const { runToken } = (history.state ?? {}) as { readonly runToken?: unknown }
  return typeof runToken === 'string' ? runToken : undefined
}

/** An order reconstructed from its job, for a job that was ordered in another browser. */
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
