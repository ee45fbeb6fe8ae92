import { run as runAnswer, type RunAnswer } from '@farebox/platform-api/flows/runs'
import { askUntilAnswered } from '../exchange/ask-platform.ts'
import type { Connection } from '../exchange/client-options.ts'
import { runRequestHeaders, runUrl, type RunHandle } from './run-record.ts'

/**
 * Repeats a request to a run until there is a response: each may arrive twice.
 *
 * @param path `/pause`
 * @throws {PlatformRefused | PlatformUnreachable}
 */
export async function changeRun(
  connection: Connection,
  handle: RunHandle,
  path: '/pause' | '/resume' | '/cancel' | '/retry' | '/answer',
  body: object = {},
): Promise<RunAnswer> {
  return await askUntilAnswered(connection, {
    method: 'POST',
    url: runUrl(handle, path),
    headers: runRequestHeaders(handle),
    body: JSON.stringify(body),
    schema: runAnswer,
  })
}

/** Reads the state of a run, with its flow and its input. */
export async function readWhole(connection: Connection, handle: RunHandle): Promise<RunAnswer> {
  return await askUntilAnswered(connection, {
    method: 'GET',
    url: runUrl(handle),
    headers: runRequestHeaders(handle),
    schema: runAnswer,
  })
}
