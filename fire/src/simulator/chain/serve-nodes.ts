import type { Lie, FaultPlan } from '../faults/fault-plan.ts'
import type { Stage } from '../history/stage.ts'
import type { Random } from '../seeded-random.ts'
import { startProcess } from '../time/virtual-process.ts'
import type { Callee, Wires } from '../wires/exchange.ts'
import { createLyingNode } from './lying-node.ts'
import { createNode, type NodeRequest } from './node.ts'
import type { Token } from './token.ts'
import { BLOCK_MS, type ChainTransaction, type VirtualChain } from './virtual-chain.ts'

const USUAL_BASE_FEE = 100_000_000n
const SPIKED_BASE_FEE = 200_000_000_000n
/** A node that does not know the method of EIP-7966 makes our facilitator ask for receipts. */
const SYNC = 'eth_sendRawTransactionSync'
const NODE_WAITS_MS = 20_000

/** Serves the nodes of a chain, as slow, forgetful, dear and untrue as the plan of faults has them. */
export function serveNodes(wires: Wires, random: Random, stage: Stage, chain: VirtualChain, token: Token) {
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
  const node = createNode(stage, {
    chain,
    token,
    nowMs: time.nowMs,
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

  /** EIP-7966: the receipt is the answer, if it comes in time. */
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
  const nodeOf = (of: Lie['of']): Callee<NodeRequest, unknown> => {
    const lying = random.fork(`lies of the ${of}'s node`)
    return createLyingNode(of, serving, { wires, random: lying, crypto: stage.crypto, chain, token })
  }
  return {
    /** What relayers have broadcast, in order. */
    broadcast,
    /** How long a transaction that is sent now will wait for a block; infinite for one that gets lost. */
    delayOfTransaction(): number {
      const { delayMs, isForgotten } = deliveryOf()
      return isForgotten ? Number.POSITIVE_INFINITY : delayMs
    },
    /** The node each kind of process asks: both show the same chain, and lie about it each for itself. */
    node: { agent: nodeOf('agent'), facilitator: nodeOf('facilitator') },
  }
}

function isSpiked({ gasSpike }: FaultPlan, sinceStartMs: number): boolean {
  return gasSpike !== undefined && sinceStartMs >= gasSpike.fromMs && sinceStartMs < gasSpike.toMs
}
