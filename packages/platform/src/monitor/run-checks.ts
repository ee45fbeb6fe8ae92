import { setMaxListeners } from 'node:events'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { createPollPace } from '../poll-pace.ts'
import { makeChecks } from './checks-under-way.ts'
import { leaseChecks, type CheckLease } from './lease-checks.ts'
import { watchOwnOutage } from './watch-own-outage.ts'

/** What a test or a bench may set; a platform leaves it as it is. */
export interface CheckOptions {
  /** First attempts at a time; default 1,000. */
  readonly atOnce?: number
  /** Second attempts at a time; default 1,000. */
  readonly secondAtOnce?: number
  /** In [0, 1). */
  readonly chance?: () => number
  /** Virtual time for what is due; default the database's clock. */
  readonly dueAtMs?: () => number
  /** Hears of each check as it begins. */
  readonly onStart?: (lease: CheckLease) => void
}

const AT_ONCE = 1_000

/** How often an own outage is looked at again, and how long the database is left alone when it fails. */
const ASK_AGAIN_MS = 15_000
const DATABASE_PAUSE_MS = 1_000

/** How often agents are looked for that were due long ago: whoever had taken them may have failed meanwhile. */
const SWEEP_EVERY_MS = 30_000

/** Others may be writing what was due a little earlier. */
const OVERLAP_MS = 1_000

/** Where few places are free, more become free within this time: better than one statement for each. */
const BREATH_MS = 20

/**
 * Checks agents as they come due until the signal aborts, sharing them with whatever other processes do the same; ends
 * once what was under way is written or given back. Never rejects.
 */
export async function runChecks(
  parts: PlatformParts,
  signal: AbortSignal,
  options: CheckOptions = {},
): Promise<void> {
  const { clock, settings } = parts
  const { chance = Math.random, atOnce = AT_ONCE, secondAtOnce = AT_ONCE } = options
  // Each check listens for it; that is no leak.
  setMaxListeners(0, signal)
  const outage = watchOwnOutage(parts, chance)
  const checks = makeChecks(parts, { outage, chance, signal }, { atOnce, secondAtOnce })
  const pollMs = within(settings.checkIntervalMs / 20, 20, 500)
  const pace = createPollPace(clock, { pollMs, idleMs: pollMs * 2 })
  const askAgainMs = within(settings.checkIntervalMs / 4, 20, ASK_AGAIN_MS)
  const nextDue = leaseOnwards(parts, options)
  while (!signal.aborted) {
    if (outage.isOurs()) {
      await clock.sleep(askAgainMs, signal)
      await outage.askAgain(signal)
      continue
    }
    if (checks.free() < atOnce / 4) await clock.sleep(BREATH_MS, signal)
    if (checks.free() <= 0) continue
    const leases = await nextDue(checks.free())
    for (const lease of leases ?? []) {
      options.onStart?.(lease)
      checks.start(lease)
      pace.busy()
    }
    if (leases === undefined) await clock.sleep(DATABASE_PAUSE_MS, signal)
    else if (leases.length === 0) await clock.sleep(pace.pauseMs(), signal)
  }
  await checks.ended()
}

/** Leases what is due, each time from where the last time ended, now and then from the beginning. Undefined: it failed. */
function leaseOnwards(
  { clock, database, log }: PlatformParts,
  { dueAtMs }: CheckOptions,
): (atMost: number) => Promise<readonly CheckLease[] | undefined> {
  let dueFromMs: number | undefined
  let sweptMs = clock.nowMs()
  return async atMost => {
    const sinceMs = clock.nowMs() - sweptMs
    if (sinceMs < 0 || sinceMs >= SWEEP_EVERY_MS) {
      dueFromMs = undefined
      sweptMs = clock.nowMs()
    }
    try {
      const leases = await leaseChecks(database, atMost, { atMs: dueAtMs?.(), dueFromMs })
      if (leases.length > 0) dueFromMs = Math.max(...leases.map(lease => lease.dueMs)) - OVERLAP_MS
      return leases
    } catch (error) {
      log.error('no checks to be had', { error: describeError(error) })
      return undefined
    }
  }
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
