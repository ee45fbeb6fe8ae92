import { createBodyBuffer } from '@farebox/protocol/internal/body/body-buffer'
import { MAX_TIMER_MS } from '@farebox/protocol/limits'
import type { ReportedTime } from './clock-meter.ts'
import type { Dispatcher, Pool } from 'undici'

/** A keep-alive pool to one origin, for small JSON messages; the built-in fetch takes several times the CPU. */
export interface JsonOrigin {
  /**
   * Sends a request and reads a JSON response of at most `maxAnswerBytes`; never follows a redirect.
   *
   * Resolves for every HTTP status, with `body` undefined when it is not JSON. Rejects when there is no complete response in
   * time, and with {@link AnswerTooLarge} when the response is too large: the request may have been received.
   */
  send(request: JsonRequest): Promise<JsonAnswer>
  /** Waits for requests in flight, then closes the connections. */
  close(): Promise<void>
}

/** One request. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Starts with a slash; appended to the path of the origin's URL. */
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: { readonly [name: string]: string } | undefined
  /** For the whole exchange, headers and body. Fractions, as in the remainder of a deadline, are rounded up. */
  readonly timeoutMs: number
}

/** A response. */
export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

/** How a pool is opened. */
export interface JsonOriginOptions {
  readonly connections?: number
  /** Default 1 MiB. */
  readonly maxAnswerBytes?: number
  /** Called with the time of each response and the clock to compare it with. */
  readonly dates?: { readonly nowMs: () => number; readonly hear: (told: ReportedTime) => void }
}

const MAX_ANSWER_BYTES = 1_048_576

/** The response exceeds the size limit. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'

  constructor(maxAnswerBytes: number, options?: ErrorOptions) {
    super(`the answer is larger than ${maxAnswerBytes} bytes`, options)
  }
}

/** Opens the pool. `url` may have a base path: `https://host/platform/v2/x402`. */
export function createJsonOrigin(url: string, options: JsonOriginOptions = {}): JsonOrigin {
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = options
  let pool: Promise<Pool> | undefined
  const open = async (): Promise<Pool> => {
    // Loaded at first use: it is the largest part of a cold start, and no request is sent before `/health` works.
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

/**
 * Sends a request without undici's `request`, which creates a stream and an abort signal for each response; these responses
 * have a few hundred bytes.
 */
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
        // It waited too long for a connection, so the request is not sent any more.
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

/** Recognises undici's own size error: undici counts too, and may detect the excess first. */
function exceedsSize(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
}

function hearDate(
  { nowMs, hear }: NonNullable<JsonOriginOptions['dates']>,
  date: string | string[] | undefined,
  sentMs: number,
): void {
  if (typeof date !== 'string') return
  // Cached, because many responses within a second have the same date, and parsing it costs more than everything else here.
  if (date !== lastDate.text) lastDate = { text: date, ms: Date.parse(date) }
  const { ms: theirsMs } = lastDate
  if (Number.isFinite(theirsMs)) hear({ theirsMs, sentMs, receivedMs: nowMs() })
}

let lastDate = { text: '', ms: Number.NaN }

/** Limits a timeout for `setTimeout`, which fires at once beyond its range, and too early for fractions. */
function wholeMs(timeoutMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(timeoutMs)))
}

function readJson({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
  try {
    // Some servers start with a byte order mark, which is not valid JSON.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
