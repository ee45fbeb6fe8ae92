import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { createLyingNode } from './chain/lying-node.ts'
import { createNode } from './chain/node.ts'
import { PERMISSION_SPENT } from './chain/spends.ts'
import { createToken, type TokenState } from './chain/token.ts'
import { BLOCK_MS, createVirtualChain, type ChainTransaction } from './chain/virtual-chain.ts'
import type { NodeRequest } from './chain/virtual-rpc.ts'
import { createFaults } from './faults/faults.ts'
import type { FaultPlan, Lie } from './faults/fault-plan.ts'
import { createTrace } from './history-trace.ts'
import { createJobRecords } from './records/job-records.ts'
import { createSpendRecords } from './records/spend-records.ts'
import { createSendRecords } from './records/send-records.ts'
import type { Random } from './seeded-random.ts'
import { openWords } from './records/words.ts'
import { startProcess, type VirtualProcess } from './time/virtual-process.ts'
import { createVirtualTime } from './time/virtual-time.ts'
import type { Stage } from './history/stage.ts'
import type { Callee } from './wires/exchange.ts'

/** 2027-01-01, by nobody's clock. */
const START_MS = Date.UTC(2027, 0, 1)

const USUAL_BASE_FEE = 100_000_000n
const SPIKED_BASE_FEE = 200_000_000_000n
/** A node that does not know the method of EIP-7966 makes our facilitator ask for receipts. */
const SYNC = 'eth_sendRawTransactionSync'
const NODE_WAITS_MS = 20_000

/** Everything a history takes place in. */
export type World = ReturnType<typeof buildWorld>

/** Builds a world with nobody in it yet: with these balances, and what payers permit at the start. */
export function buildWorld(
  { crypto, network, hasher }: Stage,
  random: Random,
  plan: FaultPlan,
  start: Pick<TokenState, 'balances' | 'spends'>,
  isTraced: boolean,
) {
  const time = createVirtualTime(START_MS)
  const trace = createTrace(time.nowMs, isTraced)
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
    state: { ...start, spent: new Map(), isPaused: false },
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
    return node(method, parameters, behind, aheadSeconds)
  }

  /** EIP-7966: the receipt is the answer, if it comes in time. */
  const waitForReceipt = async (hash: unknown): Promise<unknown> => {
    for (let waitedMs = 0; waitedMs < NODE_WAITS_MS; waitedMs += BLOCK_MS) {
      const receipt = node('eth_getTransactionReceipt', [hash], 0)
      if (receipt !== null) return receipt
      await new Promise<void>(resolve => void time.after(BLOCK_MS - (time.nowMs() % BLOCK_MS), resolve))
    }
    return null
  }
  const serving: Callee<NodeRequest, unknown> = {
    process: startProcess(time, 'node'),
    async serve(request) {
      const { method } = request
      if (method !== SYNC || !hasSync) return await Promise.resolve(answer(method, request))
      return await waitForReceipt(answer('eth_sendRawTransaction', request))
    },
  }
  const nodeOf = (of: Lie['of']): Callee<NodeRequest, unknown> =>
    createLyingNode(of, serving, {
      wires,
      random: random.fork(`lies of the ${of}'s node`),
      crypto,
      chain,
      token,
    })
  return {
    wires,
    random,
    crypto,
    network,
    chain,
    token,
    /** How long a transaction that is sent now will wait for a block; infinite for one that gets lost. */
    delayOfTransaction(): number {
      const { delayMs, isForgotten } = deliveryOf()
      return isForgotten ? Number.POSITIVE_INFINITY : delayMs
    },
    /** The node each kind of process asks: both show the same chain, and lie about it each for itself. */
    node: { agent: nodeOf('agent'), facilitator: nodeOf('facilitator') },
    /** Those that live, by `hostName`. */
    processes: new Map<string, VirtualProcess>(),
    /** Those that call agents; a program that is started again begins a new one. */
    payers: new Set<VirtualProcess>(),
    jobs: createJobRecords(time.nowMs),
    sends: createSendRecords(time.nowMs, network),
    spends: createSpendRecords(crypto, network),
    ...openWords(),
    /** What relayers have broadcast, in order. */
    broadcast,
    /** The job that a payment is bound to by its nonce, by the payment's key. */
    boundTo: new Map<string, string>(),
    /** Payments that were used at our facilitator by somebody else than our agents, with their `validBefore`. */
    meddled: new Map<string, number>(),
    /** Mischief that has not been made yet. */
    mischief: { open: 0 },
    /** Payments that a reorganisation took out of their block again. */
    undone: new Set<string>(),
    /** Payments whose row the facilitator's ledger lost, or has as given back, and since when. */
    forgottenMs: new Map<string, number>(),
    /** Payments whose row the facilitator's ledger lost, or has as it was before. */
    setBack: new Set<string>(),
  }
}

function isSpiked({ gasSpike }: FaultPlan, nowMs: number): boolean {
  if (gasSpike === undefined) return false
  const sinceStartMs = nowMs - START_MS
  return sinceStartMs >= gasSpike.fromMs && sinceStartMs < gasSpike.toMs
}
