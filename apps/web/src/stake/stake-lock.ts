import { StakeProblem } from './stake-problem.ts'
import { stakeKey } from './stake-store.ts'

/** One tab of a browser at a time has a wallet send the stake of a registration. */
export interface StakeLock {
  /**
   * Does the work that sends it. Resolves once other tabs have had the time to read what was kept.
   *
   * @param work resolves to whether something was sent
   * @throws {StakeProblem} where another tab does it
   */
  hold(registrationId: string, work: () => Promise<boolean>): Promise<void>
  /** Whether another tab does it. */
  isHeldElsewhere(registrationId: string): Promise<boolean>
}

/** A tab that reads what another has stored may be a moment late: the lock is kept as long. */
const LOCK_KEPT_MS = 3_000

/** Makes the lock of this tab. The browser is asked when it is used. */
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
