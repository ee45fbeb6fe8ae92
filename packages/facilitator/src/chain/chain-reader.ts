import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { encodeBalanceOf } from '@farebox/contracts/internal/calls/token-calls'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { plausibleBlockTime } from '@farebox/payments/chain/block-time'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import { readUseEvents } from './use-events.ts'
import {
  findSettlement,
  readBlockSeconds,
  readHead,
  type ChainVerdict,
} from '@farebox/payments/chain/find-settlement'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { quantity } from '@farebox/payments/internal/chain/rpc-words'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import {
  decodeBatch,
  DOMAIN_SEPARATOR,
  encodeAuthorizationState,
  encodeBatch,
  encodeTransfer,
  GET_BLOCK_NUMBER,
  GET_BLOCK_TIMESTAMP,
  readUint,
  type BatchedCall,
} from './calldata.ts'
import { encodeWithCodeSizes, readCodeSizes } from './code-sizes.ts'
import { shareCalls } from '../share-calls.ts'
import { readRevert, type Revert } from './read-revert.ts'

/** The state of a payment in one block. */
export interface Observation {
  readonly blockNumber: bigint
  /** The block's time, Unix seconds. */
  readonly blockSeconds: number
  /** Balance of the payer. */
  readonly balanceAtomic: bigint
  /** The token reports the nonce as used; the authorization may also have been cancelled. */
  readonly used: boolean
  /** Why the transfer would fail in that block; undefined when it would succeed. */
  readonly revert: Revert | undefined
  /** Size of the payer's code in that block, in bytes; undefined when it was not requested. */
  readonly codeSize?: number | undefined
}

/** The block to query: the newest one, or the pending one. */
export type BlockTag = 'latest' | 'pending'

/**
 * The chain as a facilitator reads it. Every method rejects when the node gives no answer; methods that return a block's
 * time reject with `BlockFromFuture` when that time is impossible.
 */
export interface ChainReader {
  /**
   * Reads the state of payments and simulates their transfers, all in one block and one round trip. The transfers are
   * simulated in this order on top of one another; balances, nonces and code sizes are read before the first. With code
   * sizes the size of the answer is limited: about forty payments fit.
   */
  observe(
    payments: readonly LedgerPayment[],
    options?: { readonly block?: BlockTag; readonly withCode?: boolean },
  ): Promise<readonly Observation[]>
  /** The keys of the authorizations that are used, and the block of that answer: one call, without simulating transfers. */
  readUses(
    payments: readonly LedgerPayment[],
  ): Promise<{ readonly blockNumber: bigint; readonly used: ReadonlySet<string> }>
  /** The final outcome of an authorization (D10). */
  findSettlement(payment: LedgerPayment): Promise<ChainVerdict>
  readReceipt(transactionHash: string): Promise<ChainReceipt | undefined>
  /**
   * The keys of the authorizations whose use is shown by events of the receipt's transaction in the receipt's block. The
   * node answers this independently of the receipt, and unlike the state it distinguishes a use from a cancellation.
   */
  readUseEvents(receipt: ChainReceipt, payments: readonly LedgerPayment[]): Promise<ReadonlySet<string>>
  /** Does the block that the receipt names list the receipt's transaction? */
  isInBlock(receipt: ChainReceipt): Promise<boolean>
  /** The lower-case address of the transaction's sender; undefined when the node does not have the transaction. */
  readSender(transactionHash: string): Promise<string | undefined>
  readHead(): Promise<{ readonly number: bigint; readonly seconds: number }>
  /** The time of a block, Unix seconds. */
  readBlockSeconds(blockNumber: bigint): Promise<number>
}

/** Arbitrum's `block.number` is Ethereum's; its own comes from ArbSys (docs.arbitrum.io, "Block numbers and time"). */
const ARBITRUM_CHAIN_ID = 42161
const ARB_SYS: BatchedCall = { to: '0x0000000000000000000000000000000000000064', data: '0xa3b1b31d' }

/** Reads a chain through a node. */
export function createChainReader(rpc: JsonRpc, network: Network, clock: Clock): ChainReader {
  const asset = network.asset.address
  // Several transactions of one block are looked up at the same moment.
  const readBlock = shareCalls((blockNumber: bigint) =>
    rpc.call('eth_getBlockByNumber', [quantity(blockNumber), false]),
  )
  return {
    observe: (payments, options) => observePayments({ rpc, network, clock }, payments, options),
    readUses: payments => readUses(rpc, network, payments),
    findSettlement: payment => findSettlement(rpc, network, payment.authorization, nowSeconds(clock)),
    async readReceipt(hash) {
      return parseReceipt(await rpc.call('eth_getTransactionReceipt', [hash]))
    },
    readUseEvents: (receipt, payments) => readUseEvents(rpc, asset, receipt, payments),
    isInBlock: async receipt => isListedIn(await readBlock(receipt.blockNumber), receipt),
    readSender: hash => readSender(rpc, hash),
    async readHead() {
      const head = await readHead(rpc)
      return { ...head, seconds: plausibleBlockTime(head.seconds, nowSeconds(clock)) }
    },
    readBlockSeconds: async blockNumber =>
      plausibleBlockTime(await readBlockSeconds(rpc, blockNumber), nowSeconds(clock)),
  }
}

