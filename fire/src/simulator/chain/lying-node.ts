import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Lie } from '../faults/fault-plan.ts'
import type { Random } from '../seeded-random.ts'
import type { Callee, Wires } from '../wires/exchange.ts'
import { receiptOf } from './shown-blocks.ts'
import { readRawTransaction } from './read-raw-transaction.ts'
import type { Token } from './token.ts'
import type { ChainTransaction, VirtualChain } from './virtual-chain.ts'
import type { NodeRequest } from './virtual-rpc.ts'

/** What a node lies with. */
export interface LyingParts {
  readonly wires: Wires
  readonly random: Random
  readonly crypto: EvmCrypto
  readonly chain: VirtualChain
  readonly token: Token
  /** The node that would tell the truth. */
  readonly honest: Callee<NodeRequest, unknown>
  /** Whose node it is, for the counts. */
  readonly of: Lie['of']
  readonly lies: readonly Lie[]
  readonly startMs: number
}

/** That it lies, each time it could. */
const LIE_RATE = 0.7

/**
 * A node that lies at times, in one of three ways, and tells the truth in all else, so that its answers disagree: it
 * swallows transactions and invents their receipts, and shows those of others without a transfer; shows an old head; or has
 * the times of blocks wrong. One that kept a whole fork of its own would be believed (SECURITY.md).
 */
export function createLyingNode(parts: LyingParts): Callee<NodeRequest, unknown> {
  const { wires, random, honest, of, lies, startMs } = parts
  const { time, faults } = wires
  const swallowed = new Map<string, ChainTransaction>()
  const lieNow = (): Lie | undefined => {
    const sinceMs = time.nowMs() - startMs
    if (faults.isCalm) return undefined
    return lies.find(lie => sinceMs >= lie.fromMs && sinceMs < lie.toMs && random.chance(LIE_RATE))
  }
  if (lies.length === 0) return honest
  return {
    process: honest.process,
    async serve(request) {
      const lie = lieNow()
      if (lie === undefined) return await honest.serve(request)
      const told = (): void => faults.happened(`nodes of ${of}s lie: ${lie.what}`)
      switch (lie.what) {
        case 'old heads':
          told()
          return await honest.serve({ ...request, behind: lie.behind })
        case 'block times':
          told()
          return await honest.serve({ ...request, aheadSeconds: lie.aheadSeconds })
        case 'receipts': {
          const invented =
            inventReceipt(parts, swallowed, request) ?? emptyReceipt(request, await honest.serve(request))
          if (invented.isLie) told()
          return invented.answer
        }
      }
    },
  }
}

interface Invented {
  readonly answer: unknown
  readonly isLie: boolean
}

/** A receipt as it is, without its transfers; anything else is left alone. */
function emptyReceipt({ method }: NodeRequest, answer: unknown): Invented {
  const isReceipt = method === 'eth_getTransactionReceipt' && typeof answer === 'object' && answer !== null
  return isReceipt ? { answer: { ...answer, logs: [] }, isLie: true } : { answer, isLie: false }
}

/** Takes a transaction without passing it on, and has a receipt of it; undefined for anything else. */
function inventReceipt(
  { crypto, chain, token }: LyingParts,
  swallowed: Map<string, ChainTransaction>,
  { method, parameters }: NodeRequest,
): Invented | undefined {
  const [first] = parameters
  if (method === 'eth_sendRawTransaction') {
    const transaction = readRawTransaction(crypto, String(first))
    swallowed.set(transaction.hash, transaction)
    return { answer: transaction.hash, isLie: true }
  }
  const transaction = method === 'eth_getTransactionReceipt' ? swallowed.get(String(first)) : undefined
  if (transaction === undefined) return undefined
  const logs = transaction.calls.flatMap(call => {
    if (call.kind !== 'pay') return []
    const { from, value, validBefore } = call.authorization
    const rich = { balances: new Map([[from, BigInt(value)]]), spent: new Map(), isPaused: false }
    const outcome = token.call(rich, call, Number(validBefore) - 1)
    return outcome.ok ? outcome.logs : []
  })
  return { answer: receiptOf({ transaction, succeeded: true, logs }, chain.head()), isLie: true }
}
