import type { ContractFollower, FollowContractOptions } from '../contract-events/follow-contract.ts'
import { sharedFollowing, keepFollowing } from '../contract-events/keep-following.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Background } from '../work/loop.ts'
import { createRegistryFollower } from './chain/follow-registry.ts'
import { judgeEndpointsAgain } from './chain/judge-endpoints-again.ts'
import { startInspections } from './inspect/start-inspections.ts'

/**
 * Follows the registry contract and inspects agents: new and changed ones at once, the others every
 * `settings.refreshIntervalMs`. Any number of workers share the work through the database.
 */
export function startRegistry(parts: PlatformParts, options: FollowContractOptions = {}): Background {
  const follower = createRegistryFollower(parts, {
    ...sharedFollowing(parts),
    firstBlock: parts.settings.registryFirstBlock ?? 0,
    ...options,
  })
  let areJudged = false
  const afterJudging: ContractFollower = {
    async pass() {
      if (!areJudged) await judgeEndpointsAgain(parts)
      areJudged = true
      return await follower.pass()
    },
  }
  const inspections = startInspections(parts)
  const following = keepFollowing(parts, afterJudging, { name: 'registry', passed: () => inspections.wake() })
  return {
    async stop() {
      await following.stop()
      await inspections.stop()
    },
  }
}
