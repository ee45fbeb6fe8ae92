import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromHex } from '../crypto/bytes.ts'
import { refuseTerms } from './check-terms.ts'
import { createSignatureVerifier, type ProvenPayment } from './verify-signature.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { findNetwork, type Network } from '../networks.ts'
import { refuseNonce } from '../authorization/nonce-binding.ts'
import { decodeHeader, decodePaymentHeader } from './payment-header.ts'
import { createRequirement } from './requirement.ts'
import { privateKeySigner, signPayment, type PaymentSigner, type PaymentTerms } from './sign-payment.ts'

const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const NOW = 1_800_000_000.7
const network = knownNetwork('eip155:84532')
const requirement = createRequirement({
  network,
  payTo: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  amountAtomic: 10_000n,
  maxDeadlineSeconds: 20,
})
const TERMS: PaymentTerms = {
  network,
  requirement,
  binding: {
    endpoint: 'https://agent.example/execute',
    capability: 'count',
    jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
  },
  nowSeconds: NOW,
}

let crypto: EvmCrypto
let ownKey: PaymentSigner

beforeAll(async () => {
  crypto = await loadEvmCrypto()
  ownKey = privateKeySigner(crypto, KEY)
})

function knownNetwork(id: string): Network {
  const found = findNetwork(id)
  if (found === undefined) throw new Error(`no network ${id}`)
  return found
}

function prove(header: string): ProvenPayment {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error(decoded.reason)
  const checked = createSignatureVerifier(crypto, [network]).provePayer(decoded.payment)
  if (!checked.ok) throw new Error(checked.reason)
  return checked.value
}

describe.each([
  ['our own key', () => ownKey],
  ['a viem account', () => privateKeyToAccount(KEY)],
])('signed by %s', (_, signer) => {
  test('D5 D13 a payment passes every check of the agent, for its job', async () => {
    const { header, authorization, signature } = await signPayment(crypto, signer(), TERMS)
    const payment = prove(header)
    expect(payment).toMatchObject({ payer: ownKey.address, authorization, signature })
    expect(refuseTerms(payment, requirement, NOW)).toBeUndefined()
    expect(refuseNonce(crypto, authorization.nonce, payment.salt, TERMS.binding)).toBeUndefined()
    expect(
      refuseNonce(crypto, authorization.nonce, payment.salt, { ...TERMS.binding, capability: 'sum' }),
    ).toContain('another job')
  })
})

test('D4 the header is the v2 envelope with the paid entry, the resource and the salt', async () => {
  const { header, authorization, signature } = await signPayment(crypto, ownKey, TERMS)
  expect(decodeHeader(header)).toEqual({
    x402Version: 2,
    resource: { url: TERMS.binding.endpoint, description: 'count', mimeType: 'application/json' },
    accepted: requirement,
    payload: { authorization, signature },
    extensions: { 'farebox-nonce': { salt: expect.stringMatching(/^0x[0-9a-f]{32}$/) } },
  })
})

test('an authorization is valid from now for maxTimeoutSeconds, in whole seconds, or until the given time', async () => {
  const byDefault = await signPayment(crypto, ownKey, TERMS)
  expect(byDefault.authorization).toMatchObject({
    validAfter: '0',
    validBefore: '1800000060',
    value: '10000',
    to: requirement.payTo.toLowerCase(),
  })
  const given = await signPayment(crypto, ownKey, { ...TERMS, validBefore: 1_800_000_500 })
  expect(given.authorization.validBefore).toBe('1800000500')
  expect(prove(given.header).authorization.validBefore).toBe('1800000500')
})

test('two payments for one job have different nonces, so that an expired payment can be replaced', async () => {
  const [one, other] = await Promise.all([
    signPayment(crypto, ownKey, TERMS),
    signPayment(crypto, ownKey, TERMS),
  ])
  expect(one.authorization.nonce).not.toBe(other.authorization.nonce)
})

test('PAY-39 a signature is for the token of the built-in table, whatever domain the agent names', async () => {
  const lying = { ...requirement, extra: { name: 'Gold', version: '9' }, asset: `0x${'11'.repeat(20)}` }
  const { authorization, signature } = await signPayment(crypto, ownKey, { ...TERMS, requirement: lying })
  const payment = {
    network: network.id,
    asset: undefined,
    accepted: undefined,
    authorization,
    signature,
    salt: undefined,
  }
  expect(createSignatureVerifier(crypto, [network]).provePayer(payment)).toMatchObject({ ok: true })
})

test('a payment that the wallet refuses is not sent', async () => {
  const refusing: PaymentSigner = {
    address: ownKey.address,
    signTypedData: async () => await Promise.reject(new Error('User rejected the request')),
  }
  await expect(signPayment(crypto, refusing, TERMS)).rejects.toThrow('User rejected')
})

test('a wallet that counts the recovery id from 0 signs what the token accepts', async () => {
  const countingFrom0: PaymentSigner = {
    address: ownKey.address,
    async signTypedData(typedData) {
      const signature = await ownKey.signTypedData(typedData)
      return signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01')
    },
  }
  for (let tried = 0; tried < 8; tried += 1) {
    expect(prove((await signPayment(crypto, countingFrom0, TERMS)).header)).toMatchObject({
      payer: ownKey.address,
    })
  }
})

test('a private key signer has its address and refuses an invalid key', () => {
  expect(ownKey.address).toBe(privateKeyToAccount(KEY).address.toLowerCase())
  expect(ownKey.address).toBe(crypto.addressOf(fromHex(KEY)))
  expect(() => privateKeySigner(crypto, '0x00')).toThrow(RangeError)
})
