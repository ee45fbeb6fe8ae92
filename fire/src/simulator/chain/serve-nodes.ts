import type { Lie, FaultPlan } from '../faults/fault-plan.ts'
import { startProcess } from '../time/virtual-process.ts'
import type { Callee } from '../wires/exchange.ts'
import { readRawTransaction } from './calls.ts'
import { createNode, receiptOf, type NodeParts, type NodeRequest } from './node.ts'
import { BLOCK_MS, type ChainTransaction } from './virtual-chain.ts'

const USUAL_BASE_FEE = 100_000_000n
const SPIKED_BASE_FEE = 200_000_000_000n
/** A node that does not know the method of EIP-7966 makes our facilitator ask for receipts. */
const SYNC = 'eth_sendRawTransactionSync'
const NODE_WAITS_MS = 20_000

/** Serves the nodes of a chain, as slow, forgetful, expensive and dishonest as the fault plan says. */
export function serveNodes(parts: NodeParts) {
  const { wires, random, chain } = parts
  const { time, faults } = wires
  const { plan } = faults
  const startMs = time.nowMs()
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
  const node = createNode(parts, {
    baseFee() {
      if (faults.isCalm || !isSpiked(plan, time.nowMs() - startMs)) return USUAL_BASE_FEE
      faults.happened('gas too dear')
      return SPIKED_BASE_FEE
    },
    take(transaction) {
      const { delayMs, isForgotten } = deliveryOf()
      const refused = chain.submit(transaction, delayMs)
      if (refused !== undefined) return refused
      broadcast.push(transaction)
      if (isForgotten) chain.forget(transaction.hash)
      return undefined
    },
  })
  const lags = random.fork('lags')
  const answer = (request: NodeRequest): unknown => {
    const usual =
      faults.isCalm || plan.amount['node-lag'] === 0 ? 0 : lags.between(0, plan.amount['node-lag'])
    const behind = request.behind ?? usual
    if (behind > 0) faults.happened('nodes behind')
    return node({ ...request, behind })
  }

  /** EIP-7966: the receipt is the answer, if it arrives in time. */
  const waitForReceipt = async (hash: unknown): Promise<unknown> => {
    for (let waitedMs = 0; waitedMs < NODE_WAITS_MS; waitedMs += BLOCK_MS) {
      const receipt = node({ method: 'eth_getTransactionReceipt', parameters: [hash] })
      if (receipt !== null) return receipt
      await new Promise<void>(resolve => void time.after(BLOCK_MS - (time.nowMs() % BLOCK_MS), resolve))
    }
    return null
  }
  const serving: Callee<NodeRequest, unknown> = {
    process: startProcess(time, 'node'),
    async serve(request) {
      if (request.method !== SYNC || !hasSync) return await Promise.resolve(answer(request))
      return await waitForReceipt(answer({ ...request, method: 'eth_sendRawTransaction' }))
    },
  }
  return {
    /** The relayers' broadcast transactions, in order. */
    broadcast,
    /** How long a transaction sent now will wait for a block; infinite for one that gets lost. */
    delayOfTransaction(): number {
      const { delayMs, isForgotten } = deliveryOf()
      return isForgotten ? Number.POSITIVE_INFINITY : delayMs
    },
    /** The node of each kind of process: both show the same chain, and lie about it independently. */
    node: {
      agent: createLyingNode('agent', serving, parts),
      facilitator: createLyingNode('facilitator', serving, parts),
    },
  }
}

function isSpiked({ gasSpike }: FaultPlan, sinceStartMs: number): boolean {
  return gasSpike !== undefined && sinceStartMs >= gasSpike.fromMs && sinceStartMs < gasSpike.toMs
}

/** The probability of a lie at each opportunity. */
const LIE_RATE = 0.7

/**
 * A node that lies at times, in one of three ways, and is otherwise honest, so that its answers disagree: it swallows
 * transactions and invents their receipts, and shows those of others without a transfer; shows an old head; or has
 * wrong block times. A node with a complete fork of its own would be believed (SECURITY.md).
 */
function createLyingNode(
  of: Lie['of'],
  honest: Callee<NodeRequest, unknown>,
  parts: NodeParts,
): Callee<NodeRequest, unknown> {
  const { time, faults } = parts.wires
  const random = parts.random.fork(`lies of the ${of}'s node`)
  const startMs = time.nowMs()
  const lies = faults.plan.lies.filter(lie => lie.of === of)
  if (lies.length === 0) return honest
  const swallowed = new Map<string, ChainTransaction>()
  const lieNow = (): Lie | undefined => {
    const sinceMs = time.nowMs() - startMs
    if (faults.isCalm) return undefined
    return lies.find(lie => sinceMs >= lie.fromMs && sinceMs < lie.toMs && random.chance(LIE_RATE))
  }
  const lying = <Answer>(what: Lie['what'], answer: Answer): Answer => {
    faults.happened(`nodes of ${of}s lie: ${what}`)
    return answer
  }
  const lieOfReceipts = async (request: NodeRequest): Promise<unknown> => {
    const [first] = request.parameters
    if (request.method === 'eth_sendRawTransaction') {
      const transaction = readRawTransaction(parts.stage.crypto, String(first))
      swallowed.set(transaction.hash, transaction)
      return lying('receipts', transaction.hash)
    }
    if (request.method !== 'eth_getTransactionReceipt') return await honest.serve(request)
    const transaction = swallowed.get(String(first))
    if (transaction !== undefined) return lying('receipts', inventReceipt(parts, transaction))
    const answer = await honest.serve(request)
    return typeof answer === 'object' && answer !== null ? lying('receipts', { ...answer, logs: [] }) : answer
  }
  return {
    process: honest.process,
    async serve(request) {
      const lie = lieNow()
      if (lie === undefined) return await honest.serve(request)
      if (lie.what === 'receipts') return await lieOfReceipts(request)
      const { behind, aheadSeconds } = lie
      return await honest.serve(
        lying(lie.what, { ...request, ...(lie.what === 'old heads' ? { behind } : { aheadSeconds }) }),
      )
    },
  }
}

/** The receipt of a transaction that no other node has. */
function inventReceipt({ token, chain }: NodeParts, transaction: ChainTransaction): object {
  const logs = transaction.calls.flatMap(call => {
    if (call.kind !== 'pay') return []
    const { from, value, validBefore } = call.authorization
    const rich = { balances: new Map([[from, BigInt(value)]]), spent: new Map(), isPaused: false }
    const outcome = token.call(rich, call, Number(validBefore) - 1)
    return outcome.ok ? outcome.logs : []
  })
  return receiptOf({ transaction, succeeded: true, logs }, chain.head())
}
