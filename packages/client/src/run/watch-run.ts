import { runProgress, type RunProgress } from '@farebox/platform-api/flows/runs'
import { sleep } from '@farebox/protocol/time/clock'
import { askUntilAnswered } from '../exchange/ask-platform.ts'
import type { Connection } from '../exchange/client-options.ts'
import { streamEvents } from '../exchange/event-stream.ts'
import { parseAnswerJson } from '../exchange/parse-json.ts'
import { readAnswer } from '../exchange/read-answer.ts'
import { runRequestHeaders, runUrl, type RunHandle } from './run-record.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/**
 * Yields the state of a run, after each change and at intervals, until the consumer stops: from server-sent events, or by
 * polling when there are none. Never ends by itself.
 *
 * @throws {PlatformRefused} when the run does not exist or the handle does not open it
 * @throws {PlatformUnreachable} when there is no response for ten minutes
 * @throws the reason of the caller's signal
 */
export async function* watchRun(connection: Connection, handle: RunHandle): AsyncGenerator<RunProgress> {
  const { clock, signal } = connection
  let lastId: string | undefined
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    try {
      const stream = { url: runUrl(handle, '/events'), headers: runRequestHeaders(handle), lastId }
      for await (const { type, id, data } of streamEvents(connection, stream)) {
        const progress = type === 'run' ? readAnswer(runProgress, parseAnswerJson(data)) : undefined
        if (progress === undefined) continue
        lastId = id
        pauseMs = FIRST_PAUSE_MS
        yield progress
      }
    } catch {
      // Events are optional: polling follows.
      signal?.throwIfAborted()
    }
    yield await readProgress(connection, handle)
    await sleep(clock, pauseMs, signal)
    signal?.throwIfAborted()
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/** Reads the current state of a run. */
export async function readProgress(connection: Connection, handle: RunHandle): Promise<RunProgress> {
  return await askUntilAnswered(connection, {
    method: 'GET',
    url: runUrl(handle),
    headers: runRequestHeaders(handle),
    schema: runProgress,
  })
}
