import * as fc from 'fast-check'
import { domainSeparator, hashTypedData, type Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import {
  createAuthorizationHasher,
  paymentKey,
  type Authorization,
  type AuthorizationHasher,
} from './eip-3009.ts'
import { toHex } from '../crypto/bytes.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { findNetwork, networkIds, type Network } from '../networks.ts'
import { authorizationTypedData } from '../x402/sign-payment.ts'

const NETWORKS = networkIds().flatMap(id => findNetwork(id) ?? [])

const hex = (bytes: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((raw): Hex => `0x${Buffer.from(raw).toString('hex')}`)
const uint = (bits: bigint): fc.Arbitrary<string> => fc.bigInt({ min: 0n, max: 2n ** bits - 1n }).map(String)
const AUTHORIZATION: fc.Arbitrary<Authorization> = fc.record({
  from: hex(20),
  to: hex(20),
  value: uint(256n),
  validAfter: uint(47n),
  validBefore: uint(47n),
  nonce: hex(32),
})

let crypto: EvmCrypto
let hashers: ReadonlyMap<Network, AuthorizationHasher>

beforeAll(async () => {
  crypto = await loadEvmCrypto()
  hashers = new Map(NETWORKS.map(network => [network, createAuthorizationHasher(crypto, network)]))
})

function viemDomain(network: Network) {
  const verifyingContract: Hex = `0x${network.asset.address.slice(2)}`
  return { ...network.asset.domain, chainId: network.chainId, verifyingContract }
}

test('EIP-712 the domain separator of each network is the one viem computes', () => {
  expect(NETWORKS.length).toBeGreaterThan(5)
  for (const [network, hasher] of hashers) {
    expect(toHex(hasher.domainSeparator), network.id).toBe(domainSeparator({ domain: viemDomain(network) }))
  }
})

test('EIP-3009 one hasher gives viem’s digest for one authorization after another, without traces of the last', () => {
  fc.assert(
    fc.property(AUTHORIZATION, fc.constantFrom(...NETWORKS), (authorization, network) => {
      const ours = hashers.get(network)?.hashTransfer(authorization) ?? new Uint8Array()
      expect(toHex(ours)).toBe(hashTypedData(authorizationTypedData(network, authorization)))
    }),
  )
})

test('EIP-3009 the digest that cancels a nonce is viem’s', () => {
  const types = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const
  fc.assert(
    fc.property(hex(20), hex(32), fc.constantFrom(...NETWORKS), (authorizer, nonce, network) => {
      const ours = hashers.get(network)?.hashCancel(authorizer, nonce) ?? new Uint8Array()
      expect(toHex(ours)).toBe(
        hashTypedData({
          domain: viemDomain(network),
          types,
          primaryType: 'CancelAuthorization',
          message: { authorizer, nonce },
        }),
      )
    }),
  )
})

test('a digest that was returned is not changed by the next', () => {
  const [network] = NETWORKS
  const hasher = network && hashers.get(network)
  const [first, second] = fc.sample(AUTHORIZATION, 2)
  if (hasher === undefined || first === undefined || second === undefined) throw new Error('nothing to hash')
  const digest = hasher.hashTransfer(first)
  const kept = toHex(digest)
  hasher.hashTransfer(second)
  expect(toHex(digest)).toBe(kept)
})

test('D6 the payment key names chain, asset, payer and nonce, and nothing that may differ between envelopes', () => {
  const keys = NETWORKS.map(network => paymentKey(network, { from: '0xaa', nonce: '0xbb' }))
  expect(new Set(keys).size).toBe(NETWORKS.length)
  expect(keys[0]).toBe('8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:0xaa:0xbb')
})
