import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { startAgentParty, type AgentParty } from '../parties/agent-party.ts'
import { startFacilitatorParty, type FacilitatorParty } from '../parties/facilitator-party.ts'
import { createOpenOrigin } from '../parties/open-origin.ts'
import { startStockFacilitator, STOCK_RELAYER } from '../parties/stock-facilitator.ts'
import type { Supervised } from '../parties/supervise.ts'
import { openVirtualLedger, type VirtualLedger } from '../parties/virtual-ledger.ts'
import { openVirtualStore } from '../parties/virtual-store.ts'
import { enterWorld } from '../stand-ins/current-world.ts'
import { NOBODY, type Cast } from '../workload/cast.ts'
import type { WorkloadPlan } from '../workload/plan-workload.ts'
import type { KnownJob } from '../workload/errand.ts'
import { agentIdOf } from '../workload/permissions.ts'
import { runErrand } from '../workload/run-errand.ts'
import type { World } from '../world.ts'
import type { Stage } from './stage.ts'

/** Everybody who takes part in a history. */
export interface Parties {
  readonly agents: readonly AgentParty[]
  /** What runs as a program, and can be stopped and started. */
  readonly programs: readonly Pick<
    Supervised<never, never>,
    'restart' | 'stop' | 'setClock' | 'setClockRight'
  >[]
  readonly ledger: Ledger
  /** The ledger falls back to a copy that lacks the writes of so long. */
  readonly failOverLedger: VirtualLedger['failOver']
  /** Accounts of whoever settles. */
  readonly relayers: ReadonlySet<string>
  /** Our own facilitator, with its ledger; otherwise one that keeps none. */
  readonly hasLedger: boolean
}

const OWNER = 'owner'

/** Starts facilitators and agents. */
export async function startParties(world: World, stage: Stage, plan: WorkloadPlan): Promise<Parties> {
  const { ledger, failOver: failOverLedger } = await openLedger(world, stage, plan)
  const hasLedger = plan.facilitators > 0
  const facilitators = hasLedger ? startOurs(world, stage, plan, ledger) : startStockFacilitator(world)
  enterWorld({
    random: world.random.fork('system'),
    crypto: stage.crypto,
    openOrigin: createOpenOrigin({
      wires: world.wires,
      processes: world.processes,
      findFacilitator: facilitators.find,
      node: world.node.agent,
    }),
  })
  const agents = await startAgents(world, stage, plan)
  return {
    agents,
    programs: [...facilitators.processes, ...agents.flatMap(agent => agent.replicas)],
    ledger,
    failOverLedger,
    relayers: new Set(hasLedger ? stage.cast.relayers : [STOCK_RELAYER]),
    hasLedger,
  }
}

async function openLedger(world: World, { secret, cast }: Stage, plan: WorkloadPlan): Promise<VirtualLedger> {
  const opened = openVirtualLedger(world.wires, world)
  await opened.ledger.secrets.create({
    id: secret.id,
    hash: secret.hash,
    owner: OWNER,
    wallets: plan.sharesWallet ? cast.wallets.slice(0, 1) : cast.wallets,
    createdAt: 0,
    revokedAt: null,
    label: null,
    replaces: null,
    lastUsedAt: null,
  })
  return opened
}

function startOurs(world: World, { cast }: Stage, plan: WorkloadPlan, ledger: Ledger): FacilitatorParty {
  const [first = '', second = ''] = cast.relayerKeys
  const ofOne = (index: number): readonly string[] =>
    plan.hasAllKeys ? [first, second] : [index === 0 || plan.sharesRelayer ? first : second]
  return startFacilitatorParty(world, {
    ledger,
    relayerKeys: Array.from({ length: plan.facilitators }, (_, index) => ofOne(index)),
    limits: {
      settleWaitMs: plan.settleWaitMs,
      reconcileMs: plan.reconcileMs,
      leaseMs: plan.relayerLeaseMs,
      stuckAfterMs: plan.stuckAfterMs,
    },
    timerGrainMs: plan.timerGrainMs,
  })
}

async function startAgents(world: World, stage: Stage, plan: WorkloadPlan): Promise<readonly AgentParty[]> {
  const names = ['Alpha', 'Beta'].slice(0, plan.agents)
  const shared = await openVirtualStore(world.wires, world.jobs)
  const own = await openVirtualStore(world.wires, world.jobs)
  return names.map((name, index) =>
    startAgentParty(world, {
      name,
      declaration: stage.declare(name, walletAt(stage.cast, plan, index), plan.maxDeadlineSeconds),
      secret: stage.secret.secret,
      store: index === 0 || plan.sharesStore ? shared : own,
      replicas: plan.replicas,
      hasNode: plan.hasNode,
      ...(plan.spends && { spends: { key: stage.cast.spenderKey, agentId: agentIdOf(index) } }),
      settleWaitMs: plan.agentSettleWaitMs,
      badRunRate: plan.badRunRate,
      timerGrainMs: plan.timerGrainMs,
    }),
  )
}

function walletAt({ wallets }: Cast, { sharesWallet }: WorkloadPlan, index: number): string {
  return wallets[sharesWallet ? 0 : index] ?? NOBODY
}

/** Begins each errand at its time; the returned count is of those that have not ended. */
export function startErrands(
  world: World,
  { cast, secret }: Stage,
  plan: WorkloadPlan,
  { agents }: Parties,
): { left: number } {
  const known: KnownJob[] = []
  const walletOf = (agent: AgentParty): string => walletAt(cast, plan, agents.indexOf(agent))
  const errands = { left: plan.errands.length }
  const end = (): void => {
    errands.left -= 1
  }
  for (const [index, errand] of plan.errands.entries()) {
    const name = `errand-${index + 1}`
    const random = world.random.fork(name)
    world.wires.time.after(errand.atMs, () => {
      const parts = {
        world,
        plan: errand,
        name,
        random,
        cast,
        secret: secret.secret,
        agents,
        walletOf,
        known,
      }
      runErrand(parts).then(end, end)
    })
  }
  return errands
}
