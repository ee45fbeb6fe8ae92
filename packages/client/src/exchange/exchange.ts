import { readWebStream } from '@farebox/protocol/internal/body/read-web-stream'
import { writeTraceparent } from '@farebox/protocol/internal/trace/traceparent'
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
  /** For the whole exchange, including the last byte of the response. */
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** A complete response of any status. Its contents are not checked yet. */
export interface WholeAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body as received; empty when there is a `flaw`. */
  readonly text: string
  /** Undefined when there is a `flaw`. */
  readonly json: unknown
  /** Why the body was not read as JSON, as the end of a sentence about "the agent's answer": `is not JSON`. */
  readonly flaw: string | undefined
}

/**
 * Sends one request and reads its response: redirects are not followed, cookies are not sent, and no more bytes than allowed
 * are read.
 *
 * @throws {AgentUnreachable} when there is no complete response in time: the agent may have received the request
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
    // A `fetch` passed by the caller may react slowly to its signal; the caller must not wait for it.
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
  const response = await connection.fetch(request.url, initOf(traced(request, connection.trace), signal))
  const answer = { status: response.status, headers: response.headers }
  const flawed = async (flaw: string): Promise<WholeAnswer> => {
    await response.body?.cancel()
    return { ...answer, text: '', json: undefined, flaw }
  }
  // Browsers hide the target of a redirect, and its status too.
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

/** Requests without a body ask for public documents, which browsers get without asking for permission first. */
function traced(request: ExchangeRequest, trace: Connection['trace']): ExchangeRequest {
  if (trace === undefined || request.body === undefined) return request
  return { ...request, headers: { ...request.headers, traceparent: writeTraceparent(trace) } }
}

/** Request options: nothing from the browser's state is sent, and redirects are not followed. */
export function initOf(
  { method, headers, body }: Pick<ExchangeRequest, 'method' | 'headers' | 'body'>,
  signal: AbortSignal,
): FetchInit {
  return {
    method,
    headers: { accept: 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
    // A redirect would send the payment header to another host.
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
