import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { connectionOf, type ClientOptions } from './exchange/client-options.ts'
import { changeRun, readWhole } from './run/change-run.ts'
import { readHandle, type RunHandle } from './run/run-record.ts'

/**
 * The state of a run. Asks again until it is answered, as all functions of this module do.
 *
 * @throws {TypeError} when the handle is none, or its URL is not allowed
 * @throws {PlatformRefused} where there is no such run, or it is not ours
 * @throws {PlatformUnreachable} when no answer came for ten minutes
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

/** Answers a step that asks a person. Refused where it does not, or not any more. */
export async function answerRun(
  handle: RunHandle,
  step: string,
  approved: boolean,
  options: ClientOptions = {},
): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/answer', { step, approved })
}

/** Orders nothing more for now. What is at work goes on, and may still be charged. `resumeRun` goes on. */
export async function pauseRun(handle: RunHandle, options: ClientOptions = {}): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/pause')
}

/** Orders nothing more, for good, and has unsent payments deleted. What is at work goes on, and may still be charged. */
export async function cancelRun(handle: RunHandle, options: ClientOptions = {}): Promise<RunAnswer> {
  const connection = connectionOf(options)
  return await changeRun(connection, readHandle(handle, connection), '/cancel')
}
