import { describeError } from '@farebox/server/log'
import { repeat } from '@farebox/server/internal/repeat'
import { computeDueBadges } from '../badges/compute-badges.ts'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { bringBackChecks } from './after-checks.ts'
import { pruneDays } from '../agents/checked-days.ts'
import { pruneHours } from '../agents/history.ts'
import { runChecks, type CheckOptions } from './run-checks.ts'
import { createFacilitatorAdmin } from '../owners/settlements/facilitator-admin.ts'
import { announceLimits } from './webhooks/announce-limits.ts'
import { pruneDeliveries, runDeliveries } from './webhooks/send-deliveries.ts'

const BADGES_POLL_MS = 1_000
const CLEANUP_EVERY_MS = 60_000
/** So long after an owner came near its limit at most, it is noticed. */
const LIMITS_EVERY_MS = 60_000

/**
 * Starts the monitor: checks as they come due, notices to owners, badges, and the removal of old history. Any number of
 * processes do the same on one database and share the work.
 */
export function startMonitor(parts: PlatformParts, options: CheckOptions = {}): Background {
  const ending = new AbortController()
  const { signal } = ending
  const { clock, log, database, settings } = parts
  const admin = createFacilitatorAdmin(settings.facilitator)
  const every = (everyMs: number, name: string, work: () => Promise<void>): Promise<void> => {
    const onFailure = (error: unknown): void =>
      log.error('monitor work failed', { work: name, error: describeError(error) })
    return repeat(clock, { everyMs, signal, onFailure }, work)
  }
  const running = Promise.all([
    runChecks(parts, signal, options),
    runDeliveries(parts, signal),
    every(BADGES_POLL_MS, 'badges', async () => {
      while (!signal.aborted && (await computeDueBadges(parts)) > 0);
    }),
    every(LIMITS_EVERY_MS, 'limits', async () => {
      if (settings.facilitator === undefined) return
      await announceLimits(database, await admin.listNearLimit(), clock.nowMs())
    }),
    every(CLEANUP_EVERY_MS, 'cleanup', () => cleanUp(parts, signal)),
  ])
  return {
    async stop() {
      ending.abort()
      await running
    },
  }
}

async function cleanUp(parts: PlatformParts, signal: AbortSignal): Promise<void> {
  await bringBackChecks(parts.database, parts.settings.checkIntervalMs)
  const { database, clock } = parts
  while (!signal.aborted && (await pruneHours(database, clock.nowMs())) > 0);
  while (!signal.aborted && (await pruneDays(database, clock.nowMs())) > 0);
  await pruneDeliveries(parts)
}
