import { createJsonOrigin } from '@farebox/payments/internal/http/http-json'
import { readHead } from '@farebox/payments/chain/find-settlement'
import { within } from '@farebox/protocol/internal/time/within'
import { sleep } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background } from '../work/loop.ts'
import { forgetDependencyOutages, writeDependencyOutage, type Dependency } from './dependency-outages.ts'

/** Checks whether the services that paid jobs need are available, and records outages. */
export interface DependencyWatch extends Background {
  /** Checks now, at most once a second; resolves to whether any dependency is unavailable. */
  isAway(): Promise<boolean>
}

const CHECK_EVERY_MS = 5_000
/** A facilitator or a node that takes longer than this is of no use to a waiting job. */
const ANSWER_WITHIN_MS = 2_000
const SAME_CHECK_MS = 1_000
/** When a round is late by more than this, the process was suspended and could not observe anything. */
const HELD_MS = 10_000

/**
 * Creates the watch of one process. Every few seconds, and whenever a job is judged, it checks whether the operator's
 * facilitator is ready and whether the node returns its head block. It also detects when the process was suspended, or
 * when its clock differs from the node's.
 */
export function watchDependencies(parts: PlatformParts): DependencyWatch {
  const { clock, clockSkew, database, log, settings } = parts
  const facilitator = settings.facilitator && createJsonOrigin(settings.facilitator.url, { connections: 1 })
  let checked: { readonly atMs: number; readonly away: Promise<boolean> } | undefined

  const check = async (): Promise<boolean> => {
    const away: Dependency[] = []
    if (facilitator !== undefined && !(await answers(facilitator))) away.push('facilitator')
    if (!(await hasHead(parts))) away.push('node')
    // When the clocks differ, deadlines were set and judged by a clock that the node does not share.
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
  const onFailure = (error: unknown): void =>
    log.warn('cannot record outages', { error: describeError(error) })
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
