import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { defineAgent, type Declaration } from 'farebox'

export interface Payer {
  readonly name: string
  /** Lower-case. */
  readonly address: string
  readonly signer: PaymentSigner
}

/** The parties of all histories: always the same, so that each key is derived once. */
export type Cast = ReturnType<typeof makeCast>

/** An account that is not ours, with its own money. */
export const NOBODY = '0x00000000000000000000000000000000000000ff'

export function makeCast(crypto: EvmCrypto) {
  const addressOf = (key: string): string => privateKeySigner(crypto, key).address
  const relayerKeys = [0x200, 0x201].map(keyOf)
  return {
    payers: [0, 1, 2, 3].map((index): Payer => {
      const signer = privateKeySigner(crypto, keyOf(0x100 + index))
      return { name: `payer-${index + 1}`, address: signer.address, signer }
    }),
    relayerKeys,
    relayers: relayerKeys.map(addressOf),
    wallets: [0x300, 0x301].map(keyOf).map(addressOf),
    /** The agents' spending keys, if they spend. */
    spenderKey: keyOf(0x400),
    spender: addressOf(keyOf(0x400)),
  }
}

/** Price of the cheaper two capabilities, in atomic units. */
export const PRICE_ATOMIC = 10_000n

/** An agent with two capabilities of one price, a third that costs twice as much, and one that spends. */
export function declare(name: string, wallet: string, maxDeadlineSeconds: number): Declaration {
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
