import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Score } from '../../battery.ts'

/** How long `GET /health` took while something else went on, in milliseconds. */
export interface HealthTimes {
  /** p99 of the same requests just before: a busy machine is not the attack's doing. */
  readonly quietMs: number
  readonly requests: number
  readonly p99Ms: number
  readonly slowestMs: number
}

/** Asked this often, whatever became of the requests before: a blocked event loop delays many of them. */
const EVERY_MS = 20
/** Asked for at least this long, so that a percentile means something. */
const LEAST_MS = 3_000
/** Whoever has no answer by then counts as answered then. */
const LONGEST_MS = 30_000

/** Asks for `/health` before the work and while it goes on, on connections of its own. */
export async function watchHealth(
  url: string,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<HealthTimes> {
  const quiet = await timesWhile(url, () => Promise.resolve(), signal)
  return { ...(await timesWhile(url, work, signal)), quietMs: quiet.p99Ms }
}

async function timesWhile(
  url: string,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<Omit<HealthTimes, 'quietMs'>> {
  const dispatcher = new Agent({ connections: 512, headersTimeout: LONGEST_MS })
  const times: Promise<number>[] = []
  const started = performance.now()
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  try {
    while (!over.signal.aborted || performance.now() - started < LEAST_MS) {
      signal.throwIfAborted()
      times.push(timeOf(`${url}/health`, dispatcher))
      await delay(EVERY_MS, undefined, { signal })
    }
    await working
    const sorted = (await Promise.all(times)).toSorted((one, other) => one - other)
    return {
      requests: sorted.length,
      p99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
      slowestMs: Math.round(sorted.at(-1) ?? 0),
    }
  } finally {
    await dispatcher.destroy()
    await working.catch(() => undefined)
  }
}

/** What must hold beside every attack on the event loop, beyond what the machine takes when it is left alone. */
const MOST_P99_MS = 250

/** The line of the scorecard. */
export function healthScore(
  test: string,
  { quietMs, requests, p99Ms, slowestMs }: HealthTimes,
  seen: string,
): Score {
  return {
    test,
    reached: `/health p99 ${p99Ms} ms (${quietMs} ms before), slowest ${slowestMs} ms of ${requests}; ${seen}`,
    target: `p99 ≤ ${MOST_P99_MS} ms more than before`,
    isMet: p99Ms - quietMs <= MOST_P99_MS,
  }
}

async function timeOf(url: string, dispatcher: Agent): Promise<number> {
  const started = performance.now()
  try {
    const { body, statusCode } = await request(url, { dispatcher })
    await body.dump()
    return statusCode === 200 ? performance.now() - started : LONGEST_MS
  } catch {
    return LONGEST_MS
  }
}
