import { systemClock } from '@farebox/protocol/time/clock'
import type { RunAnswer, RunRequest } from '@farebox/platform-api/flows/runs'
import { putUntilAnswered } from '../../orders/put-until-answered.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import { readKeptRun, updateRun } from '../../kept/run-store.ts'
import { answers } from '../../site/answers.ts'
import type { ApiFailure, Ask } from '../../site/ask.ts'
import { seeRun } from './see-run.ts'

/** The outcome of sending a run. */
export interface SentRun {
  readonly run: KeptRun | undefined
  /** Set when the platform refused it. */
  readonly failure?: ApiFailure
}

/**
 * Sends the unsent parts of a kept run: its start with its payments, or payments that were signed later. One tab at a time
 * repeats the same request until it is answered. Resolves to the run as it is then stored.
 *
 * @param tell called for each attempt without an answer
 */
export async function sendKeptRun(
  ask: Ask,
  runId: string,
  tell: () => void,
  signal: AbortSignal,
): Promise<SentRun> {
  return await navigator.locks.request(`farebox-run-${runId}`, { signal }, async () => {
    const run = await readKeptRun(runId)
    if (run === undefined || !hasUnsent(run)) return { run }
    const put = (): Promise<RunAnswer> =>
      run.is_started ? putPayments(ask, run, signal) : putStart(ask, run, signal)
    const answered = await putUntilAnswered(put, { onUnanswered: tell, signal, clock: systemClock })
    const sent = new Set(run.unsent.map(({ job_id: jobId }) => jobId))
    const changed = await updateRun(runId, kept => {
      const unsent = kept.unsent.filter(({ job_id: jobId }) => !sent.has(jobId))
      if (answered.ok)
        return {
          unsent,
          is_started: true,
          max_total: answered.answer.max_total,
          seen: seeRun(answered.answer),
        }
      const { type, message } = answered.failure
      return run.is_started ? { unsent } : { unsent, refusal: { type, sentence: message } }
    })
    return { run: changed, ...(!answered.ok && { failure: answered.failure }) }
  })
}

/** Whether the platform may lack a part of the run. */
export function hasUnsent({ is_started: isStarted, unsent, refusal }: KeptRun): boolean {
  return (!isStarted && refusal === undefined) || unsent.length > 0
}

function putStart(ask: Ask, run: KeptRun, signal: AbortSignal): Promise<RunAnswer> {
  const body: Omit<RunRequest, 'flow'> & Pick<KeptRun, 'flow'> = {
    run_id: run.run_id,
    ...(run.run_token !== undefined && { run_token: run.run_token }),
    flow: run.flow,
    ...(run.flow_id !== undefined && { flow_id: run.flow_id }),
    input: run.input,
    max_total: run.max_total,
    payments: [...run.unsent],
  }
  return ask('/v1/runs', answers.runStarted, { method: 'POST', body, signal })
}

function putPayments(ask: Ask, run: KeptRun, signal: AbortSignal): Promise<RunAnswer> {
  const body = { payments: run.unsent, max_total: run.max_total }
  return ask(`/v1/runs/${run.run_id}/payments`, answers.run, {
    method: 'PUT',
    body,
    headers: tokenOf(run),
    signal,
  })
}

/** The header that opens a run; without a token, the session of its payer opens it. */
export function tokenOf({ run_token: token }: Pick<KeptRun, 'run_token'>): {
  readonly [name: string]: string
} {
  return token === undefined ? {} : { 'run-token': token }
}
