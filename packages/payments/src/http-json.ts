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
      const aborter = new AbortController()
      // Not AbortSignal.timeout: its timer would outlive the answer, thousands of them where the timeout is long.
      const timer = setTimeout(
        () => aborter.abort(new DOMException('no whole answer in time', 'TimeoutError')),
        wholeMs(timeoutMs),
      )
      try {
        pool ??= open()
        const opened = await pool
        const answer = await opened.request({
          method,
          path: basePath + path,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          body: body === undefined ? null : JSON.stringify(body),
          signal: aborter.signal,
        })
        return { status: answer.statusCode, body: await readJson(answer) }
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      await (await pool)?.close()
    },
  }
}

/** A timer fires at once beyond its range, and early for a fraction. */
function wholeMs(timeoutMs: number): number {
  return Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(timeoutMs)))
}

async function readJson(answer: Dispatcher.ResponseData): Promise<unknown> {
  const text = await answer.body.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
