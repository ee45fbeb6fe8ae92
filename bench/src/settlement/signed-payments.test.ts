import { readPaymentRequest } from '@farebox/facilitator/src/engine/read-payment-request'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { expect, test } from 'vitest'
import { NETWORK } from '../stage/sign-jobs.ts'
import { createWallets } from './block-chain.ts'
import { signPayments } from './signed-payments.ts'

test('every payment is one that a facilitator reads, from its payer to its payee, each with its own nonce', async () => {
  const crypto = await loadEvmCrypto({ curve: 'native' })
  const payers = createWallets(crypto, 3)
  const payees = createWallets(crypto, 2).map(({ address }) => address)
  const payments = signPayments(crypto, { payers, payees }, 12)
  const verifier = createSignatureVerifier(crypto, [NETWORK])
  const pairs = new Set<string>()
  const nonces = new Set<string>()
  for (const [index, { body, payee, nonce, valueAtomic }] of payments.entries()) {
    const read = readPaymentRequest(JSON.parse(body), NETWORK, verifier)
    if (!read.ok) throw new Error(read.refusal.message)
    const { authorization } = read.request.payment
    expect(read.request.proven.payer).toBe(payers[index % 3]?.address)
    expect(authorization.to).toBe(payees[payee])
    expect(BigInt(authorization.value)).toBe(valueAtomic)
    expect(read.request.binding).toBe(nonce)
    pairs.add(`${authorization.from} ${authorization.to}`)
    nonces.add(authorization.nonce)
  }
  expect(pairs.size).toBe(6)
  expect(nonces.size).toBe(12)
})
