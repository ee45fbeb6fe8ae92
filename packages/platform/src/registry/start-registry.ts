import { describeError } from '@farebox/server/log'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { createRegistryFollower, type FollowOptions } from './chain/follow-registry.ts'
import { startInspections } from './inspect/start-inspections.ts'

/** Of the chain: the local one answers at once and its users wait; public ones have a block every two seconds. */
const LOCAL_INTERVAL_MS = 1_000
const INTERVAL_MS = 4_000
const MAX_PAUSE_MS = 60_000

/**
 * Follows the registry contract and inspects agents: those that registered or changed at once, the others every
 * `settings.refreshIntervalMs`. Any number of workers share the work by the database.
 */
export function startRegistry(parts: PlatformParts, options: FollowOptions = {}): Background {
  const stopping = new AbortController()
  const intervalMs = parts.settings.localMode ? LOCAL_INTERVAL_MS : INTERVAL_MS
  const follower = createRegistryFollower(parts, {
    intervalMs: intervalMs / 2,
    firstBlock: parts.settings.registryFirstBlock ?? 0,
    ...options,
  })
  const inspections = startInspections(parts)

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      let pauseMs = intervalMs
      try {
        const pass = await follower.pass()
        failures = 0
        if (pass.kind === 'behind') pauseMs = 0
        if (pass.kind !== 'busy') inspections.wake()
      } catch (error) {
        failures += 1
        pauseMs = Math.min(MAX_PAUSE_MS, intervalMs * 2 ** Math.min(10, failures - 1))
        parts.log.warn('registry could not be followed', { error: describeError(error), failures })
      }
      await parts.clock.sleep(pauseMs, stopping.signal)
    }
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
      await inspections.stop()
    },
  }
}
