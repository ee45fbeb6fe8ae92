import { createJsonOrigin } from '@farebox/payments/internal/http/http-json'
import { readHead } from '@farebox/payments/chain/find-settlement'
import { within } from '@farebox/protocol/internal/time/within'
import { sleep } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background } from '../work/loop.ts'
import { forgetDependencyOutages, writeDependencyOutage, type Dependency } from './dependency-outages.ts'

/** Sees whether what paid jobs need is there, and writes down when it is not. */
export interface DependencyWatch extends Background {
  /** Checks now, at most once a second; resolves to whether something is away. */
  isAway(): Promise<boolean>
}

const CHECK_EVERY_MS = 5_000
/** A facilitator or a node that takes longer is of no use to a job that waits. */
const ANSWER_WITHIN_MS = 2_000
const SAME_CHECK_MS = 1_000
/** A round that comes so late: this process was stopped, or held, and heard of nothing meanwhile. */
const HELD_MS = 10_000

/**
 * Makes the watch of one process. Every few seconds, and whenever a job is to be judged, it asks the operator's
 * facilitator whether it is ready, and the node for its head; and it notices when it was itself held, or its clock differs
 * from the node's.
 */
export function watchDependencies(parts: PlatformParts): DependencyWatch {
  const { clock, clockSkew, database, log, settings } = parts
  const facilitator = settings.facilitator && createJsonOrigin(settings.facilitator.url, { connections: 1 })
  let checked: { readonly atMs: number; readonly away: Promise<boolean> } | undefined

  const check = async (): Promise<boolean> => {
    const away: Dependency[] = []
    if (facilitator !== undefined && !(await answers(facilitator))) away.push('facilitator')
    if (!(await hasHead(parts))) away.push('node')
    // Deadlines were written and judged by a clock that the node does not share.
    if (clockSkew?.() !== undefined) away.push('platform')
    const nowMs = clock.nowMs()
    for (const what of away)
      await writeDependencyOutage(database, { what, fromMs: nowMs - ANSWER_WITHIN_MS, toMs: nowMs })
    return away.length > 0
  }
  const isAway = (): Promise<boolean> => {
    const nowMs = clock.nowMs()
    const isFresh = checked !== undefined && Math.abs(nowMs - checked.atMs) < SAME_CHECK_MS
    if (checked === undefined || !isFresh) checked = { atMs: nowMs, away: check() }
    return checked.away
  }
  const watch = async (signal: AbortSignal): Promise<void> => {
    const fromMs = clock.nowMs()
    await sleep(clock, CHECK_EVERY_MS, signal)
    const toMs = clock.nowMs()
    if (toMs - fromMs > CHECK_EVERY_MS + HELD_MS)
      await writeDependencyOutage(database, { what: 'platform', fromMs, toMs })
    if (!signal.aborted) await isAway()
    await forgetDependencyOutages(database, toMs)
  }
  const onFailure = (error: unknown): void => log.warn('outages not written', { error: describeError(error) })
  const watching = startLoops(clock, [{ pass: watch, pauseMs: 0, onFailure }])
  return {
    isAway,
    async stop() {
      await watching.stop()
      await facilitator?.close()
    },
  }
}

async function answers(facilitator: ReturnType<typeof createJsonOrigin>): Promise<boolean> {
  try {
    const { status } = await facilitator.send({ method: 'GET', path: '/ready', timeoutMs: ANSWER_WITHIN_MS })
    return status === 200
  } catch {
    return false
  }
}

async function hasHead({ rpc, clock }: PlatformParts): Promise<boolean> {
  try {
    return (await within(clock, ANSWER_WITHIN_MS, readHead(rpc))) !== undefined
  } catch {
    return false
  }
}
