import { setTimeout as delay } from 'node:timers/promises'
import { HANG_MS } from '../stage/until-true.ts'
import type { PaidRequest } from '../../../../e2e/stage/pay.ts'
import { send } from '../stage/paid-scene.ts'

/** What the repeats of one job came to. */
export interface Repeated {
  /** Every status seen, in order. */
  readonly statuses: readonly number[]
  readonly isDelivered: boolean
  /** Of the last answer. */
  readonly body: string
}

const PAUSE_MS = 300

/** Sends a job again and again, as its caller is told to, until it is delivered or refused. */
export async function repeatUntilAnswered(url: string, request: PaidRequest): Promise<Repeated> {
  const statuses: number[] = []
  let last = ''
  for (const endMs = Date.now() + HANG_MS; Date.now() < endMs; await delay(PAUSE_MS)) {
    const { status, body } = await send(url, request)
    statuses.push(status)
    last = body
    if (status === 200) return { statuses, isDelivered: true, body }
    if (status === 400 || status === 402 || status === 408) return { statuses, isDelivered: false, body }
  }
  return { statuses, isDelivered: false, body: last }
}

/** Statuses over all repeats that say that nothing was charged. */
export function countRefusals(all: readonly Repeated[]): number {
  return all.flatMap(({ statuses }) => statuses).filter(status => [400, 402, 408, 500].includes(status))
    .length
}
