import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { connectionOf, type ClientOptions } from './exchange/client-options.ts'
import { changeRun, readWhole } from './run/change-run.ts'
import { readHandle, type RunHandle } from './run/run-record.ts'

/**
 * Reads the state of a run. Repeats the request until there is a response, as all functions of this module do.
 *
 * @throws {TypeError} when the handle is invalid, or its URL is not allowed
 * @throws {PlatformRefused} when the run does not exist or the handle does not open it
 * @throws {PlatformUnreachable} when there is no response for ten minutes
 * @example
 * ```ts
 * import { answerRun, readRun } from '@farebox/client/control-run'
 * import type { RunHandle } from '@farebox/client/run/run-record'
 *
 * export async function approveAll(handle: RunHandle): Promise<void> {
 *   for (const one of (await readRun(handle)).waiting)
 *     if (one.for === 'person') await answerRun(handle, one.step, true)
 * }
 * ```
 */
export async function readRun(handle: RunHandle, options: ClientOptions = {}): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await readWhole(connection, readHandle(handle, connection))
}

/** Answers a step that asks a person. Refused when the step does not ask, or no longer does. */
export async function answerRun(
  handle: RunHandle,
  step: string,
  approved: boolean,
  options: ClientOptions = {},
): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/answer', { step, approved })
}

/** Stops ordering jobs for now. Jobs in progress continue and may still be charged. `resumeRun` resumes the run. */
export async function pauseRun(handle: RunHandle, options: ClientOptions = {}): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/pause')
}

/** Stops ordering jobs for good and has unsent payments deleted. Jobs in progress continue and may still be charged. */
export async function cancelRun(handle: RunHandle, options: ClientOptions = {}): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/cancel')
}
