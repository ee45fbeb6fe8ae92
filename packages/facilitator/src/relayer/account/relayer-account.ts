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
 * The account that pays the gas. It can sign one thing only: the transfer of our token of our network that a
 * payer has authorized, alone or several in one batch. No caller can name another target, selector or value
 * (SR8).
 */
export interface Relayer {
  /** Lower-case. */
  readonly address: string
  /** The call of a transaction with these payments: the same call is tried before it is signed. */
  call(payments: readonly CarriedPayment[], contract: BatchContract): SettlementCall
  sign(call: SettlementCall, nonce: number, fees: Fees): SignedSettlement
}

/** A payment as a transaction carries it. */
export interface CarriedPayment extends LedgerPayment {
  /** The code that the payer's account must have, `0x` hex; undefined: none. BatchSettler looks. */
  readonly codeHash?: string
}

/** Through which contract several payments go: where BatchSettler is not deployed it is Multicall3. */
export type BatchContract = 'settler' | 'multicall'

declare const settlement: unique symbol

/** The call of a transaction. {@link Relayer.call} alone makes one, so that nothing else is ever signed. */
export interface SettlementCall {
  readonly [settlement]: true
  readonly to: `0x${string}`
  readonly data: `0x${string}`
  readonly gas: bigint
}

/**
 * Gas of one transfer alone: Circle's token takes 86,000 for a payee that never had any. It is as well the most that a
 * payer's code can burn.
 */
export const SINGLE_GAS = 130_000n
/** Gas of a batch before its first transfer, and of each transfer within it. */
const BATCH_BASE_GAS = 60_000n
const BATCH_ITEM_GAS = 110_000n
/** The gas that BatchSettler gives each transfer: it begins with a warm token, and has paid for no calldata. */
const SETTLER_ITEM_GAS = 90_000n
/** The most gas a transaction may ask for, with room to spare (EIP-7825: 2^24). */
const TRANSACTION_GAS = 16_000_000n

/** How many payments one transaction may carry at most. */
export const MAX_BATCH = Number((TRANSACTION_GAS - BATCH_BASE_GAS) / BATCH_ITEM_GAS)

/** The gas a transaction with so many payments may use; what it does not use is not paid. */
export function gasLimit(payments: number): bigint {
  return payments === 1 ? SINGLE_GAS : BATCH_BASE_GAS + BigInt(payments) * BATCH_ITEM_GAS
}

/**
 * Makes the relayer of a private key, 32 bytes of `0x` hex.
 *
 * Throws a `RangeError` for bytes that are no key; `call` does for an empty or too large batch, for payments of another
 * network and for one that is too large to go with others (`fitsSettle`).
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

/** A lone payment goes direct, which costs less than a batch of one. */
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

/** The one place where the brand is given. */
function settlementOf(to: string, data: string, gas: bigint): SettlementCall {
  return { to: prefixed(to), data: prefixed(data), gas } as SettlementCall
}

/** Tells viem's types that this is hex. */
function prefixed(text: string): `0x${string}` {
  return `0x${text.slice(2)}`
}
