import { paymentKey } from '@farebox/payments/authorization'
import { BLOCK_MS } from '../chain/virtual-chain.ts'
import type { Parties } from '../history/start-parties.ts'
import type { World } from '../world.ts'

const MOST_LOST_MS = 3_000

/** Sets what goes wrong at its own time, whoever does what then: stores that fall back, blocks that are replaced. */
export function scheduleFaults(world: World, { agents, programs }: Parties): { readonly left: number } {
  const { time, faults } = world.wires
  const random = world.random.fork('scheduled faults')
  const { storeFailoversMs, reorganisations, shutdownsMs } = faults.plan
  const scheduled = { left: storeFailoversMs.length + reorganisations.length + shutdownsMs.length }
  const stores = new Set(agents.map(agent => agent.store))
  for (const atMs of shutdownsMs) {
    const program = random.pick(programs)
    time.after(atMs, () => {
      scheduled.left -= 1
      program.stop()
    })
  }
  for (const atMs of storeFailoversMs) {
    const lostMs = random.between(1, MOST_LOST_MS)
    time.after(atMs, () => {
      scheduled.left -= 1
      for (const store of stores) void store.failOver(lostMs)
    })
  }
  for (const { atMs, depth } of reorganisations) {
    time.after(atMs, () => {
      scheduled.left -= 1
      world.chain.reorganise(depth, transaction => {
        for (const call of transaction.calls) {
          if (call.kind === 'pay') world.undone.add(paymentKey(world.network, call.authorization))
        }
        // Mined again soon, or late, or forgotten by the nodes; but nobody would repeat what others than a relayer did.
        if (transaction.nonce !== undefined && random.chance(0.3)) return 'forgotten'
        return random.between(0, 4) * BLOCK_MS
      })
    })
  }
  return scheduled
}
