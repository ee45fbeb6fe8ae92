import { describe, expect, test } from 'vitest'
import { addressWord, bytes32Word } from './abi-words.ts'
import { encodeAvailable, encodeSpend, permissionId } from './permission-calls.ts'
import { encodeApprove, encodePermitToken, encodeRevoke, encodeSet } from './permission-transactions.ts'
import { permitDigest } from './token-permit.ts'

type Hex = `0x${string}`

const OWNER: Hex = `0x${'11'.repeat(20)}`
const TOKEN: Hex = `0x${'33'.repeat(20)}`
const SCOPE: Hex = `0x${'55'.repeat(32)}`
const ATTACKER = 'e7'.repeat(20).padStart(64, '0')
/** One word for the attacker's address, followed by an amount. */
const TWO_WORDS: Hex = `0x${ATTACKER}${'f'.repeat(64)}`
const NO_ADDRESSES = [
  TWO_WORDS,
  `0x${ATTACKER}`,
  `0x${'1'.repeat(39)}`,
  `0x${'g'.repeat(40)}`,
  '0x',
  '',
] as const
const HASH = { keccak256: () => new Uint8Array(32) }

const permissionOf = (changes: object) => ({
  owner: OWNER,
  spender: OWNER,
  token: TOKEN,
  agentId: 7n,
  capability: 'buy',
  limit: 1n,
  cap: 1n,
  expiry: 1n,
  recipients: [],
  ...changes,
})
const permitOf = (changes: object) => ({
  token: TOKEN,
  owner: OWNER,
  value: 1n,
  deadline: 1n,
  signature: `0x${'1b'.repeat(65)}`,
  ...changes,
})

test('an address is padded with leading zeros, in lower case', () => {
  expect(addressWord(`0x${'Ab'.repeat(20)}`)).toBe(`${'0'.repeat(24)}${'ab'.repeat(20)}`)
  expect(bytes32Word(SCOPE)).toBe('55'.repeat(32))
})

describe.each(NO_ADDRESSES)('PERM-05 %j in place of an address', text => {
  const hex = text as Hex
  test.each([
    ['an approval', () => encodeApprove(0n, hex)],
    ['a permission, as the owner', () => encodeSet(permissionOf({ owner: hex }))],
    ['a permission, as the spender', () => encodeSet(permissionOf({ spender: hex }))],
    ['a permission, as the token', () => encodeSet(permissionOf({ token: hex }))],
    ['a permission, as a recipient', () => encodeSet(permissionOf({ recipients: [OWNER, hex] }))],
    ['a revocation', () => encodeRevoke({ spender: hex, token: TOKEN, scope: SCOPE })],
    ['a signed approval', () => encodePermitToken(permitOf({ token: hex }))],
    [
      'a spend',
      () => encodeSpend({ owner: OWNER, token: TOKEN, scope: SCOPE, to: hex, amount: 1n, ref: 1n }),
    ],
    ['a question', () => encodeAvailable({ owner: hex, spender: OWNER, token: TOKEN, scope: SCOPE })],
    [
      'the id of a permission',
      () => permissionId(HASH, { owner: hex, spender: OWNER, token: TOKEN, scope: SCOPE }),
    ],
    [
      'what a permit is signed over',
      () =>
        permitDigest(HASH, {
          chainId: 1,
          token: TOKEN,
          name: 'USDC',
          version: '2',
          owner: hex,
          value: 1n,
          nonce: 0n,
          deadline: 1n,
        }),
    ],
  ])('is refused in %s: no word is shifted', (_, encode) => {
    expect(encode).toThrow(RangeError)
  })
})

test.each([`0x${'5'.repeat(63)}`, `0x${'5'.repeat(65)}`, `${SCOPE}${ATTACKER}`, OWNER])(
  'a scope of another length than 32 bytes is refused: %s',
  scope => {
    expect(() => encodeRevoke({ spender: OWNER, token: TOKEN, scope: scope as Hex })).toThrow(RangeError)
  },
)
