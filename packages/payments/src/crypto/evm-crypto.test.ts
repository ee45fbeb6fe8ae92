import * as fc from 'fast-check'
import { keccak256, serializeSignature } from 'viem'
import { privateKeyToAddress, sign } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromHex, toHex } from './bytes.ts'
import { loadEvmCrypto, loadKeccak, type EvmCrypto } from './evm-crypto.ts'

/** The order of secp256k1 (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const PRIVATE_KEY = fc.bigInt({ min: 1n, max: ORDER - 1n }).map(hex32)
const DIGEST = fc.uint8Array({ minLength: 32, maxLength: 32 })
const RUNS = { numRuns: 30 }

function hex32(value: bigint): `0x${string}` {
  return `0x${value.toString(16).padStart(64, '0')}`
}

describe.each(['native', 'wasm'] as const)('with the %s curve', curve => {
  let crypto: EvmCrypto

  beforeAll(async () => {
    crypto = await loadEvmCrypto({ curve })
  })

  test('uses the requested curve', () => {
    expect(crypto.curve).toBe(curve)
  })

  test('hashes as viem does, also a part of a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(400), (bytes, from) => {
        const part = bytes.subarray(Math.min(from, bytes.length))
        expect(toHex(crypto.keccak256(part))).toBe(keccak256(part))
      }),
    )
  })

  test('a hash that was returned is not changed by the next', () => {
    const hash = crypto.keccak256(Uint8Array.of(1))
    crypto.keccak256(Uint8Array.of(2))
    expect(toHex(hash)).toBe(keccak256(Uint8Array.of(1)))
  })

  test('RFC 6979 signs byte for byte what viem signs, and recovers the signer', async () => {
    await fc.assert(
      fc.asyncProperty(PRIVATE_KEY, DIGEST, async (key, digest) => {
        const signature = crypto.sign(digest, fromHex(key))
        expect(toHex(signature)).toBe(
          serializeSignature(await sign({ hash: `0x${toHex(digest).slice(2)}`, privateKey: key })),
        )
        expect(crypto.recoverAddress(digest, signature)).toBe(crypto.addressOf(fromHex(key)))
        expect(crypto.addressOf(fromHex(key))).toBe(privateKeyToAddress(key).toLowerCase())
      }),
      RUNS,
    )
  })

  test('D4 the malleated form of a signature is refused: high s', () => {
    fc.assert(
      fc.property(PRIVATE_KEY, DIGEST, (key, digest) => {
        const twin = crypto.sign(digest, fromHex(key))
        twin.set(fromHex(hex32(ORDER - BigInt(toHex(twin.subarray(32, 64))))), 32)
        twin[64] = twin[64] === 27 ? 28 : 27
        expect(crypto.recoverAddress(digest, twin)).toBeUndefined()
      }),
      RUNS,
    )
  })

  test('any 65 bytes as a signature recover an address or none', () => {
    fc.assert(
      fc.property(
        DIGEST,
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.constantFrom(27, 28),
        (digest, rs, v) => {
          expect(crypto.recoverAddress(digest, Uint8Array.of(...rs, v)) ?? '0x').toMatch(
            /^0x(?:[0-9a-f]{40})?$/,
          )
        },
      ),
      RUNS,
    )
  })

  test.each([
    ['r of zero', `0x${'00'.repeat(32)}${'01'.repeat(32)}1b`],
    ['s of zero', `0x${'01'.repeat(32)}${'00'.repeat(32)}1b`],
    ['r beyond the order', `0x${'ff'.repeat(32)}${'01'.repeat(32)}1b`],
    ['64 bytes (EIP-2098)', `0x${'01'.repeat(64)}`],
    ['66 bytes', `0x${'01'.repeat(64)}1b1b`],
    ['no bytes', '0x'],
  ])('D4 %s is not a signature', (_, signature) => {
    expect(crypto.recoverAddress(new Uint8Array(32), fromHex(signature))).toBeUndefined()
  })

  test.each([
    ['zero', hex32(0n)],
    ['the order', hex32(ORDER)],
    ['31 bytes', `0x${'01'.repeat(31)}`],
    ['33 bytes', `0x${'01'.repeat(33)}`],
  ])('%s is not a private key', (_, key) => {
    expect(() => crypto.addressOf(fromHex(key))).toThrow(RangeError)
  })
})

test('the native curve is the default, and no fallback is reported', async () => {
  const reasons: string[] = []
  expect((await loadEvmCrypto({ onFallback: reason => reasons.push(reason) })).curve).toBe('native')
  expect(reasons).toEqual([])
})

test('the hash can be loaded alone', async () => {
  const hash = await loadKeccak()
  expect(toHex(hash(new Uint8Array()))).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})
