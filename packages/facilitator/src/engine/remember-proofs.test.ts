import { createSignatureVerifier, type SignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { DecodedPayment } from '@farebox/payments/x402/payment-header'
import { describe, expect, test } from 'vitest'
import { freshKey, NETWORK, PAY_TO, signAuthorization } from '../test-setup/payments-for-tests.ts'
import { rememberProofs } from './remember-proofs.ts'

const crypto = await loadEvmCrypto()

async function signedPayment(): Promise<DecodedPayment> {
  const { authorization, signature } = await signAuthorization(crypto, freshKey())
  return {
    network: NETWORK.id,
    asset: NETWORK.asset.address,
    accepted: { amount: '1', payTo: PAY_TO },
    authorization,
    signature,
    salt: undefined,
  }
}

/** The real verifier, with a call counter. */
function createCounted(): { readonly verifier: SignatureVerifier; count(): number } {
  const real = createSignatureVerifier(crypto, [NETWORK])
  let count = 0
  return {
    verifier: {
      provePayer(payment) {
        count += 1
        return real.provePayer(payment)
      },
    },
    count: () => count,
  }
}

describe('caching proofs', () => {
  test('a signature is verified once; the accepted terms belong to each request', async () => {
    const { verifier, count } = createCounted()
    const { provePayer } = rememberProofs(verifier)
    const payment = await signedPayment()
    const first = provePayer(payment)
    const accepted = { amount: '2', payTo: freshKey() }
    const second = provePayer({ ...payment, accepted, salt: 'ab' })
    expect(count()).toBe(1)
    expect(first).toMatchObject({ ok: true, value: { payer: payment.authorization.from } })
    expect(second).toEqual({ ok: true, value: { ...(first.ok && first.value), accepted, salt: 'ab' } })
  })

  test.each(['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const)(
    'PAY-07 the same signature over another %s is verified again, and proves nothing',
    async word => {
      const { verifier, count } = createCounted()
      const { provePayer } = rememberProofs(verifier)
      const [payment, other] = [await signedPayment(), await signedPayment()]
      expect(provePayer(payment).ok).toBe(true)
      const forged = ['from', 'nonce'].includes(word) ? other.authorization[word] : '7'
      const authorization = { ...payment.authorization, [word]: forged }
      expect(provePayer({ ...payment, authorization }).ok).toBe(false)
      expect(count()).toBe(2)
    },
  )

  test('another signature, network or asset proves nothing either', async () => {
    const { verifier } = createCounted()
    const { provePayer } = rememberProofs(verifier)
    const [payment, other] = [await signedPayment(), await signedPayment()]
    expect(provePayer(payment).ok).toBe(true)
    expect(provePayer({ ...payment, signature: other.signature }).ok).toBe(false)
    expect(provePayer({ ...payment, network: 'eip155:1' }).ok).toBe(false)
    expect(provePayer({ ...payment, asset: PAY_TO }).ok).toBe(false)
  })

  test('a refusal is not cached, and neither are more proofs than the limit', async () => {
    const { verifier, count } = createCounted()
    const { provePayer } = rememberProofs(verifier, 2)
    const forged = { ...(await signedPayment()), signature: (await signedPayment()).signature }
    provePayer(forged)
    provePayer(forged)
    expect(count()).toBe(2)
    const [one, two, three] = [await signedPayment(), await signedPayment(), await signedPayment()]
    for (const payment of [one, two, three, three, two]) provePayer(payment)
    expect(count()).toBe(5)
    provePayer(one)
    expect(count()).toBe(6)
  })
})
