import { createBodyBuffer } from '@farebox/protocol/internal/body/body-buffer'
import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Dispatcher } from 'undici'
import type { HttpLine } from './http-line.ts'
import { OutboundFailure } from './address/outbound-failure.ts'

/** One HTTP request on an existing connection. */
export interface Spoken {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
  readonly maxBytes: number
}

/** A response whose body has been read completely. */
export interface HttpReply {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

/** Interim responses (1xx) allowed before the final one; more abort the call. */
const MAX_INTERIM_ANSWERS = 8

/**
 * The limit for the bytes on the wire is this factor times the maximum body, plus the allowance. It leaves room for TLS
 * records, chunk sizes, a reason phrase and interim responses. undici does not count these, so without the limit an
 * untrusted host could send until the deadline.
 */
const WIRE_FACTOR = 4
const WIRE_ALLOWANCE_BYTES = 1_024 * 1_024
const WIRE_WATCH_MS = 100

/**
 * Sends one request and reads its whole response, at most `maxBytes` and never decompressed (D37, SSRF-04). Redirects
 * are returned like any other response (SSRF-03). Rejects with an `OutboundFailure`, or with undici's error.
 */
export async function speakHttp(
  line: HttpLine,
  spoken: Spoken,
  clock: Clock,
  signal: AbortSignal,
): Promise<HttpReply> {
  const stopping = new AbortController()
  const stop = (reason: unknown): void => stopping.abort(reason)
  const forward = (): void => stop(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', forward, { once: true })
  const done = new AbortController()
  void watchWire(line, spoken.maxBytes, clock, done.signal).then(
    tooMuch => tooMuch && stop(tooManyBytes('wire')),
  )
  try {
    const asking = line.client.request({
      path: spoken.path,
      method: spoken.method,
      headers: spoken.headers,
      body: spoken.body ?? null,
      responseHeaders: 'raw',
      signal: stopping.signal,
      onInfo: limitInterimAnswers(stop),
    })
    // undici observes the signal only after it has begun to write.
    return await readAnswer(await unlessAborted(asking, stopping.signal), spoken.maxBytes)
  } catch (error) {
    // When the call was aborted, the abort reason is more precise than the resulting socket error.
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    done.abort()
    signal.removeEventListener('abort', forward)
  }
}

/** Resolves to true when more bytes arrived than the response may need, and to false when `signal` ends the watch. */
async function watchWire(
  line: HttpLine,
  maxBytes: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const most = line.bytesReceived() + WIRE_FACTOR * maxBytes + WIRE_ALLOWANCE_BYTES
  while (!signal.aborted) {
    if (line.bytesReceived() > most) return true
    await sleep(clock, WIRE_WATCH_MS, signal)
  }
  return false
}

function limitInterimAnswers(stop: (reason: unknown) => void): () => void {
  let count = 0
  return () => {
    count++
    if (count > MAX_INTERIM_ANSWERS) stop(new OutboundFailure('not-acceptable', 'a storm of interim answers'))
  }
}

async function readAnswer(answer: Dispatcher.ResponseData, maxBytes: number): Promise<HttpReply> {
  answer.body.on('error', () => undefined)
  try {
    // With `responseHeaders: 'raw'` the headers are a list of names and values, which undici's types do not express.
    const headers = joinHeaders(answer.headers as unknown as readonly string[])
    refuseEncoded(headers)
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooManyBytes('content-length')
    return { status: answer.statusCode, headers, body: await readText(answer.body, maxBytes) }
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

/**
 * RFC 9110 §5.3: header lines of one name form one list. The object has no prototype, so a header named `constructor`
 * works too.
 */
function joinHeaders(raw: readonly string[]): { readonly [name: string]: string | undefined } {
  const headers: Record<string, string> = Object.create(null)
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
    const value = raw[index + 1] ?? ''
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}

/** D37: the request asks for the identity coding. A response in any other coding is not decoded. */
function refuseEncoded(headers: { readonly [name: string]: string | undefined }): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') throw new OutboundFailure('not-acceptable', 'an encoded answer')
  const transfer = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked'
  if (transfer !== 'chunked') throw new OutboundFailure('not-acceptable', 'an encoded transfer')
}

async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const buffer = createBodyBuffer(maxBytes)
  for await (const piece of body) {
    const fault = buffer.add(piece)
    if (fault === 'too large') throw tooManyBytes('body')
    if (fault !== undefined) throw new OutboundFailure('not-acceptable', 'a body in too many pieces')
  }
  return decodeUtf8(buffer.bytes())
}

/** Keeps a byte order mark as the agent sent it. */
function decodeUtf8({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

function tooManyBytes(where: string): OutboundFailure {
  return new OutboundFailure('too-large', `more than allowed: ${where}`)
}
