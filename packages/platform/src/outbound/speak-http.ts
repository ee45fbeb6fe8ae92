import { createBodyBuffer } from '@farebox/protocol/internal/body/body-buffer'
import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Dispatcher } from 'undici'
import type { HttpLine } from './http-line.ts'
import { OutboundFailure } from './address/outbound-failure.ts'

/** What one request is, once its place is known. */
export interface Spoken {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
  readonly maxBytes: number
}

/** An answer, read to its end. */
export interface HttpReply {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

/** Interim answers (1xx) before the answer; more are a storm. */
const MAX_INTERIM_ANSWERS = 8

/**
 * What may come over the wire around a body: TLS records, chunk sizes, a reason phrase, interim answers. undici counts
 * none of them, so an untrusted host could send for as long as the deadline lets it.
 */
const WIRE_FACTOR = 4
const WIRE_ALLOWANCE_BYTES = 1_024 * 1_024
const WIRE_WATCH_MS = 100

/**
 * Sends one request and reads its whole answer, at most `maxBytes` of it and never decompressed (D37, SSRF-04).
 * Redirects are answers like others (SSRF-03). Rejects with an `OutboundFailure`, or with undici's error.
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
    // undici heeds the signal only once it has begun to write.
    return await readAnswer(await unlessAborted(asking, stopping.signal), spoken.maxBytes)
  } catch (error) {
    // Whoever stopped it knows better than the socket why.
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    done.abort()
    signal.removeEventListener('abort', forward)
  }
}

/** Whether more came than the answer may need; false once `signal` ends the watch. */
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
    // `responseHeaders: 'raw'` makes it a list of names and values, which undici's types do not say.
    const headers = joinHeaders(answer.headers as unknown as readonly string[])
    refuseEncoded(headers)
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooManyBytes('content-length')
    return { status: answer.statusCode, headers, body: await readText(answer.body, maxBytes) }
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

/** RFC 9110 §5.3: lines of one name are one list. The object has no prototype, so `constructor` is a header too. */
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

/** D37: identity was asked for. An answer in another coding is not opened, however many layers it has. */
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

/** A byte order mark stays, as the agent sent it. */
function decodeUtf8({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

function tooManyBytes(where: string): OutboundFailure {
  return new OutboundFailure('too-large', `more than allowed: ${where}`)
}
