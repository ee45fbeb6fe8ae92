import type { World } from '../build-world.ts'
import { startAgentParty } from '../parties/agent-party.ts'
import { startFacilitators } from '../parties/facilitator-party.ts'
import { createOpenOrigin } from '../parties/open-origin.ts'
import { startStockFacilitator, STOCK_RELAYER } from '../parties/stock-facilitator.ts'
import { openVirtualLedger } from '../parties/virtual-ledger.ts'
import { openVirtualStore } from '../parties/virtual-store.ts'
import { enterWorld } from '../stand-ins/current-world.ts'
import type { WorkloadPlan } from '../workload/plan-workload.ts'
import type { Stage } from './stage.ts'

export type Parties = Awaited<ReturnType<typeof startParties>>

/** Starts facilitators and agents. */
export async function startParties(world: World, stage: Stage, plan: WorkloadPlan) {
  const { ledger, failOver } = openVirtualLedger(world)
  const { id, hash } = stage.secret
  const wallets = plan.sharesWallet ? stage.cast.wallets.slice(0, 1) : stage.cast.wallets
  const unused = { revokedAt: null, label: null, replaces: null, lastUsedAt: null }
  await ledger.secrets.create({ id, hash, owner: 'owner', wallets, createdAt: 0, ...unused })
  /** Our own facilitators, with their ledger; otherwise one without a ledger. */
  const hasLedger = plan.facilitators > 0
  const balancing = world.random.fork('balancer of the facilitators')
  enterWorld({
    random: world.random.fork('system'),
    crypto: stage.crypto,
    openOrigin: createOpenOrigin(world, () => balancing.pick(facilitators).serving()),
  })
  const facilitators = hasLedger
    ? startFacilitators(world, stage, plan, ledger)
    : [startStockFacilitator(world)]
  const shared = await openVirtualStore(world)
  const own = await openVirtualStore(world)
  const agents = Array.from({ length: plan.agents }, (_, index) =>
    startAgentParty(world, stage, plan, index, index === 0 || plan.sharesStore ? shared : own),
  )
  return {
    agents,
    /** The parts that run as programs, and can be stopped and started. */
    programs: [...facilitators, ...agents.flatMap(agent => agent.replicas)],
    ledger,
    /** The ledger is restored from a copy that lacks the writes of this period. */
    failOverLedger: failOver,
    relayers: new Set(hasLedger ? stage.cast.relayers : [STOCK_RELAYER]),
    hasLedger,
  }
}
