import type { RunAnswer, RunProgress } from '@farebox/platform-api/flows/runs'
import type { KeptRun } from '../../kept/kept-run.ts'
import { readKeptRun, updateRun } from '../../kept/run-store.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'
import { seeRun } from './see-run.ts'
import { hasUnsent, sendKeptRun, tokenOf } from './send-run.ts'
import { follow } from '../../orders/follow.ts'

/** An opened run in its current state. */
export interface OpenedRun {
  /** The run as this browser keeps it; undefined when it does not. */
  readonly kept: KeptRun | undefined
  /** Undefined while the start of the run is unanswered, and when it was refused. */
  readonly run: RunAnswer | undefined
  /** The token that opens the run; undefined when the session of its payer opens it. */
  readonly token: string | undefined
}

/**
 * Opens a run by the token in its address, by the token that this browser keeps, or by the session of its payer. Sends what
 * is still unsent, and reports the run each time it changes, until it has ended.
 *
 * @param given the token in the address
 */
export async function openRun(
  ask: Ask,
  { runId, given }: { readonly runId: string; readonly given: string | undefined },
  tell: (opened: OpenedRun) => void,
  signal: AbortSignal,
): Promise<void> {
  let kept = await readKeptRun(runId)
  if (kept !== undefined && hasUnsent(kept)) {
    const sending = sendKeptRun(ask, runId, () => undefined, signal)
    if (kept.is_started) void sending.catch(() => undefined)
    else {
      tell({ kept, run: undefined, token: kept.run_token })
      kept = (await sending).run
    }
  }
  if (kept?.is_started === false && kept.refusal !== undefined)
    return tell({ kept, run: undefined, token: undefined })
  const token = given ?? kept?.run_token
  const headers = tokenOf({ ...(token !== undefined && { run_token: token }) })
  let run = await ask(`/v1/runs/${encodeURIComponent(runId)}`, answers.run, { headers, signal })
  const see = (progress: RunProgress): void => {
    run = { ...run, ...progress }
    tell({ kept, run, token })
    if (kept === undefined) return
    // Once nothing is unsent, the platform's limit is stored: a higher limit belonging to refused payments does not apply.
    void updateRun(runId, ({ unsent }) => ({
      seen: seeRun(progress),
      ...(unsent.length === 0 && { max_total: progress.max_total }),
    }))
  }
  see(run)
  if (run.ended_at === null) await followRun(ask, { runId, headers }, see, signal)
}

/** A run to follow, and the headers that open it. */
interface FollowedRun {
  readonly runId: string
  readonly headers: { readonly [name: string]: string }
}

/** Reports a run each time it changes, until it has ended, as {@link follow} does. */
async function followRun(
  ask: Ask,
  { runId, headers }: FollowedRun,
  report: (run: RunProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const run = {
    path: `/v1/runs/${runId}`,
    answer: answers.runProgress,
    type: 'run',
    headers,
    isOver: hasEnded,
  }
  await follow(ask, run, report, signal)
}

function hasEnded({ ended_at: endedAt }: RunProgress): boolean {
  return endedAt !== null
}
