import type { RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { PlatformRefused, PlatformUnreachable } from '../exchange/platform-errors.ts'
import { bringPayments, type PaidRun } from './bring-payments.ts'
import { changeRun } from './change-run.ts'
import { findFailure, findQuestion, isAtWork } from './judge-run.ts'
import {
  PaymentNeeded,
  PersonNeeded,
  RunHalted,
  RunStopped,
  RunUnresolved,
  StepFailed,
} from './run-errors.ts'
import type { FlowResult, FollowOptions } from './run-options.ts'
import { readProgress, watchRun } from './watch-run.ts'

/** A run that is being followed. */
export interface FollowedRun extends PaidRun {
  readonly options: Pick<FollowOptions, 'payAgain' | 'onProgress' | 'approve'>
}

/**
 * Follows a run to its end, and sends the payments and answers that it asks for. Once a step has failed nothing more is
 * signed: jobs in progress are awaited, then the failure is reported.
 *
 * @param first its current state
 * @throws {RunHalted} when the run cannot reach its end by itself
 */
export async function followRun(run: FollowedRun, first: RunProgress): Promise<FlowResult> {
  try {
    const done = await attend(run, first)
    if (done !== undefined) return done
    let newest = first
    for await (const progress of watchRun(run.connection, run.handle)) {
      // An event from before the last request may still have been in transit.
      if (progress.changed_at < newest.changed_at) continue
      newest = progress
      const result = await attend(run, progress)
      if (result !== undefined) return result
    }
    throw new TypeError('the watch of a run has ended')
  } catch (error) {
    throw explainEnd(run, error)
  }
}

/** The most consecutive requests to a run without an event. */
const MAX_ROUNDS = 3

/** Sends what the run asks for now. Resolves to the result when the run has ended, to undefined when more is to come. */
async function attend(run: FollowedRun, progress: RunProgress): Promise<FlowResult | undefined> {
  let now: RunProgress | undefined = progress
  for (let round = 0; now !== undefined && round < MAX_ROUNDS; round += 1) {
    run.spending.note(now)
    run.options.onProgress?.(now)
    if (now.status === 'completed') return { output: now.output as JsonObject, run: now, paid: now.paid }
    now = await give(run, now)
  }
  return undefined
}

/** Undefined: there was nothing to send, and the run proceeds by itself. */
async function give(run: FollowedRun, progress: RunProgress): Promise<RunProgress | undefined> {
  const { handle, options } = run
  const { status } = progress
  if (status === 'paused' || status === 'cancelled') throw new RunStopped(handle, progress, status)
  const failure = findFailure(progress, options.payAgain === true)
  if (failure !== undefined) {
    if (isAtWork(progress)) return undefined
    throw new StepFailed(handle, progress, failure)
  }
  try {
    return (await bringPayments(run, progress)) ?? (await answer(run, progress))
  } catch (error) {
    // Jobs in progress may change what is needed, so it is tried again later.
    const isNeeded = error instanceof PaymentNeeded || error instanceof PersonNeeded
    if (isNeeded && isAtWork(progress)) return undefined
    throw error
  }
}

async function answer(run: FollowedRun, progress: RunProgress): Promise<RunProgress | undefined> {
  const { connection, handle, flow, options } = run
  const asked = findQuestion(progress, step => {
    const known = flow.steps[step]
    return known?.kind === 'approval' ? known.question : ''
  })
  if (asked === undefined) return undefined
  if (options.approve === undefined) throw new PersonNeeded(handle, progress, asked)
  const approved = await options.approve(asked)
  try {
    return await changeRun(connection, handle, '/answer', { step: asked.step, approved })
  } catch (error) {
    if (!(error instanceof PlatformRefused)) throw error
    // The previous answer arrived, or another client has answered.
    const now = await readProgress(connection, handle)
    if (now.waiting.some(one => one.for === 'person' && one.step === asked.step)) throw error
    return now
  }
}

/** Converts the error that ended following the run; the run itself continues. */
function explainEnd({ connection: { signal }, handle }: FollowedRun, error: unknown): unknown {
  if (error instanceof RunHalted) return error
  if (signal?.aborted === true)
    return new RunUnresolved(handle, undefined, 'the call was aborted, the run goes on', { cause: error })
  if (error instanceof PlatformUnreachable)
    return new RunUnresolved(handle, undefined, `${error.message}; the run goes on`, { cause: error })
  return error
}
