import { MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { fromHex, toHex } from '@farebox/payments/bytes'
import type { EvmCrypto } from '@farebox/payments/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { serializeTransaction } from 'viem/utils'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { SignedSettlement } from '../ledger/settlement-ledger.ts'
import { encodeBatch, encodeTransfer } from './calldata.ts'

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
  sign(payments: readonly LedgerPayment[], nonce: number, fees: Fees): SignedSettlement
}

/** Gas of one transfer alone: Circle's token takes 86,000 for a payee that never had any. */
const SINGLE_GAS = 150_000n
/** Gas of a batch before its first transfer, and of each transfer within it. */
const BATCH_BASE_GAS = 60_000n
const BATCH_ITEM_GAS = 110_000n
/** The most gas a transaction may ask for, with room to spare (EIP-7825: 2^24). */
const TRANSACTION_GAS = 16_000_000n

/** How many payments one transaction may carry at most. */
export const MAX_BATCH = Math.min(100, Number((TRANSACTION_GAS - BATCH_BASE_GAS) / BATCH_ITEM_GAS))

/** The gas a transaction with so many payments may use; what it does not use is not paid. */
export function gasLimit(payments: number): bigint {
  return payments === 1 ? SINGLE_GAS : BATCH_BASE_GAS + BigInt(payments) * BATCH_ITEM_GAS
}

/**
 * Makes the relayer of a private key, 32 bytes of `0x` hex.
 *
 * Throws a `RangeError` for bytes that are no key; `sign` does for an empty or too large batch and for
 * payments of another network.
 */
export function createRelayer(crypto: EvmCrypto, network: Network, privateKey: string): Relayer {
  const key = fromHex(privateKey)
  return {
    address: crypto.addressOf(key),
    sign(payments, nonce, fees) {
      const transaction = {
        ...fees,
        ...settlementCall(network, payments),
        type: 'eip1559',
        chainId: network.chainId,
        nonce,
      } as const
      const digest = crypto.keccak256(fromHex(serializeTransaction(transaction)))
      const signature = crypto.sign(digest, key)
      const raw = serializeTransaction(transaction, {
        r: hex(signature.subarray(0, 32)),
        s: hex(signature.subarray(32, 64)),
        yParity: signature[64] === 28 ? 1 : 0,
      })
      return { hash: toHex(crypto.keccak256(fromHex(raw))), raw, ...fees }
    },
  }
}

/** A lone payment goes direct, which costs 6 % less than a batch of one. */
function settlementCall(
  network: Network,
  payments: readonly LedgerPayment[],
): { readonly to: `0x${string}`; readonly data: `0x${string}`; readonly gas: bigint } {
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
  if (payments.length > 1) return { to: MULTICALL3_ADDRESS, data: prefixed(encodeBatch(calls)), gas }
  return { to: prefixed(asset), data: prefixed(encodeTransfer(first.authorization, first.signature)), gas }
}

function hex(bytes: Uint8Array): `0x${string}` {
  return prefixed(toHex(bytes))
}

/** Tells viem's types that this is hex. */
function prefixed(text: string): `0x${string}` {
  return `0x${text.slice(2)}`
}
