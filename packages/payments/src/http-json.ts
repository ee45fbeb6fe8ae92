import { MAX_TIMER_MS } from '@farebox/protocol/limits'
import type { Dispatcher, Pool } from 'undici'

/** One keep-alive pool to one origin, for small JSON messages; built-in fetch costs several times its CPU. */
export interface JsonOrigin {
  /**
   * Sends a request and reads a JSON answer of at most 1 MB; never follows a redirect.
   *
   * Resolves for every HTTP status, with `body` undefined where it was not JSON. Rejects when no whole answer came
   * in time: the request may or may not have been received.
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

/** What came back. */
export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

const MAX_ANSWER_BYTES = 1_048_576

/** Opens the pool. `url` may carry a base path: `https://host/platform/v2/x402`. */
export function createJsonOrigin(url: string, options: { readonly connections?: number } = {}): JsonOrigin {
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  let pool: Promise<Pool> | undefined
  const open = async (): Promise<Pool> => {
    // Loaded when it is first used: it is the largest part of a cold start, and nobody is called before /health.
    const { Pool } = await import('undici')
    return new Pool(origin, {
      connections: options.connections ?? 128,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      maxResponseSize: MAX_ANSWER_BYTES,
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
      return await exchange(await pool, request, timeoutMs)
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
  timeoutMs: number,
): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
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
        // It waited for a connection so long that nobody wants it any more: it is not sent.
        if (late !== undefined) controller.abort(late)
      },
      onResponseStart(_, statusCode) {
        status = statusCode
      },
      onResponseData(_, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        clearTimeout(timer)
        resolve({ status, body: readJson(chunks) })
      },
      onResponseError(_, error) {
        clearTimeout(timer)
        reject(error)
      },
    })
  })
}

/** A timer fires at once beyond its range, and early for a fraction. */
function wholeMs(timeoutMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(timeoutMs)))
}

function readJson(chunks: readonly Buffer[]): unknown {
  const [first] = chunks
  const text = (chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString('utf8')
  try {
    // Some servers begin with a byte order mark, which JSON does not know.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
