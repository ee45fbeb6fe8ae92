import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { NETWORK, signAuthorization } from '../stage/sign-jobs.ts'
import type { Wallet } from './block-chain.ts'

/** A payment signed before the measurement starts. */
export interface SignedPayment {
  /** The body of `/verify` and of `/settle`, as an agent sends it. */
  readonly body: string
  readonly authorization: Authorization
}

/** The payers and the payees. */
export interface Parties {
  readonly payers: readonly Wallet[]
  /** Lower-case `0x` hex. */
  readonly payees: readonly string[]
}

const LEAST_ATOMIC = 10_000n
/** Values differ, so that a transfer of another payment proves nothing. */
const VALUES = 97n

/** Signs payments: payers take turns, and each pays every payee in turn. */
export async function signPayments(
  crypto: EvmCrypto,
  { payers, payees }: Parties,
  count: number,
): Promise<readonly SignedPayment[]> {
  const signers = payers.map(({ privateKey }) => privateKeySigner(crypto, privateKey))
  const pairs = payees.flatMap((_, shift) =>
    signers.map((signer, index) => ({ signer, payTo: payees[(index + shift) % payees.length] ?? '' })),
  )
  const rounds = Array.from({ length: Math.ceil(count / pairs.length) }, () => pairs)
  const sign = async ({ signer, payTo }: (typeof pairs)[number], index: number): Promise<SignedPayment> => {
    const requirement = createRequirement({
      network: NETWORK,
      payTo,
      amountAtomic: LEAST_ATOMIC + (BigInt(index) % VALUES),
      maxDeadlineSeconds: 60,
    })
    const payload = await signAuthorization(signer, requirement)
    const { nonce, validBefore } = payload.authorization
    const body = JSON.stringify({
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirement, payload },
      paymentRequirements: requirement,
      // A job's binding is a hash; the nonce has the same length, and is as unique.
      extensions: { [HOLD_EXTENSION]: { binding: nonce, holdUntil: Number(validBefore) } },
    })
    return { body, authorization: payload.authorization }
  }
  return await Promise.all(rounds.flat().slice(0, count).map(sign))
}
