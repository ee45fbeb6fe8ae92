import { describeError } from '@farebox/server/log'
import { computeDueBadges } from '../badges/compute-badges.ts'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { bringBackChecks } from './after-checks.ts'
import { pruneHours } from '../agents/history.ts'
import { runChecks, type CheckOptions } from './run-checks.ts'
import { pruneDeliveries, runDeliveries } from './webhooks/send-deliveries.ts'

const BADGES_POLL_MS = 1_000
const TIDY_EVERY_MS = 60_000

/**
 * Starts the monitor: checks as they come due, notices to owners, badges, and the removal of old history. Any number of
 * processes do the same on one database and share the work.
 */
export function startMonitor(parts: PlatformParts, options: CheckOptions = {}): Background {
  const ending = new AbortController()
  const { signal } = ending
  const running = Promise.all([
    runChecks(parts, signal, options),
    runDeliveries(parts, signal),
    repeat(parts, signal, { everyMs: BADGES_POLL_MS, name: 'badges' }, async () => {
      while (!signal.aborted && (await computeDueBadges(parts)) > 0);
    }),
    repeat(parts, signal, { everyMs: TIDY_EVERY_MS, name: 'tidying' }, () => tidy(parts, signal)),
  ])
  return {
    async stop() {
      ending.abort()
      await running
    },
  }
}

async function tidy(parts: PlatformParts, signal: AbortSignal): Promise<void> {
  await bringBackChecks(parts.database, parts.settings.checkIntervalMs)
  while (!signal.aborted && (await pruneHours(parts.database, parts.clock.nowMs())) > 0);
  await pruneDeliveries(parts)
}

/** Never rejects. */
async function repeat(
  { clock, log }: PlatformParts,
  signal: AbortSignal,
  work: { readonly everyMs: number; readonly name: string },
  step: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await step().catch((error: unknown) => {
      log.error('monitor work failed', { work: work.name, error: describeError(error) })
    })
    await clock.sleep(work.everyMs, signal)
  }
}
