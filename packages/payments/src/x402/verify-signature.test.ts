import { beforeAll, describe, expect, test } from 'vitest'
import { hashTypedData, keccak256, toBytes, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createAuthorizationHasher, type Authorization } from '../authorization/eip-3009.ts'
import { fromHex, toHex } from '../crypto/bytes.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '../chain/chain-proof.ts'
import { refuseTerms } from './check-terms.ts'
import { createSignatureVerifier, type ProvenPayment } from './verify-signature.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { findNetwork, type Network } from '../networks.ts'
import type { DecodedPayment } from './payment-header.ts'
import { createRequirement } from './requirement.ts'
import { authorizationTypedData, privateKeySigner } from './sign-payment.ts'

const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const account = privateKeyToAccount(KEY)
const PAY_TO = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const NOW = 1_800_000_000

function knownNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`no network ${id}`)
  return network
}

const network = knownNetwork('eip155:84532')
const requirement = createRequirement({
  network,
  payTo: PAY_TO,
  amountAtomic: 10_000n,
  maxDeadlineSeconds: 20,
})

const authorization: Authorization = {
  from: account.address.toLowerCase(),
  to: PAY_TO,
  value: '10000',
  validAfter: '0',
  validBefore: String(NOW + 60),
  nonce: `0x${'ab'.repeat(32)}`,
}

async function sign(changes: Partial<Authorization> = {}, on: Network = network): Promise<DecodedPayment> {
  const signed = { ...authorization, ...changes }
  const signature = await account.signTypedData(authorizationTypedData(on, signed))
  return {
    network: network.id,
    asset: network.asset.address,
    accepted: undefined,
    authorization: signed,
    signature,
    salt: undefined,
  }
}

describe.each(['native', 'wasm'] as const)('with the %s curve', curve => {
  let crypto: EvmCrypto
  let prove: (payment: DecodedPayment) => ReturnType<ReturnType<typeof createSignatureVerifier>['provePayer']>

  beforeAll(async () => {
    crypto = await loadEvmCrypto({ curve })
    const verifier = createSignatureVerifier(crypto, [network])
    prove = payment => verifier.provePayer(payment)
  })

  test('hashes an authorization exactly as viem does', () => {
    const ours = createAuthorizationHasher(crypto, network).hashTransfer(authorization)
    expect(toHex(ours)).toBe(hashTypedData(authorizationTypedData(network, authorization)))
  })

  test('our own signer signs the same as viem', async () => {
    const signer = privateKeySigner(crypto, KEY)
    expect(signer.address).toBe(account.address.toLowerCase())
    const typedData = authorizationTypedData(network, authorization)
    expect(await signer.signTypedData(typedData)).toBe(await account.signTypedData(typedData))
  })

  test('D5 a payment signed by its payer is verified', async () => {
    const payment = await sign()
    expect(prove(payment)).toMatchObject({
      ok: true,
      value: {
        payer: account.address.toLowerCase(),
        key: `84532:${network.asset.address}:${authorization.from}:${authorization.nonce}`,
      },
    })
  })

  test.each([
    ['another chain in the signed domain', { chainId: 8453 }],
    ['another token in the signed domain', { asset: { ...network.asset, address: PAY_TO } }],
    ['another domain name', { asset: { ...network.asset, domain: { name: 'USD Coin', version: '2' } } }],
    ['another domain version', { asset: { ...network.asset, domain: { name: 'USDC', version: '1' } } }],
  ])('PAY-23 refuses a signature for %s', async (_, change) => {
    expect(prove(await sign({}, { ...network, ...change }))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('signature'),
    })
  })

  test('PAY-24 refuses an unknown network or asset without recovering a signer', async () => {
    const payment = await sign()
    expect(prove({ ...payment, network: 'eip155:8453' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('network eip155:8453'),
    })
    expect(prove({ ...payment, asset: PAY_TO })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('asset'),
    })
  })

  test.each(Object.keys(authorization) as (keyof Authorization)[])(
    'refuses an authorization whose %s was changed after signing',
    async field => {
      const payment = await sign()
      const changed = {
        from: PAY_TO,
        to: account.address.toLowerCase(),
        value: '10001',
        validAfter: '1',
        validBefore: String(NOW + 61),
        nonce: `0x${'cd'.repeat(32)}`,
      }
      expect(
        prove({ ...payment, authorization: { ...payment.authorization, [field]: changed[field] } }),
      ).toMatchObject({ ok: false })
    },
  )

  test('D4 refuses the malleated signature with a high s, as the token does', async () => {
    const payment = await sign()
    const bytes = fromHex(payment.signature)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = BigInt(toHex(bytes.subarray(32, 64)))
    const twin = new Uint8Array(bytes)
    twin.set(fromHex(`0x${(order - s).toString(16).padStart(64, '0')}`), 32)
    twin[64] = bytes[64] === 27 ? 28 : 27
    expect(prove({ ...payment, signature: toHex(twin) })).toMatchObject({ ok: false })
  })

  test('D4 refuses v other than 27 and 28', async () => {
    const payment = await sign()
    for (const v of [0, 1, 26, 29, 255]) {
      const bytes = fromHex(payment.signature)
      bytes[64] = v
      expect(prove({ ...payment, signature: toHex(bytes) }), `v=${v}`).toMatchObject({ ok: false })
    }
  })

  test.each([0, 1])('D4 v = %i, as some wallets count it, is refused with a fix', async v => {
    const payment = await sign()
    const signature = `${payment.signature.slice(0, -2)}0${v}`
    expect(createSignatureVerifier(crypto, [network]).provePayer({ ...payment, signature })).toEqual({
      ok: false,
      reason: `the signature ends with v = ${v}: the token takes 27 or 28, so add 27 to its last byte`,
    })
  })

  test('refuses signatures that are not points of the curve, without throwing', async () => {
    const payment = await sign()
    for (const signature of [
      `0x${'00'.repeat(64)}1b`,
      `0x${'ff'.repeat(64)}1b`,
      `0x${'00'.repeat(32)}${'01'.repeat(32)}1c`,
    ]) {
      expect(prove({ ...payment, signature })).toMatchObject({ ok: false })
    }
  })
})