async function observePayments(
  { rpc, network, clock }: { readonly rpc: JsonRpc; readonly network: Network; readonly clock: Clock },
  payments: readonly LedgerPayment[],
  { block = 'latest', withCode = false }: { readonly block?: BlockTag; readonly withCode?: boolean } = {},
): Promise<readonly Observation[]> {
  const calls = observingCalls(network, payments)
  const batch = { to: MULTICALL3_ADDRESS, data: encodeBatch(calls) }
  const payers = payments.map(({ authorization }) => authorization.from)
  const call = withCode ? { data: encodeWithCodeSizes(payers, batch) } : batch
  const answered = await rpc.call('eth_call', [call, block])
  const { sizes, answer } = withCode
    ? readCodeSizes(answered, payers.length)
    : { sizes: [], answer: answered }
  const results = decodeBatch(answer, calls.length)
  const blockNumber = readUint(results[0])
  const blockSeconds = plausibleBlockTime(Number(readUint(results[1])), nowSeconds(clock))
  const [balances, states, transfers] = [0, 1, 2].map(part => 2 + part * payments.length)
  return payments.map((_, index) => {
    const transfer = results[(transfers ?? 0) + index]
    return {
      blockNumber,
      blockSeconds,
      balanceAtomic: readUint(results[(balances ?? 0) + index]),
      used: readUint(results[(states ?? 0) + index]) !== 0n,
      revert: transfer === undefined || transfer.succeeded ? undefined : readRevert(transfer.data),
      codeSize: sizes[index],
    }
  })
}

/**
 * Calls for the block's number and time, then for all balances, all states and all transfers, each in the order of the
 * payments.
 */
function observingCalls(network: Network, payments: readonly LedgerPayment[]): readonly BatchedCall[] {
  const asset = network.asset.address
  return [
    blockNumberCall(network),
    { to: MULTICALL3_ADDRESS, data: GET_BLOCK_TIMESTAMP },
    ...payments.map(({ authorization: { from } }) => ({ to: asset, data: encodeBalanceOf(from) })),
    ...payments.map(payment => authorizationStateCall(asset, payment)),
    ...payments.map(({ authorization, signature }) => ({
      to: asset,
      data: encodeTransfer(authorization, signature),
    })),
  ]
}

async function readUses(
  rpc: JsonRpc,
  network: Network,
  payments: readonly LedgerPayment[],
): Promise<{ readonly blockNumber: bigint; readonly used: ReadonlySet<string> }> {
  const calls: readonly BatchedCall[] = [
    blockNumberCall(network),
    ...payments.map(payment => authorizationStateCall(network.asset.address, payment)),
  ]
  const batch = { to: MULTICALL3_ADDRESS, data: encodeBatch(calls) }
  const answer = await rpc.call('eth_call', [batch, 'latest'])
  const [blockNumber, ...states] = decodeBatch(answer, calls.length).map(readUint)
  const used = payments.filter((_, index) => states[index] !== undefined && states[index] !== 0n)
  return { blockNumber: blockNumber ?? 0n, used: new Set(used.map(({ key }) => key)) }
}

function blockNumberCall({ chainId }: Network): BatchedCall {
  return chainId === ARBITRUM_CHAIN_ID ? ARB_SYS : { to: MULTICALL3_ADDRESS, data: GET_BLOCK_NUMBER }
}

function authorizationStateCall(
  asset: string,
  { authorization: { from, nonce } }: LedgerPayment,
): BatchedCall {
  return { to: asset, data: encodeAuthorizationState(from, nonce) }
}

/** Does the block have the hash of the receipt's block, and does it list the receipt's transaction? */
function isListedIn(block: unknown, { blockHash, transactionHash }: ChainReceipt): boolean {
  if (typeof block !== 'object' || block === null) return false
  const { hash, transactions } = block as { readonly [key: string]: unknown }
  const isSameHash = (one: unknown, other: string): boolean =>
    typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
  return (
    isSameHash(hash, blockHash) &&
    Array.isArray(transactions) &&
    transactions.some(one => isSameHash(one, transactionHash))
  )
}

async function readSender(rpc: JsonRpc, transactionHash: string): Promise<string | undefined> {
  const transaction = await rpc.call('eth_getTransactionByHash', [transactionHash])
  if (typeof transaction !== 'object' || transaction === null || !('from' in transaction)) return undefined
  return typeof transaction.from === 'string' ? transaction.from.toLowerCase() : undefined
}

/**
 * Checks that the node's chain is the configured one, with the known token on it (PAY-39).
 *
 * Returns a description of the mismatch, undefined if there is none. Rejects when the node gives no answer.
 */
export async function refuseChain(
  rpc: JsonRpc,
  network: Network,
  crypto: EvmCrypto,
): Promise<string | undefined> {
  const chainId = Number(await rpc.call('eth_chainId', []))
  if (chainId !== network.chainId)
    return `the node is on chain ${chainId}, not on ${network.chainId} (${network.name})`
  const expected = toHex(createAuthorizationHasher(crypto, network).domainSeparator)
  const separator = await readDomainSeparator(rpc, network.asset.address)
  if (separator === expected) return undefined
  return `the contract at ${network.asset.address} is not the USDC we know: its DOMAIN_SEPARATOR differs`
}

async function readDomainSeparator(rpc: JsonRpc, asset: string): Promise<unknown> {
  try {
    return await rpc.call('eth_call', [{ to: asset, data: DOMAIN_SEPARATOR }, 'latest'])
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}
