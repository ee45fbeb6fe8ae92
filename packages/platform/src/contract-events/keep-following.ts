import { describeError } from '@farebox/server/log'
import type { Background, PlatformParts } from '../platform-parts.ts'
import type { ContractFollower } from './follow-contract.ts'
import { ContractMissing } from './read-chain.ts'

/** The local chain answers at once and its users wait; public ones have a block every two seconds. */
const LOCAL_INTERVAL_MS = 1_000
const INTERVAL_MS = 4_000
const MAX_PAUSE_MS = 60_000

/** How often a contract is read. */
export function followInterval({ settings }: Pick<PlatformParts, 'settings'>): number {
  return settings.localMode ? LOCAL_INTERVAL_MS : INTERVAL_MS
}

/**
 * Follows a contract until it is stopped: at once where there is more to read, after a pause that grows where the node or
 * the database fails.
 *
 * @param on what to do after a pass that read something, and how to report a failure
 */
export function keepFollowing(
  parts: Pick<PlatformParts, 'settings' | 'clock' | 'log'>,
  follower: ContractFollower,
  on: { readonly name: string; readonly passed?: () => void; readonly mayBeMissing?: boolean },
): Background {
  const { clock, log } = parts
  const stopping = new AbortController()
  const intervalMs = followInterval(parts)

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      let pauseMs = intervalMs
      try {
        const pass = await follower.pass()
        failures = 0
        if (pass.kind === 'behind') pauseMs = 0
        if (pass.kind !== 'busy') on.passed?.()
      } catch (error) {
        failures += 1
        pauseMs = Math.min(MAX_PAUSE_MS, intervalMs * 2 ** Math.min(10, failures - 1))
        const isExpected = on.mayBeMissing === true && error instanceof ContractMissing
        if (!isExpected)
          log.warn(`${on.name} could not be followed`, { error: describeError(error), failures })
        else if (failures === 1) log.info(`${on.name} is not followed`, { reason: error.message })
      }
      await clock.sleep(pauseMs, stopping.signal)
    }
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}
