import { randomBytes } from 'node:crypto'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { NETWORK } from '../stage/sign-jobs.ts'
import type { Wallet } from './block-chain.ts'

/** A payment that was signed before the clock starts. */
export interface SignedPayment {
  /** Of `/verify` and of `/settle`, as an agent sends it. */
  readonly body: string
  /** Of the payees, which one is paid. */
  readonly payee: number
  /** `0x` hex. */
  readonly nonce: string
  readonly valueAtomic: bigint
}

/** Who pays and who is paid. */
export interface Parties {
  readonly payers: readonly Wallet[]
  /** Lower-case `0x` hex. */
  readonly payees: readonly string[]
}

/** Time for a run to begin and end. */
const VALID_SECONDS = 3_600
const LEAST_ATOMIC = 10_000n
/** Values differ, so that a sum tells whether the right ones were paid. */
const VALUES = 97

/** Signs payments: payers take turns, and each pays every payee in turn. */
export function signPayments(
  crypto: Pick<EvmCrypto, 'keccak256' | 'sign'>,
  { payers, payees }: Parties,
  count: number,
): readonly SignedPayment[] {
  const hasher = createAuthorizationHasher(crypto, NETWORK)
  const validBefore = Math.floor(Date.now() / 1_000) + VALID_SECONDS
  return Array.from({ length: count }, (_, index): SignedPayment => {
    const payer = at(payers, index % payers.length)
    const payee = ((index % payers.length) + Math.floor(index / payers.length)) % payees.length
    const payTo = at(payees, payee)
    const valueAtomic = LEAST_ATOMIC + BigInt(index % VALUES)
    const nonce = `0x${randomBytes(32).toString('hex')}`
    const authorization = {
      from: payer.address,
      to: payTo,
      value: valueAtomic.toString(),
      validAfter: '0',
      validBefore: String(validBefore),
      nonce,
    }
    const key = Buffer.from(payer.privateKey.slice(2), 'hex')
    const signed = crypto.sign(hasher.hashTransfer(authorization), key)
    const signature = `0x${Buffer.from(signed).toString('hex')}`
    const requirement = createRequirement({
      network: NETWORK,
      payTo,
      amountAtomic: valueAtomic,
      maxDeadlineSeconds: 60,
    })
    const body = JSON.stringify({
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirement, payload: { authorization, signature } },
      paymentRequirements: requirement,
      // A job's binding is a hash; the nonce is as long, and as different from all others.
      extensions: { [HOLD_EXTENSION]: { binding: nonce, holdUntil: validBefore } },
    })
    return { body, payee, nonce, valueAtomic }
  })
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index]
  if (one === undefined) throw new RangeError(`there are ${list.length}, ${index} was asked for`)
  return one
}
