import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { IncomingMessage } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { JobContext } from 'farebox'

/** Answers for handlers that never return. */
export interface DeadlineGuard {
  /** Wraps handlers so that they are watched while they run. A value that is not a function is returned unchanged. */
  watch(handlers: unknown): unknown
  setFormat(format: 'text' | 'json'): void
}

export interface GuardedJob {
  readonly id: number
  readonly jobId: string
  readonly capability: string
  /** Unix milliseconds. */
  readonly deadlineMs: number
  /** The file descriptor of the caller's connection in this process; `undefined` when it is not known. */
  readonly socket: number | undefined
}

export type GuardMessage =
  | { readonly kind: 'begun'; readonly job: GuardedJob }
  | { readonly kind: 'ended'; readonly id: number }
  | { readonly kind: 'format'; readonly format: 'text' | 'json' }

/** The built file, also when a test has loaded this source. */
const THREAD = import.meta.resolve('#built/dev/agent/deadline-guard-thread')
const BEAT_EVERY_MS = 100

/**
 * A handler that computes without awaiting blocks the whole process, so that this thread cannot enforce its deadline. A
 * second thread detects that the process sends no heartbeats. After the deadline it answers the caller with 408 on its
 * connection, reports which handler blocked, and ends the process.
 */
export function startDeadlineGuard(): DeadlineGuard {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL(THREAD), { workerData: beats, execArgv: [] })
  // Without the guard, jobs run as in production.
  thread.on('error', () => undefined)
  thread.unref()
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_EVERY_MS).unref()
  const requests = followRequests()
  const tell = (message: GuardMessage): void => thread.postMessage(message)
  let lastId = 0

  function watched(handler: HandlerFunction): HandlerFunction {
    return (input, context) => {
      lastId += 1
      const id = lastId
      const { jobId, capability, deadline } = context
      const socket = numberOf(requests.getStore())
      tell({ kind: 'begun', job: { id, jobId, capability, deadlineMs: deadline * 1_000, socket } })
      const end = (): void => tell({ kind: 'ended', id })
      try {
        const result = handler(input, context)
        void Promise.resolve(result).then(end, end)
        return result
      } catch (error) {
        end()
        throw error
      }
    }
  }

  return {
    setFormat: format => tell({ kind: 'format', format }),
    watch(handlers) {
      if (typeof handlers === 'function') return watched(handlers as HandlerFunction)
      if (typeof handlers !== 'object' || handlers === null) return handlers
      return Object.fromEntries(
        Object.entries(handlers).map(([name, one]: [string, unknown]) => [
          name,
          typeof one === 'function' ? watched(one as HandlerFunction) : one,
        ]),
      )
    },
  }
}

type HandlerFunction = (input: unknown, context: JobContext) => unknown

function followRequests(): AsyncLocalStorage<IncomingMessage> {
  const requests = new AsyncLocalStorage<IncomingMessage>()
  // Node publishes this right before it calls the server's own listener, in the same turn of the event loop.
  subscribe('http.server.request.start', message => {
    const { request } = message as { readonly request?: unknown }
    if (request instanceof IncomingMessage) requests.enterWith(request)
  })
  return requests
}

/**
 * Reads the descriptor from Node's internals. Where it is missing, as on Windows, the connection is closed without a
 * response.
 */
function numberOf(request: IncomingMessage | undefined): number | undefined {
  const { _handle: handle } = (request?.socket ?? {}) as {
    readonly _handle?: { readonly fd?: unknown } | null
  }
  const number = handle?.fd
  return typeof number === 'number' && number >= 0 ? number : undefined
}
