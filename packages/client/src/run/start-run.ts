import { runStarted, type RunProgress } from '@farebox/platform-api/flows/runs'
import { askUntilAnswered } from '../exchange/ask-platform.ts'
import type { Connection } from '../exchange/client-options.ts'
import { PlatformUnreachable } from '../exchange/platform-errors.ts'
import { RunUnresolved } from './run-errors.ts'
import type { RunHandle } from './run-record.ts'

/** A run that the platform has accepted. */
export interface AcceptedRun {
  readonly progress: RunProgress
  /** Includes the token that opens it if the platform created one. */
  readonly handle: RunHandle
}

/**
 * Starts a run: repeats the same bytes until the platform responds. However often they arrive, they start the same run.
 *
 * @throws {PlatformRefused} when the platform refuses the run
 * @throws {RunUnresolved} when there is no response, or the caller's signal aborted: it may have been started
 */
export async function startRun(
  connection: Connection,
  handle: RunHandle,
  request: string,
): Promise<AcceptedRun> {
  try {
    const { run_token: token, ...progress } = await askUntilAnswered(connection, {
      method: 'POST',
      url: `${handle.platformUrl}/v1/runs`,
      body: request,
      schema: runStarted,
    })
    return { progress, handle: token === undefined ? handle : { ...handle, token } }
  } catch (error) {
    const isAborted = connection.signal?.aborted === true
    if (!isAborted && !(error instanceof PlatformUnreachable)) throw error
    const why = isAborted ? 'the call was aborted' : (error as Error).message
    throw new RunUnresolved(handle, undefined, `${why}; it may have been started`, { cause: error })
  }
}
