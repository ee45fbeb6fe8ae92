import { Pool } from 'undici'

/** A request ready to be sent: nothing is prepared or signed during the measurement. */
export interface ReadyRequest {
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** The answer to one. */
export interface Answered {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: string
}

/** The result of a run. */
export interface Run {
  readonly answers: readonly Answered[]
  readonly wallMs: number
  /** For each request, the time from the write to the connection to its last byte. */
  readonly latenciesMs: readonly number[]
}

/**
 * Keeps a number of connections to one origin alive, and posts to `/execute` on them. A custom load generator, because
 * a payment can be sent only once: every request is different.
 */
export interface Driver {
  /** Sends each request once, with at most one request per connection at a time. Rejects if one gets no answer. */
  send(requests: readonly ReadyRequest[]): Promise<Run>
  close(): Promise<void>
}

/**
 * Opens the connections when they are first needed.
 *
 * `awake`: this process never sleeps while it sends. Over loopback the sender pays for waking the receiver, some 20 µs
 * on a virtual machine: a server slower than this process would pay it for every answer, a faster one never. If the
 * process stays awake, neither pays; that costs a core, so it is not for measuring latencies.
 */
export function createDriver(
  url: string,
  connections: number,
  { awake }: { readonly awake: boolean },
): Driver {
  const pool = new Pool(url, { connections, pipelining: 1 })
  return {
    async send(requests) {
      const answers: Answered[] = []
      const latenciesMs: number[] = []
      const waiting = requests.values()
      const letSleep = awake ? stayAwake() : () => undefined
      const started = performance.now()
      try {
        await Promise.all(
          Array.from({ length: connections }, async () => {
            for (const request of waiting) {
              const sent = performance.now()
              const { statusCode, headers, body } = await pool.request({
                ...request,
                method: 'POST',
                path: '/execute',
              })
              answers.push({ status: statusCode, headers, body: await body.text() })
              latenciesMs.push(performance.now() - sent)
            }
          }),
        )
      } finally {
        letSleep()
      }
      return { answers, latenciesMs, wallMs: performance.now() - started }
    },
    close: () => pool.close(),
  }
}

/** Spins the event loop without waiting, until it may sleep. */
function stayAwake(): () => void {
  let awake = true
  const goOn = (): void => {
    if (awake) setImmediate(goOn)
  }
  goOn()
  return () => {
    awake = false
  }
}
