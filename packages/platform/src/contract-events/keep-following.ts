import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background, type Loop } from '../work/loop.ts'
import type { ContractFollower, FollowContractOptions } from './follow-contract.ts'
import { ContractMissing } from './read-chain.ts'

/** The local chain answers at once and its users wait; public ones have a block every two seconds. */
const LOCAL_INTERVAL_MS = 1_000
const INTERVAL_MS = 4_000
/** Read again all the same, so that the database is what the chain says whatever happened to it. */
const LOCAL_SAME_HEAD_MS = 10_000
const MAX_PAUSE_MS = 60_000

/**
 * How processes share the passes over a contract. A local chain makes a block for each transaction and none without: most
 * passes would read nothing. A public one always has a new block.
 */
export function sharedFollowing(parts: Pick<PlatformParts, 'settings'>): FollowContractOptions {
  return {
    intervalMs: followInterval(parts) / 2,
    sameHeadMs: parts.settings.localMode ? LOCAL_SAME_HEAD_MS : 0,
  }
}

/** How often a contract is read. */
function followInterval({ settings }: Pick<PlatformParts, 'settings'>): number {
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
  const following: Loop = {
    pauseMs: followInterval(parts),
    longestPauseMs: MAX_PAUSE_MS,
    async pass() {
      const { kind } = await follower.pass()
      if (kind !== 'busy') on.passed?.()
      return kind === 'behind'
    },
    onFailure(error, failures) {
      const isExpected = on.mayBeMissing === true && error instanceof ContractMissing
      if (!isExpected) log.warn(`${on.name} could not be followed`, { error: describeError(error), failures })
      else if (failures === 1) log.info(`${on.name} is not followed`, { reason: error.message })
    },
  }
  return startLoops(clock, [following])
}
