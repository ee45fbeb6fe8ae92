import { readWebStream } from '@farebox/protocol/internal/body/read-web-stream'
import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { AgentUnreachable } from './agent-errors.ts'
import type { Connection, FetchInit } from './client-options.ts'
import { parseAnswerJson } from './parse-json.ts'

/** One request to an agent. */
export interface ExchangeRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** For the whole exchange, the last byte of the answer included. */
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** A whole answer, of any status. Nothing in it is believed yet. */
export interface WholeAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body as it came; empty where there is a `flaw`. */
  readonly text: string
  /** Undefined where there is a `flaw`. */
  readonly json: unknown
  /** Why the body was not read as JSON, in words that follow "the agent's answer": `is not JSON`. */
  readonly flaw: string | undefined
}

/**
 * Sends one request and reads its answer: no redirect followed, no cookie sent, no more bytes taken than
 * allowed.
 *
 * @throws {AgentUnreachable} when no whole answer came in time: the request may have been received or not
 * @throws the reason of the caller's signal when that aborted
 */
export async function exchange(connection: Connection, request: ExchangeRequest): Promise<WholeAnswer> {
  const { clock, signal } = connection
  signal?.throwIfAborted()
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const late = new AgentUnreachable(`no answer within ${request.timeoutMs / 1_000} s`)
  const cancel = clock.after(request.timeoutMs, () => stop.abort(late))
  try {
    // A `fetch` from outside may be slow to notice its signal; the caller is not kept waiting for it.
    return await unlessAborted(send(connection, request, stop.signal), stop.signal)
  } catch (cause) {
    signal?.throwIfAborted()
    throw stop.signal.aborted ? late : new AgentUnreachable('the connection failed', { cause })
  } finally {
    signal?.removeEventListener('abort', onAbort)
    cancel()
  }
}

async function send(
  connection: Connection,
  request: ExchangeRequest,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  const response = await connection.fetch(request.url, initOf(request, signal))
  const answer = { status: response.status, headers: response.headers }
  const flawed = async (flaw: string): Promise<WholeAnswer> => {
    await response.body?.cancel()
    return { ...answer, text: '', json: undefined, flaw }
  }
  // Browsers hide where a redirect leads, and its status too.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    return await flawed('is a redirect, which is not followed')
  }
  if (!isJsonType(response.headers.get('content-type'))) return await flawed('is not JSON')
  const announced = Number(response.headers.get('content-length'))
  if (announced > request.maxBytes) return await flawed(tooLarge(request))
  const body = await readWebStream(response.body, request.maxBytes)
  if (typeof body === 'string') {
    const flaw = body === 'too large' ? tooLarge(request) : 'comes in too many pieces'
    return { ...answer, text: '', json: undefined, flaw }
  }
  const text = new TextDecoder().decode(body)
  const json = parseAnswerJson(text)
  return json === undefined
    ? { ...answer, text: '', json, flaw: 'is not JSON, or nested too deeply' }
    : { ...answer, text, json, flaw: undefined }
}

/** How a request is sent: with nothing of the browser's, and followed nowhere. */
export function initOf(
  { method, headers, body }: Pick<ExchangeRequest, 'method' | 'headers' | 'body'>,
  signal: AbortSignal,
): FetchInit {
  return {
    method,
    headers: { accept: 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
    // A redirect would hand the payment header to a host nobody chose.
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  }
}

function isJsonType(contentType: string | null): boolean {
  return contentType !== null && /^application\/json *(?:;|$)/i.test(contentType)
}

function tooLarge(request: ExchangeRequest): string {
  return `is larger than ${request.maxBytes} bytes`
}
