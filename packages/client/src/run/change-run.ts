import { run as runAnswer, type RunAnswer } from '@farebox/platform-api/flows/runs'
import { askUntilAnswered } from '../exchange/ask-platform.ts'
import type { Connection } from '../exchange/client-options.ts'
import { runHeaders, runUrl, type RunHandle } from './run-record.ts'

/**
 * Tells a run to do something, until there is an answer: each may be told twice.
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
    headers: runHeaders(handle),
    body: JSON.stringify(body),
    schema: runAnswer,
  })
}

/** How a run stands, with its flow and its input. */
export async function readWhole(connection: Connection, handle: RunHandle): Promise<RunAnswer> {
  return await askUntilAnswered(connection, {
    method: 'GET',
    url: runUrl(handle),
    headers: runHeaders(handle),
    schema: runAnswer,
  })
}
