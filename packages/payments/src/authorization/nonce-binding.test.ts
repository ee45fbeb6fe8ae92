import * as fc from 'fast-check'
import { concat, keccak256, stringToBytes, toHex as viemHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { toHex } from '../crypto/bytes.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { bindNonce, refuseNonce, type NonceBinding } from './nonce-binding.ts'

const BINDING: NonceBinding = {
  endpoint: 'https://agent.example/execute',
  capability: 'count',
  jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
}
const SALT = Uint8Array.from({ length: 16 }, (_, index) => index)

let crypto: EvmCrypto
let nonce: string

beforeAll(async () => {
  crypto = await loadEvmCrypto()
  nonce = bindNonce(crypto, BINDING, SALT)
})

test('D13 a bound nonce is the magic and the first 28 bytes of the hash of endpoint, capability, job_id and salt', () => {
  const preimage = concat([stringToBytes(BINDING.endpoint + BINDING.capability + BINDING.jobId), SALT])
  expect(nonce).toBe(`${viemHex('fare')}${keccak256(preimage).slice(2, 58)}`)
  expect(nonce).toMatch(/^0x[0-9a-f]{64}$/)
})

describe('D13 a bound payment', () => {
  test('is valid for its job, in any spelling of the job_id', () => {
    expect(refuseNonce(crypto, nonce, toHex(SALT), BINDING)).toBeUndefined()
    expect(
      refuseNonce(crypto, nonce, toHex(SALT), { ...BINDING, jobId: BINDING.jobId.toUpperCase() }),
    ).toBeUndefined()
  })

  test.each([
    ['endpoint', 'https://other.example/execute'],
    ['capability', 'sum'],
    ['jobId', '4f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'],
  ])('PAY-06 is refused for another %s', (part, other) => {
    expect(refuseNonce(crypto, nonce, toHex(SALT), { ...BINDING, [part]: other })).toBe(
      'the nonce is bound to another job',
    )
  })

  test('is refused without its salt, and with another', () => {
    expect(refuseNonce(crypto, nonce, undefined, BINDING)).toBe(
      'the nonce is bound to a job, but extensions["farebox-nonce"].salt is missing',
    )
    expect(refuseNonce(crypto, nonce, toHex(new Uint8Array(16)), BINDING)).toBe(
      'the nonce is bound to another job',
    )
  })
})

test('D13 a nonce without the magic is not bound, with or without a salt', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }).filter(bytes => bytes[0] !== 0x66),
      bytes => {
        expect(refuseNonce(crypto, toHex(bytes), undefined, BINDING)).toBeUndefined()
        expect(refuseNonce(crypto, toHex(bytes), toHex(SALT), BINDING)).toBeUndefined()
      },
    ),
  )
})
