import { parseJson } from '@farebox/protocol/internal/guards/json'
import { readWebStream } from '@farebox/protocol/internal/body/read-web-stream'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { CheckTimeout } from './check-timeout.ts'
import { NoAnswer } from './verdicts.ts'

/** A request to an agent. */
export interface Outgoing {
  readonly method: string
  /** The path after the base URL: `/execute`. */
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Set for a job request: how long the job may take in addition to the time that a check waits. */
  readonly jobMs?: number
}

/** A completely read response. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `undefined` when it is not JSON. */
  readonly json: unknown
}

/**
 * The part of `fetch` that the kit uses. The signal is separate: the signal of a `Request` has no effect once the request is
 * garbage-collected, and nothing references the request while its answer arrives.
 */
export type FetchLike = (request: Request, init: { readonly signal: AbortSignal }) => Promise<Response>

/** How requests are sent. */
export interface RequestSending {
  readonly baseUrl: string
  readonly fetch: FetchLike
  /** The source of Unix milliseconds and timeouts. */
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly timeout: CheckTimeout
}

/**
 * Sends one request and reads the whole response. A redirect is a response like any other (D37).
 *
 * Throws a `NoAnswer` when there is no response: no rule of the contract allows silence.
 */
export async function sendRequest(sending: RequestSending, outgoing: Outgoing): Promise<Reply> {
  const { timeout } = sending
  const { jobMs } = outgoing
  return jobMs === undefined
    ? await exchange(sending, outgoing, timeout.leftMs())
    : await timeout.apart(() => exchange(sending, outgoing, timeout.leftMs() + jobMs))
}

async function exchange(sending: RequestSending, outgoing: Outgoing, timeoutMs: number): Promise<Reply> {
  const { baseUrl, fetch, signal } = sending
  const aborter = new AbortController()
  const abort = (): void => aborter.abort(signal.reason)
  signal.addEventListener('abort', abort)
  // The machine's clock is used, because a fake clock might never expire.
  const cancel = systemClock.after(timeoutMs, () =>
    aborter.abort(new Error(`nothing for ${Math.ceil(timeoutMs / 1_000)} s`)),
  )
  try {
    const request = new Request(baseUrl + outgoing.path, {
      method: outgoing.method,
      redirect: 'manual',
      ...(outgoing.headers && { headers: outgoing.headers }),
      ...(outgoing.body !== undefined && { body: outgoing.body }),
    })
    const response = await fetch(request, { signal: aborter.signal })
    const text = await readText(response)
    return { status: response.status, headers: response.headers, text, json: parseJson(text) }
  } catch (error) {
    signal.throwIfAborted()
    throw new NoAnswer(`an answer to ${outgoing.method} ${outgoing.path}`, causeOf(error))
  } finally {
    cancel()
    signal.removeEventListener('abort', abort)
  }
}

/** Returns an empty string for a body longer than any reader accepts (D39). */
async function readText(response: Response): Promise<string> {
  const body = await readWebStream(response.body, MAX_RESPONSE_BYTES)
  return typeof body === 'string' ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
}

/** Returns the underlying cause of a `fetch` error, whose own message is only "fetch failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return causeOf(error.cause)
  // For a name with several addresses, each address has its own error; the combined error has no message.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : []
  return first === undefined ? error.message : causeOf(first)
}
