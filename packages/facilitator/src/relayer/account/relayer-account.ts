import { BATCH_SETTLER_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { signTransaction } from '@farebox/payments/internal/transaction/sign-transaction'
import type { LedgerPayment } from '../../ledger/payment-record.ts'
import type { SignedSettlement } from '../../ledger/settlement-ledger.ts'
import { encodeBatch, encodeSettle, encodeTransfer } from '../../chain/calldata.ts'

/** Fees of a transaction, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * The account that pays the gas. It signs only one kind of transaction: transfers of the network's token that payers have
 * authorized, alone or several in one batch. No caller can choose another target, selector or value (SR8).
 */
export interface Relayer {
  /** Lower-case. */
  readonly address: string
  /** The call of a transaction with these payments. The same call is simulated before it is signed. */
  call(payments: readonly CarriedPayment[], contract: BatchContract): SettlementCall
  sign(call: SettlementCall, nonce: number, fees: Fees): SignedSettlement
}

/** A payment, as a transaction carries it. */
export interface CarriedPayment extends LedgerPayment {
  /** Hash of the code that the payer's account must have, `0x` hex; undefined: no code. BatchSettler checks it. */
  readonly codeHash?: string
}

/** The contract that executes a batch: Multicall3 where BatchSettler is not deployed. */
export type BatchContract = 'settler' | 'multicall'

declare const settlement: unique symbol

/** The call of a transaction. Only {@link Relayer.call} creates one, so that nothing else is ever signed. */
export interface SettlementCall {
  readonly [settlement]: true
  readonly to: `0x${string}`
  readonly data: `0x${string}`
  readonly gas: bigint
}

/**
 * Gas of a single transfer: Circle's token takes 86,000 for a payee that never held any. This is also the most that a
 * payer's code can burn.
 */
export const SINGLE_GAS = 130_000n
/** Gas of a batch before its first transfer, and gas of each transfer within it. */
const BATCH_BASE_GAS = 60_000n
const BATCH_ITEM_GAS = 110_000n
/** The gas that BatchSettler gives each transfer: the token is already warm, and the calldata is paid for. */
const SETTLER_ITEM_GAS = 90_000n
/** The most gas of a transaction, below the limit of EIP-7825 (2^24). */
const TRANSACTION_GAS = 16_000_000n

/** The most payments of one transaction. */
export const MAX_BATCH = Number((TRANSACTION_GAS - BATCH_BASE_GAS) / BATCH_ITEM_GAS)

/** The gas limit of a transaction with this many payments; unused gas is not paid. */
export function gasLimit(payments: number): bigint {
  return payments === 1 ? SINGLE_GAS : BATCH_BASE_GAS + BigInt(payments) * BATCH_ITEM_GAS
}

/**
 * Creates the relayer of a private key, 32 bytes of `0x` hex.
 *
 * Throws a `RangeError` for an invalid key; `call` does for an empty or too large batch, for payments of another network and
 * for a payment whose values do not fit into a batch (`fitsSettle`).
 */
export function createRelayer(crypto: EvmCrypto, network: Network, privateKey: string): Relayer {
  const key = fromHex(privateKey)
  return {
    address: crypto.addressOf(key),
    call: (payments, contract) => settlementCall(network, payments, contract),
    sign(call, nonce, fees) {
      const { to, data: callData, gas } = call
      const { chainId } = network
      const transaction = { chainId, nonce, ...fees, gasLimit: gas, to, valueWei: 0n, callData }
      return { ...signTransaction(crypto, digest => crypto.sign(digest, key), transaction), ...fees }
    },
  }
}

/** Calls the token directly for a single payment, which costs less than a batch of one. */
function settlementCall(
  network: Network,
  payments: readonly CarriedPayment[],
  contract: BatchContract,
): SettlementCall {
  const [first] = payments
  if (first === undefined || payments.length > MAX_BATCH)
    throw new RangeError(`a transaction carries 1 to ${MAX_BATCH} payments`)
  const asset = network.asset.address
  const calls = payments.map(payment => {
    if (payment.network !== network.id || payment.asset !== asset)
      throw new RangeError(`${payment.key} is not of ${network.id}`)
    return { to: asset, data: encodeTransfer(payment.authorization, payment.signature) }
  })
  const gas = gasLimit(payments.length)
  if (payments.length > 1 && contract === 'settler') {
    const items = payments.map(({ codeHash, ...payment }) => ({ ...payment, codeHash }))
    return settlementOf(BATCH_SETTLER_ADDRESS, encodeSettle(asset, SETTLER_ITEM_GAS, items), gas)
  }
  if (payments.length > 1) return settlementOf(MULTICALL3_ADDRESS, encodeBatch(calls), gas)
  return settlementOf(asset, encodeTransfer(first.authorization, first.signature), gas)
}

/** The only place that creates the branded type. */
function settlementOf(to: string, data: string, gas: bigint): SettlementCall {
  return { to: prefixed(to), data: prefixed(data), gas } as SettlementCall
}

/** Tells viem's types that the text is hex. */
function prefixed(text: string): `0x${string}` {
  return `0x${text.slice(2)}`
}
