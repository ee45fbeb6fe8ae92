import { sleep } from '@farebox/protocol/time/clock'
import { AgentUnreachable } from './agent-errors.ts'
import { backOffMs } from './back-off.ts'
import type { Connection } from './client-options.ts'
import { exchange, type ExchangeRequest, type WholeAnswer } from './exchange.ts'

/** How long a request without a payment is repeated, in milliseconds from now. */
export interface RepeatLimits {
  /** While the response is a 503: the agent is being restarted, or a balancer has none at this moment. */
  readonly busyMs: number
  /** While there is no response: the connection was refused or reset. */
  readonly silentMs: number
}

/**
 * The limits for an agent that has not responded before. There may be no agent at all, and a person waits for the answer,
 * so connections that fail are given up early.
 */
export const FIRST_CONTACT: RepeatLimits = { busyMs: 10_000, silentMs: 3_000 }

/**
 * Sends a request without a payment, and repeats it while the agent is being restarted. Nothing is charged, and a job
 * without a payment has one run, however often it is requested.
 *
 * @returns the last response; a 503 when its limit has passed
 * @throws {AgentUnreachable} when the last request had no response
 * @throws the reason of the caller's signal when that aborted
 */
export async function exchangeUntil(
  connection: Connection,
  request: ExchangeRequest,
  { busyMs, silentMs }: RepeatLimits,
): Promise<WholeAnswer> {
  const { clock, signal } = connection
  const fromMs = clock.nowMs()
  for (let repeats = 0; ; repeats += 1) {
    const reply = await exchange(connection, request).catch((error: unknown) => {
      if (error instanceof AgentUnreachable) return error
      throw error
    })
    const isSilent = reply instanceof AgentUnreachable
    if (!isSilent && reply.status !== 503) return reply
    const waitMs = backOffMs(clock, isSilent ? undefined : reply.headers, repeats)
    if (clock.nowMs() + waitMs > fromMs + (isSilent ? silentMs : busyMs)) {
      if (isSilent) throw reply
      return reply
    }
    await sleep(clock, waitMs, signal)
    signal?.throwIfAborted()
  }
}
