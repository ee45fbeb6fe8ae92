import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { quantity } from '@farebox/payments/internal/chain/rpc-words'
import { broadcast, readRefusal, type Broadcast } from '@farebox/payments/internal/transaction/broadcast'
import { chooseFees, type ChosenFees } from '@farebox/payments/internal/transaction/choose-fees'
import { countTransactions, readCoinBalance } from '@farebox/payments/internal/transaction/read-account'
import type { Clock } from '@farebox/protocol/time/clock'
import { shareCalls } from '../../share-calls.ts'
import type { Fees, SettlementCall } from './relayer-account.ts'

/** The node's response to a transaction. */
export type RelayerBroadcast =
  /** The transaction is in a block already (EIP-7966). */
  { readonly kind: 'mined'; readonly receipt: ChainReceipt } | Broadcast

/** The simulated result of a transaction in the newest block. */
export type SimulatedCall =
  /** `0x` hex: the return value of the call. */
  | { readonly kind: 'passes'; readonly data: string }
  | { readonly kind: 'fails'; readonly message: string }
  /** The account cannot pay for the transaction. */
  | { readonly kind: 'no-funds'; readonly message: string }

/** The chain as the relayer uses it. Every method rejects when the node gives no answer. */
export interface RelayerNode {
  /**
   * Sends a transaction; safe to repeat. With `blockMs`, a node that supports it is asked to respond when the transaction is
   * mined, which saves the request for the receipt. Without a response within that time, it may have been sent.
   */
  broadcast(raw: string, blockMs?: number): Promise<RelayerBroadcast>
  /**
   * Simulates a transaction exactly as it would be sent, with its sender, gas and fees; rejects when the result is
   * inconclusive.
   */
  simulate(sender: string, call: SettlementCall, fees: Fees): Promise<SimulatedCall>
  /** The fees that a transaction should offer now, before any cap; at most a few seconds old. */
  fees(): Promise<ChosenFees>
  /** The account's number of mined transactions: the nonce of its next one. */
  nonce(address: string): Promise<number>
  /** The balance in wei. */
  balance(address: string): Promise<bigint>
}

/**
 * A node that has not mined the transaction after this many blocks, and at least a second, is asked for the receipt instead.
 */
const SYNC_BLOCKS = 1.5
const SHORTEST_SYNC_MS = 1_000
/**
 * Fees older than the first value are read again; fees older than the second are not used meanwhile. Fees stay sufficient
 * for six full blocks, so a lone payment need not wait for new ones.
 */
const FEES_FRESH_MS = 1_000
const FEES_USABLE_MS = 5_000
const METHOD_NOT_FOUND = -32_601
/** The error code of nodes for a reverted call. */
const REVERTED = 3
/** Error messages of nodes for calls that fail otherwise: out of gas, or by an invalid instruction. */
const FAILS = /revert|out of ?gas|gas required exceeds|invalid (?:opcode|instruction|FE)|invalidFE|EVM error/i

/** Creates the relayer's interface to a node. */
export function createRelayerNode(rpc: JsonRpc, clock: Clock): RelayerNode {
  let sync = true
  let known: { readonly readAtMs: number; readonly fees: ChosenFees } | undefined
  const readFees = shareCalls(async () => {
    const readAtMs = clock.nowMs()
    known = { readAtMs, fees: await chooseFees(rpc) }
  })
  return {
    async broadcast(raw, blockMs) {
      if (sync && blockMs !== undefined) {
        const timeoutMs = Math.max(SHORTEST_SYNC_MS, blockMs * SYNC_BLOCKS)
        const outcome = await broadcastSync(rpc, raw, timeoutMs)
        if (outcome !== 'unknown-method') return outcome
        sync = false
      }
      return await broadcast(rpc, raw)
    },
    async simulate(sender, { to, data, gas }, { maxFeePerGas, maxPriorityFeePerGas }) {
      const transaction = {
        from: sender,
        to,
        data,
        gas: quantity(gas),
        maxFeePerGas: quantity(maxFeePerGas),
        maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
      }
      try {
        return { kind: 'passes', data: String(await rpc.call('eth_call', [transaction, 'latest'])) }
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error
        const message = error.message.slice(0, 300)
        if (/insufficient funds/i.test(message)) return { kind: 'no-funds', message }
        if (error.code === REVERTED || FAILS.test(message)) return { kind: 'fails', message }
        throw error
      }
    },
    async fees() {
      const nowMs = clock.nowMs()
      if (known === undefined || nowMs - known.readAtMs > FEES_FRESH_MS) {
        const reading = readFees(undefined)
        // A caller that has usable fees does not wait and must not fail with this read; the next caller without usable fees
        // waits for it and gets the error.
        if (known !== undefined && nowMs - known.readAtMs <= FEES_USABLE_MS) reading.catch(() => undefined)
        else await reading
      }
      if (known === undefined) throw new Error('the node gave no fees')
      return known.fees
    },
    nonce: address => countTransactions(rpc, address, 'latest'),
    balance: address => readCoinBalance(rpc, address),
  }
}

async function broadcastSync(
  rpc: JsonRpc,
  raw: string,
  timeoutMs: number,
): Promise<RelayerBroadcast | 'unknown-method'> {
  try {
    const receipt = parseReceipt(await rpc.call('eth_sendRawTransactionSync', [raw], { timeoutMs }))
    return receipt === undefined ? { kind: 'sent' } : { kind: 'mined', receipt }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return { kind: 'sent' }
    if (!(error instanceof JsonRpcError)) throw error
    if (
      error.code === METHOD_NOT_FOUND ||
      /method.*(not found|not supported|does not exist)|unsupported method/i.test(error.message)
    ) {
      return 'unknown-method'
    }
    return readRefusal(error)
  }
}
