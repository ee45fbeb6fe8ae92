import { createBodyBuffer } from '@farebox/protocol/internal/body/body-buffer'
import { MAX_TIMER_MS } from '@farebox/protocol/limits'
import type { ReportedTime } from './clock-meter.ts'
import type { Dispatcher, Pool } from 'undici'

/** One keep-alive pool to one origin, for small JSON messages; built-in fetch costs several times its CPU. */
export interface JsonOrigin {
  /**
   * Sends a request and reads a JSON answer of at most `maxAnswerBytes`; never follows a redirect.
   *
   * Resolves for every HTTP status, with `body` undefined where it was not JSON. Rejects when no whole answer came
   * in time, with {@link AnswerTooLarge} where it was too large: the request may or may not have been received.
   */
  send(request: JsonRequest): Promise<JsonAnswer>
  /** Lets requests in flight end, then closes the connections. */
  close(): Promise<void>
}

/** One request. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Beginning with a slash; joined to the path of the origin's URL. */
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: { readonly [name: string]: string } | undefined
  /** For the whole exchange, headers and body. Fractions are rounded up, because what is left of a deadline has some. */
  readonly timeoutMs: number
}

/** The answer. */
export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

/** How a pool is opened. */
export interface JsonOriginOptions {
  readonly connections?: number
  /** Default 1 MiB. */
  readonly maxAnswerBytes?: number
  /** Called with the time in each answer, and the clock it is compared with. */
  readonly dates?: { readonly nowMs: () => number; readonly hear: (told: ReportedTime) => void }
}

const MAX_ANSWER_BYTES = 1_048_576

/** The answer was larger than asked for. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'

  constructor(maxAnswerBytes: number, options?: ErrorOptions) {
    super(`the answer is larger than ${maxAnswerBytes} bytes`, options)
  }
}

/** Opens the pool. `url` may carry a base path: `https://host/platform/v2/x402`. */
export function createJsonOrigin(url: string, options: JsonOriginOptions = {}): JsonOrigin {
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = options
  let pool: Promise<Pool> | undefined
  const open = async (): Promise<Pool> => {
    // Loaded when it is first used: it is the largest part of a cold start, and nobody is called before /health.
    const { Pool } = await import('undici')
    return new Pool(origin, {
      connections: options.connections ?? 128,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxResponseSize: maxAnswerBytes,
    })
  }
  return {
    async send({ method, path, body, headers, timeoutMs }) {
      pool ??= open()
      const request = {
        method,
        path: basePath + path,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      }
      return await exchange(await pool, request, { timeoutMs, maxAnswerBytes, dates: options.dates })
    },
    async close() {
      await (await pool)?.close()
    },
  }
}

/** Undici's own `request` makes a stream and an abort signal for each answer; these are a few hundred bytes at once. */
function exchange(
  pool: Pool,
  request: Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>,
  {
    timeoutMs,
    maxAnswerBytes,
    dates,
  }: {
    readonly timeoutMs: number
    readonly maxAnswerBytes: number
    readonly dates: JsonOriginOptions['dates']
  },
): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const answer = createBodyBuffer(maxAnswerBytes)
    let status = 0
    let sentMs = 0
    let running: Dispatcher.DispatchController | undefined
    let late: Error | undefined
    const timer = setTimeout(() => {
      late = new DOMException('no whole answer in time', 'TimeoutError')
      reject(late)
      running?.abort(late)
    }, wholeMs(timeoutMs))
    pool.dispatch(request, {
      onRequestStart(controller) {
        running = controller
        sentMs = dates?.nowMs() ?? 0
        // It waited for a connection so long that nobody wants it any more: it is not sent.
        if (late !== undefined) controller.abort(late)
      },
      onResponseStart(_, statusCode, headers) {
        status = statusCode
        if (dates !== undefined) hearDate(dates, headers['date'], sentMs)
      },
      onResponseData(controller, piece) {
        const fault = answer.add(piece)
        if (fault === 'too large') controller.abort(new AnswerTooLarge(maxAnswerBytes))
        else if (fault !== undefined) controller.abort(new Error(`the answer is ${fault}`))
      },
      onResponseEnd() {
        clearTimeout(timer)
        resolve({ status, body: readJson(answer.bytes()) })
      },
      onResponseError(_, error) {
        clearTimeout(timer)
        reject(exceedsSize(error) ? new AnswerTooLarge(maxAnswerBytes, { cause: error }) : error)
      },
    })
  })
}

/** As undici names it: it counts too, and may be first. */
function exceedsSize(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
}

function hearDate(
  { nowMs, hear }: NonNullable<JsonOriginOptions['dates']>,
  date: string | string[] | undefined,
  sentMs: number,
): void {
  if (typeof date !== 'string') return
  // Of many answers in a second: to parse a date takes longer than all the rest of it.
  if (date !== lastDate.text) lastDate = { text: date, ms: Date.parse(date) }
  const { ms: theirsMs } = lastDate
  if (Number.isFinite(theirsMs)) hear({ theirsMs, sentMs, receivedMs: nowMs() })
}

let lastDate = { text: '', ms: Number.NaN }

/** A timer fires at once beyond its range, and early for a fraction. */
function wholeMs(timeoutMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(timeoutMs)))
}

function readJson({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
  try {
    // Some servers begin with a byte order mark, which JSON does not know.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