describe('the terms of a verified payment', () => {
  let proven: (
    changes?: Partial<Authorization>,
    accepted?: DecodedPayment['accepted'],
  ) => Promise<ProvenPayment>

  beforeAll(async () => {
    const verifier = createSignatureVerifier(await loadEvmCrypto(), [network])
    proven = async (changes, accepted) => {
      const checked = verifier.provePayer({ ...(await sign(changes)), accepted })
      if (!checked.ok) throw new Error(checked.reason)
      return checked.value
    }
  })

  test('D5 a payment of exactly the price, to our wallet, in time, is accepted', async () => {
    expect(refuseTerms(await proven(), requirement, NOW)).toBeUndefined()
  })

  test.each([['9999'], ['10001'], ['0'], ['20000']])(
    'PAY-25 refuses a value of %s for a price of 10000',
    async value => {
      expect(refuseTerms(await proven({ value }), requirement, NOW)).toContain('exactly 10000')
    },
  )

  test('PAY-24 refuses a payment to another wallet, and takes ours in any case', async () => {
    expect(refuseTerms(await proven({ to: account.address.toLowerCase() }), requirement, NOW)).toContain(
      'another wallet',
    )
    const shouting = { ...requirement, payTo: `0x${PAY_TO.slice(2).toUpperCase()}` }
    expect(refuseTerms(await proven(), shouting, NOW)).toBeUndefined()
  })

  test('refuses echoed terms that are not ours', async () => {
    expect(refuseTerms(await proven({}, { amount: '1', payTo: PAY_TO }), requirement, NOW)).toContain(
      'accepted',
    )
    expect(
      refuseTerms(await proven({}, { amount: '10000', payTo: account.address }), requirement, NOW),
    ).toContain('accepted')
    expect(
      refuseTerms(await proven({}, { amount: '10000', payTo: PAY_TO }), requirement, NOW),
    ).toBeUndefined()
  })

  test.each([
    ['expired', { validBefore: String(NOW) }, 'expired'],
    ['below the settle margin', { validBefore: String(NOW + 9) }, 'at least 10 s'],
    ['exactly at the settle margin', { validBefore: String(NOW + 10) }, undefined],
    ['exactly a day ahead', { validBefore: String(NOW + 86_400) }, undefined],
    ['more than a day ahead', { validBefore: String(NOW + 86_401) }, 'within 24 h'],
    ['valid only later', { validAfter: String(NOW + 1) }, 'validAfter'],
    ['valid from this very second', { validAfter: String(NOW) }, 'validAfter'],
    ['valid since a second ago', { validAfter: String(NOW - 1) }, undefined],
  ])('PAY-26 a payment that is %s is judged by its times', async (_, changes, reason) => {
    const refused = refuseTerms(await proven(changes), requirement, NOW)
    if (reason === undefined) expect(refused).toBeUndefined()
    else expect(refused).toContain(reason)
  })
})

test('the event topics are the hashes of their signatures', () => {
  const topic = (signature: string): Hex => keccak256(toBytes(signature))
  expect(AUTHORIZATION_USED_TOPIC).toBe(topic('AuthorizationUsed(address,bytes32)'))
  expect(AUTHORIZATION_CANCELED_TOPIC).toBe(topic('AuthorizationCanceled(address,bytes32)'))
  expect(TRANSFER_TOPIC).toBe(topic('Transfer(address,address,uint256)'))
})
