import * as fc from 'fast-check'
import { getAddress, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { checksumAddress, isAddress, refuseAddress, sameAddress } from './address.ts'
import { loadKeccak, type EvmCrypto } from './evm-crypto.ts'

const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ANY_ADDRESS = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)

let crypto: Pick<EvmCrypto, 'keccak256'>

beforeAll(async () => {
  crypto = { keccak256: await loadKeccak() }
})

test.each([ADDRESS, ADDRESS.toLowerCase(), `0x${'0'.repeat(40)}`])('%s has the form of an address', value => {
  expect(isAddress(value)).toBe(true)
})

test.each([
  ADDRESS.slice(2),
  ADDRESS.slice(0, -1),
  `${ADDRESS}0`,
  `${ADDRESS}\n`,
  ` ${ADDRESS}`,
  `0X${ADDRESS.slice(2)}`,
  ADDRESS.replace('3', 'g'),
  'vitalik.eth',
  '',
  null,
  7,
  [ADDRESS],
])('%j has another form', value => {
  expect(isAddress(value)).toBe(false)
  expect(refuseAddress(crypto, value)).toBe('must be an address: 0x and 40 hex digits')
})

test('addresses are compared regardless of case', () => {
  expect(sameAddress(ADDRESS, ADDRESS.toLowerCase())).toBe(true)
  expect(sameAddress(ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`)).toBe(true)
  expect(sameAddress(ADDRESS, `${ADDRESS.slice(0, -1)}D`)).toBe(false)
})

test('EIP-55 the checksum is viem’s, for input in any case', () => {
  fc.assert(
    fc.property(ANY_ADDRESS, address => {
      const expected = getAddress(address)
      expect(checksumAddress(crypto, address)).toBe(expected)
      expect(checksumAddress(crypto, `0x${address.slice(2).toUpperCase()}`)).toBe(expected)
    }),
  )
})

describe('D30 an address a person typed', () => {
  test('is valid in lower case, in capitals and with its checksum', () => {
    for (const typed of [ADDRESS, ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`]) {
      expect(refuseAddress(crypto, typed), typed).toBeUndefined()
    }
  })

  test('is refused when one letter’s case is wrong, because of a probable typing error', () => {
    expect(refuseAddress(crypto, ADDRESS.replace('C', 'c'))).toContain('wrong checksum')
    expect(refuseAddress(crypto, ADDRESS.replace('C', 'D'))).toContain('wrong checksum')
  })

  test('is valid without letters, where there can be no checksum', () => {
    expect(refuseAddress(crypto, `0x${'1'.repeat(40)}`)).toBeUndefined()
  })

  test('is never the zero address, from which nothing can be recovered', () => {
    expect(refuseAddress(crypto, `0x${'0'.repeat(40)}`)).toBe('must not be the zero address')
  })
})
