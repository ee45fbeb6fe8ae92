import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { quantity } from '@farebox/payments/internal/chain/rpc-words'
import { broadcast, readRefusal, type Broadcast } from '@farebox/payments/internal/transaction/broadcast'
import { chooseFees, type ChosenFees } from '@farebox/payments/internal/transaction/choose-fees'
import { countTransactions, readCoinBalance } from '@farebox/payments/internal/transaction/read-account'
import type { Clock } from '@farebox/protocol/time/clock'
import { shareCalls } from '../../share-calls.ts'
import type { Fees, SettlementCall } from './relayer-account.ts'

/** The node's answer to a transaction. */
export type RelayerBroadcast =
  /** It is in a block already (EIP-7966). */
  { readonly kind: 'mined'; readonly receipt: ChainReceipt } | Broadcast

/** The result that a transaction would have in the newest block. */
export type SimulatedCall =
  /** `0x` hex: what the call returns. */
  | { readonly kind: 'passes'; readonly data: string }
  | { readonly kind: 'fails'; readonly message: string }
  /** The account cannot pay for it. */
  | { readonly kind: 'no-funds'; readonly message: string }

/** The chain as the relayer's account uses it. Every method rejects when the node gives no answer. */
export interface RelayerNode {
  /**
   * Safe to repeat. With the time of a block the node is asked to answer when it is mined, where it knows how: that saves
   * asking for the receipt. Without an answer by then it may have been sent.
   */
  broadcast(raw: string, blockMs?: number): Promise<RelayerBroadcast>
  /** Tries a transaction exactly as it would be sent, with its sender, gas and fees; rejects where that says nothing. */
  simulate(sender: string, call: SettlementCall, fees: Fees): Promise<SimulatedCall>
  /** The fees that a transaction should offer now, before any cap; a few seconds old at most. */
  fees(): Promise<ChosenFees>
  /** How many transactions of the account are mined: the nonce of its next one. */
  nonce(address: string): Promise<number>
  /** Wei. */
  balance(address: string): Promise<bigint>
}

/** A node that has not mined it after so many blocks is asked for the receipt instead; after a second at the earliest. */
const SYNC_BLOCKS = 1.5
const SHORTEST_SYNC_MS = 1_000
/**
 * Fees older than this are read again, and older than the longer time not used meanwhile: what is offered is good for six
 * full blocks, and nobody who is alone should wait for it.
 */
const FEES_FRESH_MS = 1_000
const FEES_USABLE_MS = 5_000
const METHOD_NOT_FOUND = -32_601
/** The code of a node's error where a call is reverted. */
const REVERTED = 3
/** The words of nodes where the code of a call fails otherwise: without gas, or by an instruction that is none. */
const FAILS = /revert|out of ?gas|gas required exceeds|invalid (?:opcode|instruction|FE)|invalidFE|EVM error/i

/** Makes the relayer's view of a node. */
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
        // A caller that does not wait for it does not fail with it; the next one without usable fees waits, and does.
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
