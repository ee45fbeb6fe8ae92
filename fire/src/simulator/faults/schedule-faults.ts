import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import { BLOCK_MS } from '../chain/virtual-chain.ts'
import type { Parties } from '../history/start-parties.ts'
import type { Random } from '../seeded-random.ts'
import type { World } from '../build-world.ts'

/** In blocks; in seconds well below a network's finality. */
const DEEPEST_REORGANISATION = 4
const MOST_LOST_MS = 3_000
/** A backup is older than a replica's lag. */
const MOST_RESTORED_MS = 30_000
/** After a call that a targeted fault struck: its answer may have been acted on by then, or not. */
const SOON_MS = 4_000

/** Schedules the faults with their own times: stores that are restored, blocks that are replaced. */
export function scheduleFaults(
  world: World,
  { agents, programs, failOverLedger, hasLedger }: Parties,
): { readonly left: number } {
  const { time, faults } = world.wires
  const random = world.random.fork('scheduled faults')
  const { moments, clockJumps, targeted } = faults.plan
  const scheduled = { left: 0 }
  const schedule = (atMs: number, deed: () => void): void => {
    scheduled.left += 1
    time.after(atMs, () => {
      scheduled.left -= 1
      deed()
    })
  }
  const stores = new Set(agents.map(agent => agent.store))
  for (const atMs of moments.shutdown) {
    const program = random.pick(programs)
    schedule(atMs, () => {
      faults.happened('programs stopped in good order')
      program.stop()
    })
  }
  const failOverStores = (lostMs: number): void => {
    faults.happened(lostMs === Infinity ? 'stores lost everything' : 'stores fell back')
    for (const store of stores) void store.failOver(lostMs)
  }
  for (const atMs of moments['store-failover']) {
    const lostMs = random.between(1, MOST_LOST_MS)
    schedule(atMs, () => failOverStores(lostMs))
  }
  for (const atMs of moments['store-loss']) schedule(atMs, () => failOverStores(Infinity))
  const loseRows = (lostMs: number): void => {
    if (!hasLedger) return
    faults.happened('ledgers fell back')
    void failOverLedger(lostMs)
  }
  for (const atMs of moments['ledger-loss']) {
    const lostMs = random.between(1, random.chance(0.7) ? MOST_LOST_MS : MOST_RESTORED_MS)
    schedule(atMs, () => loseRows(lostMs))
  }
  for (const atMs of moments.reorganisation)
    schedule(atMs, () => replaceBlocks(world, random, 1 + (atMs % DEEPEST_REORGANISATION)))
  const jumping = world.random.fork('clocks that are set')
  for (const { atMs, byMs } of clockJumps) {
    const program = jumping.pick(programs)
    schedule(atMs, () => {
      faults.happened('clocks set')
      program.setClock(byMs)
    })
  }
  const onStrike = (withinMs: number, strike: (struck: Random) => void): void =>
    faults.onStrike(() => {
      const struck = world.random.fork(`strike at ${time.nowMs()}`)
      schedule(struck.between(0, withinMs), () => strike(struck))
    })
  if (targeted?.mishap === 'sees blocks replaced')
    onStrike(SOON_MS, struck => replaceBlocks(world, struck, struck.between(1, DEEPEST_REORGANISATION)))
  if (targeted?.mishap === 'sees the ledger fall back')
    onStrike(BLOCK_MS, struck => {
      const lostMs = struck.between(500, 3 * MOST_LOST_MS)
      loseRows(lostMs)
      // Both may have been on one machine: then only the chain records a charge.
      if (struck.chance(0.4)) failOverStores(lostMs)
    })
  return scheduled
}

function replaceBlocks(world: World, random: Random, depth: number): void {
  const { faults } = world.wires
  faults.happened('blocks replaced')
  world.chain.reorganise(depth, transaction => {
    for (const call of transaction.calls) {
      if (call.kind === 'spend') world.spends.undone.add(`${call.id} ${call.ref}`)
      if (call.kind === 'pay') world.undone.add(paymentKey(world.network, call.authorization))
    }
    // Mined again soon, or late, or dropped by the nodes; but only relayers' transactions would be repeated.
    if (transaction.nonce !== undefined && random.chance(0.3)) {
      faults.happened('transactions forgotten with their blocks')
      return 'forgotten'
    }
    return random.between(0, 4) * BLOCK_MS
  })
}
