import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { within } from '@farebox/protocol/internal/time/within'
import type { Connection } from './client-options.ts'
import { initOf } from './exchange.ts'

/** A server-sent event. */
export interface StreamedEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

/** A request for an event stream. */
export interface StreamRequest {
  readonly url: string
  /** Default: GET. */
  readonly method?: 'GET' | 'POST'
  readonly body?: string
  readonly headers: { readonly [name: string]: string }
  /** Id of the newest known event: later events are requested. */
  readonly lastId: string | undefined
}

/** Servers send comments while nothing happens: after this long without data the connection counts as broken. */
const SILENT_MS = 45_000
const MAX_EVENT_CHARACTERS = 32 * 1_048_576

/**
 * Reads server-sent events over `fetch`, which can send headers, unlike `EventSource`. Ends when the server ends the stream.
 *
 * @throws {Error} when there is no stream, when it breaks off, or when it is silent for too long
 * @throws the reason of the caller's signal
 */
export async function* streamEvents(
  connection: Connection,
  request: StreamRequest,
): AsyncGenerator<StreamedEvent> {
  const { signal } = connection
  signal?.throwIfAborted()
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const soon = <T extends object>(work: Promise<T>): Promise<T> => withinSilence(connection, stop, work)
  try {
    const body = await openStream(connection, request, { stop, soon })
    const decoder = new TextDecoder()
    let [pieces, characters]: [string[], number] = [[], 0]
    for (;;) {
      const { done, value } = await soon(body.read())
      if (done) return
      const piece = decoder.decode(value, { stream: true })
      pieces.push(piece)
      characters += piece.length
      if (characters > MAX_EVENT_CHARACTERS) throw new Error('an event is too large')
      // A long line arrives in many chunks, and only the last one ends it.
      if (!piece.includes('\n')) continue
      const blocks = pieces.join('').split(/\r?\n\r?\n/)
      const rest = blocks.pop() ?? ''
      pieces = [rest]
      characters = rest.length
      for (const block of blocks) {
        const event = readBlock(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

async function openStream(
  connection: Connection,
  { url, method = 'GET', body, headers, lastId }: StreamRequest,
  {
    stop,
    soon,
  }: { readonly stop: AbortController; readonly soon: <T extends object>(work: Promise<T>) => Promise<T> },
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const since = lastId === undefined ? {} : { 'last-event-id': lastId }
  const sent = { method, headers: { ...headers, accept: 'text/event-stream', ...since } }
  const init = initOf(body === undefined ? sent : { ...sent, body }, stop.signal)
  const answer = await soon(connection.fetch(url, init))
  const type = answer.headers.get('content-type') ?? ''
  if (answer.status !== 200 || !type.startsWith('text/event-stream') || answer.body === null)
    throw new Error(`no events: HTTP ${answer.status}`)
  // Not every browser's stream can be iterated.
  return answer.body.getReader()
}

/** Rejects when the work takes too long, and as soon as the stream is stopped. */
async function withinSilence<T extends object>(
  { clock }: Connection,
  { signal }: AbortController,
  work: Promise<T>,
): Promise<T> {
  const done = await within(clock, SILENT_MS, unlessAborted(work, signal))
  if (done === undefined) throw new Error(`no event for ${SILENT_MS / 1_000} s`)
  return done
}

/** Parses an event by the HTML standard; undefined for a comment, which has no data. */
function readBlock(block: string): StreamedEvent | undefined {
  let id: string | undefined
  let type = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':')
    const name = at === -1 ? line : line.slice(0, at)
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'id') id = value
    else if (name === 'event') type = value
    else if (name === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { id, type, data: data.join('\n') }
}
