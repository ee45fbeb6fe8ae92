import type { AuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { createLyingNode } from './chain/lying-node.ts'
import { createNode } from './chain/node.ts'
import { PERMISSION_SPENT, type SpendState } from './chain/spends.ts'
import { createToken } from './chain/token.ts'
import { BLOCK_MS, createVirtualChain, type ChainTransaction } from './chain/virtual-chain.ts'
import type { NodeRequest } from './chain/virtual-rpc.ts'
import { createFaults } from './faults/faults.ts'
import type { FaultPlan } from './faults/fault-plan.ts'
import type { Lie } from './faults/plan-lies.ts'
import { createTrace, silentTrace } from './history-trace.ts'
import { createJobRecords } from './records/job-records.ts'
import { createSpendRecords } from './records/spend-records.ts'
import { createSendRecords } from './records/send-records.ts'
import type { Random } from './seeded-random.ts'
import { startProcess } from './time/virtual-process.ts'
import { createVirtualTime } from './time/virtual-time.ts'
import type { Callee } from './wires/exchange.ts'
import type { World } from './world.ts'

/** 2027-01-01, by nobody's clock. */
const START_MS = Date.UTC(2027, 0, 1)

const USUAL_BASE_FEE = 100_000_000n
const SPIKED_BASE_FEE = 200_000_000_000n
/** A node that does not know the method of EIP-7966 makes our facilitator ask for receipts. */
const SYNC = 'eth_sendRawTransactionSync'
const NODE_WAITS_MS = 20_000

/** What a world is built from. */
export interface WorldParts {
  readonly random: Random
  readonly crypto: EvmCrypto
  readonly network: Network
  readonly hasher: AuthorizationHasher
  readonly plan: FaultPlan
  readonly balances: ReadonlyMap<string, bigint>
  /** What payers permit at the start. */
  readonly spends: SpendState
  readonly isTraced: boolean
}

/** Builds a world with nobody in it yet. */
export function buildWorld(parts: WorldParts): World {
  const { random, crypto, network, hasher, plan } = parts
  const time = createVirtualTime(START_MS)
  const trace = parts.isTraced ? createTrace(time.nowMs, START_MS) : silentTrace
  const faults = createFaults(random.fork('faults'), plan)
  const wires = { time, trace, faults }
  const token = createToken(
    network.asset.address,
    (authorization, signature) => {
      const digest = hasher.hashTransfer(authorization)
      return crypto.recoverAddress(digest, fromHex(signature)) === authorization.from
    },
    toHex(crypto.keccak256(new TextEncoder().encode(PERMISSION_SPENT))),
  )
  const chain = createVirtualChain({
    nowMs: time.nowMs,
    random: random.fork('blocks'),
    trace,
    token,
    state: { balances: parts.balances, spent: new Map(), isPaused: false, spends: parts.spends },
  })
  const broadcast: ChainTransaction[] = []
  const deliveryRandom = random.fork('transactions')
  const hasSync = random.fork('nodes').chance(0.5)
  const deliveryOf = (): { readonly delayMs: number; readonly isForgotten: boolean } => {
    const isSlow = !faults.isCalm && deliveryRandom.chance(plan.amount['slow-transaction'])
    const isForgotten = !faults.isCalm && deliveryRandom.chance(plan.amount['lost-transaction'])
    if (isSlow) faults.happened('transactions slow')
    if (isForgotten) faults.happened('transactions forgotten by nodes')
    return {
      delayMs: (isSlow ? deliveryRandom.between(1, 20) : deliveryRandom.between(0, 1)) * BLOCK_MS,
      isForgotten,
    }
  }
  const node = createNode({
    chain,
    token,
    network,
    crypto,
    domainSeparator: hasher.domainSeparator,
    nowMs: time.nowMs,
    baseFee() {
      if (faults.isCalm || !isSpiked(plan, time.nowMs())) return USUAL_BASE_FEE
      faults.happened('gas too dear')
      return SPIKED_BASE_FEE
    },
    deliveryOf,
    onTaken: transaction => void broadcast.push(transaction),
  })
  const lags = random.fork('lags')
  const answer = (method: string, { parameters, behind: told, aheadSeconds }: NodeRequest): unknown => {
    const usual =
      faults.isCalm || plan.amount['node-lag'] === 0 ? 0 : lags.between(0, plan.amount['node-lag'])
    const behind = told ?? usual
    if (behind > 0) faults.happened('nodes behind')
    return node.answer(method, parameters, behind, aheadSeconds)
  }

  /** EIP-7966: the receipt is the answer, if it comes in time. */
  const waitForReceipt = async (hash: unknown): Promise<unknown> => {
    for (let waitedMs = 0; waitedMs < NODE_WAITS_MS; waitedMs += BLOCK_MS) {
      const receipt = node.answer('eth_getTransactionReceipt', [hash], 0)
      if (receipt !== null) return receipt
      await new Promise<void>(resolve => void time.after(BLOCK_MS - (time.nowMs() % BLOCK_MS), resolve))
    }
    return null
  }
  const serving: Callee<NodeRequest, unknown> = {
    process: startProcess(time, { name: 'node' }),
    async serve(request) {
      const { method } = request
      if (method !== SYNC || !hasSync) return await Promise.resolve(answer(method, request))
      return await waitForReceipt(answer('eth_sendRawTransaction', request))
    },
  }
  const nodeOf = (of: Lie['of']): World['node'][typeof of] =>
    createLyingNode({
      wires,
      random: random.fork(`lies of the ${of}'s node`),
      crypto,
      chain,
      token,
      honest: serving,
      of,
      lies: plan.lies.filter(lie => lie.of === of),
      startMs: START_MS,
    })
  return {
    wires,
    random,
    crypto,
    network,
    chain,
    token,
    delayOfTransaction() {
      const { delayMs, isForgotten } = deliveryOf()
      return isForgotten ? Number.POSITIVE_INFINITY : delayMs
    },
    node: { agent: nodeOf('agent'), facilitator: nodeOf('facilitator') },
    processes: new Map(),
    payers: new Set(),
    jobs: createJobRecords(time.nowMs),
    sends: createSendRecords(time.nowMs, network),
    said: { deliveries: [], oddAnswers: [], oddDeeds: [] },
    words: { ofClients: [], signed: new Map(), ofFacilitators: [] },
    broadcast,
    boundTo: new Map(),
    meddled: new Map(),
    mischief: { open: 0 },
    spends: createSpendRecords(crypto, network),
    undone: new Set(),
    forgottenMs: new Map(),
    setBack: new Set(),
  }
}

function isSpiked({ gasSpike }: FaultPlan, nowMs: number): boolean {
  if (gasSpike === undefined) return false
  const sinceStartMs = nowMs - START_MS
  return sinceStartMs >= gasSpike.fromMs && sinceStartMs < gasSpike.toMs
}
