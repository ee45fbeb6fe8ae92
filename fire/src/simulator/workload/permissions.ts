import { NO_SPENDS, setTerms, type SpendState, type SpendTerms } from '../chain/token.ts'
import { createSpendRecords } from '../records/spend-records.ts'
import type { Stage } from '../history/stage.ts'
import type { Random } from '../seeded-random.ts'
import type { World } from '../build-world.ts'
import type { WorkloadPlan } from './plan-workload.ts'

/** The payers' additional balance, in a history in which agents spend. */
export const SPENDING_MONEY = 60_000n

const LIMITS = [2_000n, 5_000n, 5_000n]
const CAPS = [3_000n, 8_000n, 60_000n, 60_000n]
const MOST_CHANGES = 3
const REVOKED: SpendTerms = { limit: 0n, cap: 0n }

/** The number under which an agent is registered. */
export function agentIdOf(index: number): bigint {
  return BigInt(index + 1)
}

/** The permissions of each payer for each agent at the start of a history. */
export function permitAtStart(random: Random, { crypto, network, cast }: Stage, agents: number): SpendState {
  const { idOf } = createSpendRecords(crypto, network)
  let state = NO_SPENDS
  for (const { address } of cast.payers)
    for (let index = 0; index < agents; index += 1)
      state = setTerms(state, idOf(address, cast.spender, agentIdOf(index)), drawTerms(random))
  return state
}

/** Makes payers raise, lower and revoke their permissions during a history. */
export function changePermissions(world: World, { cast }: Stage, { lengthMs, agents }: WorkloadPlan): void {
  const random = world.random.fork('changes of permissions')
  for (let left = random.between(1, MOST_CHANGES); left > 0; left -= 1) {
    const { address } = random.pick(cast.payers)
    const id = world.spends.idOf(address, cast.spender, agentIdOf(random.between(0, agents - 1)))
    const terms = random.chance(0.4) ? REVOKED : drawTerms(random)
    const hash = random.hex(32)
    const delayMs = random.between(0, 4_000)
    world.mischief.open += 1
    world.wires.time.after(random.between(0, lengthMs), () => {
      world.mischief.open -= 1
      world.wires.faults.happened('permissions changed')
      world.sendOnChain(address, { kind: 'permit', id, terms }, hash, delayMs)
    })
  }
}

function drawTerms(random: Random): SpendTerms {
  const limit = random.pick(LIMITS)
  return { limit, cap: random.pick(CAPS) }
}
