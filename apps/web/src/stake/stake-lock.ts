import { StakeProblem } from './stake-problem.ts'
import { stakeKey } from './stake-store.ts'

/** Ensures that only one tab of a browser at a time has a wallet send the stake of a registration. */
export interface StakeLock {
  /**
   * Runs the work that sends the stake. Resolves once other tabs have had the time to read what was stored.
   *
   * @param work resolves to whether something was sent
   * @throws {StakeProblem} when another tab holds the lock
   */
  hold(registrationId: string, work: () => Promise<boolean>): Promise<void>
  /** Whether another tab holds the lock. */
  isHeldElsewhere(registrationId: string): Promise<boolean>
}

/** How long the lock is kept after sending, because other tabs may read the stored stake with a delay. */
const LOCK_KEPT_MS = 3_000

/** Creates the lock of this tab. The browser's lock is requested when it is used. */
export function createStakeLock(): StakeLock {
  let isOwn = false
  return {
    async hold(registrationId, work) {
      try {
        await navigator.locks.request(stakeKey(registrationId), { ifAvailable: true }, async lock => {
          if (lock === null)
            throw new StakeProblem(
              'Another tab is already staking.',
              'Confirm or decline the transaction there.',
            )
          isOwn = true
          if (await work()) await new Promise(resolve => setTimeout(resolve, LOCK_KEPT_MS))
        })
      } finally {
        isOwn = false
      }
    },
    async isHeldElsewhere(registrationId) {
      if (isOwn) return false
      const { held = [] } = await navigator.locks.query()
      return !isOwn && held.some(({ name }) => name === stakeKey(registrationId))
    },
  }
}
