import { describeError } from '@farebox/server/log'
import { computeDueBadges } from '../badges/compute-badges.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background, type Loop } from '../work/loop.ts'
import { bringBackChecks } from './after-checks.ts'
import { pruneDays } from '../agents/checked-days.ts'
import { pruneHours } from '../agents/history.ts'
import { startChecks, type CheckOptions } from './start-checks.ts'
import { createFacilitatorAdmin } from '../owners/settlements/facilitator-admin.ts'
import { announceLimits } from './webhooks/announce-limits.ts'
import { pruneDeliveries, startDeliveries } from './webhooks/send-deliveries.ts'

const BADGES_POLL_MS = 1_000
const CLEANUP_EVERY_MS = 60_000
/** The interval at which owners near their settlement limit are looked up; a notice is at most this late. */
const LIMITS_EVERY_MS = 60_000

/**
 * Starts the monitor: due checks, webhook deliveries to owners, badges, and the removal of old history. Any number of
 * processes can run it on one database and share the work.
 */
export function startMonitor(parts: PlatformParts, options: CheckOptions = {}): Background {
  const { clock, log, database, settings } = parts
  const admin = createFacilitatorAdmin(settings.facilitator)
  const loop = (pauseMs: number, name: string, pass: Loop['pass']): Loop => ({
    pass,
    pauseMs,
    onFailure: error => log.error('monitor work failed', { work: name, error: describeError(error) }),
  })
  const all = [
    startChecks(parts, options),
    startDeliveries(parts),
    startLoops(clock, [
      loop(BADGES_POLL_MS, 'badges', async () => (await computeDueBadges(parts)) > 0),
      loop(LIMITS_EVERY_MS, 'limits', async () => {
        if (settings.facilitator === undefined) return
        await announceLimits(database, await admin.listNearLimit(), clock.nowMs())
      }),
      loop(CLEANUP_EVERY_MS, 'cleanup', async () => {
        await bringBackChecks(database, settings.checkIntervalMs)
        await pruneDeliveries(parts)
      }),
      loop(CLEANUP_EVERY_MS, 'cleanup', async () => (await pruneHours(database, clock.nowMs())) > 0),
      loop(CLEANUP_EVERY_MS, 'cleanup', async () => (await pruneDays(database, clock.nowMs())) > 0),
    ]),
  ]
  return {
    async stop() {
      await Promise.all(all.map(one => one.stop()))
    },
  }
}
