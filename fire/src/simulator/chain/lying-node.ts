import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Lie } from '../faults/fault-plan.ts'
import type { Random } from '../seeded-random.ts'
import type { Callee, Wires } from '../wires/exchange.ts'
import { receiptOf } from './shown-blocks.ts'
import { readRawTransaction } from './calls.ts'
import type { Token } from './token.ts'
import type { ChainTransaction, VirtualChain } from './virtual-chain.ts'
import type { NodeRequest } from './node.ts'

/** That it lies, each time it could. */
const LIE_RATE = 0.7

/**
 * A node that lies at times, in one of three ways, and tells the truth in all else, so that its answers disagree: it
 * swallows transactions and invents their receipts, and shows those of others without a transfer; shows an old head; or has
 * the times of blocks wrong. One that kept a whole fork of its own would be believed (SECURITY.md).
 */
export function createLyingNode(
  of: Lie['of'],
  honest: Callee<NodeRequest, unknown>,
  { wires, random, crypto, chain, token }: LyingParts,
): Callee<NodeRequest, unknown> {
  const { time, faults } = wires
  const startMs = time.nowMs()
  const lies = faults.plan.lies.filter(lie => lie.of === of)
  if (lies.length === 0) return honest
  const swallowed = new Map<string, ChainTransaction>()
  const lieNow = (): Lie | undefined => {
    const sinceMs = time.nowMs() - startMs
    if (faults.isCalm) return undefined
    return lies.find(lie => sinceMs >= lie.fromMs && sinceMs < lie.toMs && random.chance(LIE_RATE))
  }
  const told = <Answer>(what: Lie['what'], answer: Answer): Answer => {
    faults.happened(`nodes of ${of}s lie: ${what}`)
    return answer
  }
  const lieOfReceipts = async (request: NodeRequest): Promise<unknown> => {
    const [first] = request.parameters
    if (request.method === 'eth_sendRawTransaction') {
      const transaction = readRawTransaction(crypto, String(first))
      swallowed.set(transaction.hash, transaction)
      return told('receipts', transaction.hash)
    }
    if (request.method !== 'eth_getTransactionReceipt') return await honest.serve(request)
    const transaction = swallowed.get(String(first))
    if (transaction !== undefined) return told('receipts', inventReceipt(token, chain, transaction))
    const answer = await honest.serve(request)
    return typeof answer === 'object' && answer !== null ? told('receipts', { ...answer, logs: [] }) : answer
  }
  return {
    process: honest.process,
    async serve(request) {
      const lie = lieNow()
      if (lie === undefined) return await honest.serve(request)
      if (lie.what === 'receipts') return await lieOfReceipts(request)
      const { behind, aheadSeconds } = lie
      return await honest.serve(
        told(lie.what, { ...request, ...(lie.what === 'old heads' ? { behind } : { aheadSeconds }) }),
      )
    },
  }
}

interface LyingParts {
  readonly wires: Wires
  readonly random: Random
  readonly crypto: EvmCrypto
  readonly chain: VirtualChain
  readonly token: Token
}

/** The receipt of a transaction that no other node has. */
function inventReceipt(token: Token, chain: VirtualChain, transaction: ChainTransaction): object {
  const logs = transaction.calls.flatMap(call => {
    if (call.kind !== 'pay') return []
    const { from, value, validBefore } = call.authorization
    const rich = { balances: new Map([[from, BigInt(value)]]), spent: new Map(), isPaused: false }
    const outcome = token.call(rich, call, Number(validBefore) - 1)
    return outcome.ok ? outcome.logs : []
  })
  return receiptOf({ transaction, succeeded: true, logs }, chain.head())
}
