import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { defineAgent } from 'farebox'

/** Who pays. */
export interface Payer {
  readonly name: string
  /** Lower-case. */
  readonly address: string
  readonly privateKey: string
  readonly signer: PaymentSigner
}

/** Everybody who appears in histories: the same in all of them, so that nothing is derived twice. */
export interface Cast {
  readonly payers: readonly Payer[]
  readonly relayerKeys: readonly string[]
  readonly relayers: readonly string[]
  readonly wallets: readonly string[]
  /** What agents spend with, where they do. */
  readonly spenderKey: string
  readonly spender: string
}

/** Somebody who is nobody of ours, with money of their own. */
export const NOBODY = '0x00000000000000000000000000000000000000ff'

const PAYERS = 4

/** Makes the cast. */
export function makeCast(crypto: EvmCrypto): Cast {
  const payers = Array.from({ length: PAYERS }, (_, index): Payer => {
    const privateKey = keyOf(0x100 + index)
    const signer = privateKeySigner(crypto, privateKey)
    return { name: `payer-${index + 1}`, address: signer.address, privateKey, signer }
  })
  const relayerKeys = [keyOf(0x200), keyOf(0x201)]
  return {
    payers,
    relayerKeys,
    relayers: relayerKeys.map(key => privateKeySigner(crypto, key).address),
    wallets: [privateKeySigner(crypto, keyOf(0x300)).address, privateKeySigner(crypto, keyOf(0x301)).address],
    spenderKey: keyOf(0x400),
    spender: privateKeySigner(crypto, keyOf(0x400)).address,
  }
}

/** Price of the cheaper two capabilities, in atomic units. */
export const PRICE_ATOMIC = 10_000n

/** Declares an agent; the same one each time for the same words, so that it is checked and compiled once. */
export type Declare = (
  name: string,
  wallet: string,
  maxDeadlineSeconds: number,
) => ReturnType<typeof defineAgent>

/** Makes the one that declares. */
export function createDeclare(): Declare {
  const declared = new Map<string, ReturnType<typeof defineAgent>>()
  return (name, wallet, maxDeadlineSeconds) => {
    const words = `${name} ${wallet} ${maxDeadlineSeconds}`
    const declaration = declared.get(words) ?? declare(name, wallet, maxDeadlineSeconds)
    declared.set(words, declaration)
    return declaration
  }
}

/** An agent of two capabilities with one price, a third that costs twice as much, and one that spends. */
function declare(name: string, wallet: string, maxDeadlineSeconds: number): ReturnType<Declare> {
  const capability = (amount: string) =>
    ({
      description: 'Says what it was told.',
      pricing: { model: 'per_job', amount, currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, maxLength: 40 } },
      output_schema: { text: { type: 'string' } },
    }) as const
  return defineAgent({
    service_version: '1.0',
    name,
    description: 'Does what its history says.',
    wallet,
    max_deadline_seconds: maxDeadlineSeconds,
    capabilities: {
      echo: capability('0.01'),
      twin: capability('0.01'),
      dear: capability('0.02'),
      [SPENDING]: { ...capability('0.01'), permissions: [PERMISSION] },
    },
  })
}

/** The capability that spends. */
export const SPENDING = 'buy'
const PERMISSION = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'Pays the shop.',
  token: 'USDC',
  max_per_transaction: '1',
} as const

function keyOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}
