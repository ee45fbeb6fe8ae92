import { randomBytes } from 'node:crypto'
import { createAuthorizationHasher, type Authorization } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { NETWORK } from '../stage/sign-jobs.ts'
import type { Wallet } from './block-chain.ts'

/** Payments that were signed before the clock starts, kept as a hundred bytes each. */
export interface SignedPayments {
  readonly count: number
  /** The body of `/verify` and of `/settle`, as an agent sends it. */
  body(index: number): string
  /** Of the payees, which one is paid. */
  payee(index: number): number
  /** `0x` hex. */
  nonce(index: number): string
  valueAtomic(index: number): bigint
}

/** Who pays and who is paid. */
export interface Parties {
  readonly payers: readonly Wallet[]
  /** Lower-case `0x` hex. */
  readonly payees: readonly string[]
}

const NONCE_BYTES = 32
const SIGNATURE_BYTES = 65
const PAYMENT_BYTES = NONCE_BYTES + SIGNATURE_BYTES
/** Time for a run to begin and end. */
const VALID_SECONDS = 3_600
const LEAST_ATOMIC = 10_000n
/** Values differ, so that a sum tells whether the right ones were paid. */
const VALUES = 97

/** Signs payments: payers take turns, and each pays every payee in turn. */
export function signPayments(
  crypto: Pick<EvmCrypto, 'keccak256' | 'sign'>,
  parties: Parties,
  count: number,
): SignedPayments {
  const validBefore = Math.floor(Date.now() / 1_000) + VALID_SECONDS
  const bytes = randomBytes(count * PAYMENT_BYTES)
  const keys = parties.payers.map(({ privateKey }) => Buffer.from(privateKey.slice(2), 'hex'))
  const hasher = createAuthorizationHasher(crypto, NETWORK)
  const payer = (index: number): number => index % parties.payers.length
  const payee = (index: number): number =>
    (payer(index) + Math.floor(index / parties.payers.length)) % parties.payees.length
  const valueAtomic = (index: number): bigint => LEAST_ATOMIC + BigInt(index % VALUES)
  const part = (index: number, from: number, length: number): string => {
    const begin = index * PAYMENT_BYTES + from
    return `0x${bytes.toString('hex', begin, begin + length)}`
  }
  const nonce = (index: number): string => part(index, 0, NONCE_BYTES)
  const authorization = (index: number): Authorization => ({
    from: at(parties.payers, payer(index)).address,
    to: at(parties.payees, payee(index)),
    value: valueAtomic(index).toString(),
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: nonce(index),
  })
  for (let index = 0; index < count; index += 1) {
    const digest = hasher.hashTransfer(authorization(index))
    bytes.set(crypto.sign(digest, at(keys, payer(index))), index * PAYMENT_BYTES + NONCE_BYTES)
  }
  return {
    count,
    payee,
    nonce,
    valueAtomic,
    body(index) {
      const requirement = createRequirement({
        network: NETWORK,
        payTo: at(parties.payees, payee(index)),
        amountAtomic: valueAtomic(index),
        maxDeadlineSeconds: 60,
      })
      const signature = part(index, NONCE_BYTES, SIGNATURE_BYTES)
      return JSON.stringify({
        x402Version: 2,
        paymentPayload: {
          x402Version: 2,
          accepted: requirement,
          payload: { authorization: authorization(index), signature },
        },
        paymentRequirements: requirement,
        // A job's binding is a hash; the nonce is as long, and as different from all others.
        extensions: { [HOLD_EXTENSION]: { binding: nonce(index), holdUntil: validBefore } },
      })
    },
  }
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index]
  if (one === undefined) throw new RangeError(`there are ${list.length}, ${index} was asked for`)
  return one
}
