import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { startLoops, type Background, type Loop } from '../work/loop.ts'
import type { ContractFollower, FollowContractOptions } from './follow-contract.ts'
import { ContractMissing } from './read-chain.ts'

/** A local chain answers at once and its users wait; public chains make a block every two seconds. */
const LOCAL_INTERVAL_MS = 1_000
const INTERVAL_MS = 4_000
/** After this time a local chain is read again even without a new block, so that lost rows in the database are restored. */
const LOCAL_SAME_HEAD_MS = 10_000
const MAX_PAUSE_MS = 60_000

/**
 * Options that let processes share the passes over a contract. A local chain makes a block only for a transaction, so most
 * passes would read nothing; a public chain always has a new block.
 */
export function sharedFollowing(parts: Pick<PlatformParts, 'settings'>): FollowContractOptions {
  return {
    intervalMs: followInterval(parts) / 2,
    sameHeadMs: parts.settings.localMode ? LOCAL_SAME_HEAD_MS : 0,
  }
}

/** The interval between two reads of a contract, in milliseconds. */
function followInterval({ settings }: Pick<PlatformParts, 'settings'>): number {
  return settings.localMode ? LOCAL_INTERVAL_MS : INTERVAL_MS
}

/**
 * Follows a contract until stopped. The next pass starts at once while there is more to read; after failures of the node or
 * the database the pause grows.
 *
 * @param on the callback after a pass that read the contract, and the name used in the log
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
      if (!isExpected) log.warn(`could not follow the ${on.name}`, { error: describeError(error), failures })
      else if (failures === 1) log.info(`does not follow the ${on.name}`, { reason: error.message })
    },
  }
  return startLoops(clock, [following])
}
