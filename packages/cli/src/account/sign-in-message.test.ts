import { checksumAddress } from '@farebox/payments/crypto/address'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { SignInTerms } from '@farebox/platform-api/owners'
import { beforeAll, describe, expect, test } from 'vitest'
import { signInMessage } from './login.ts'

const ADDRESS = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
const TERMS: SignInTerms = {
  nonce: 'abcdefgh12345678',
  domain: 'platform.example',
  uri: 'https://platform.example',
  version: '1',
  chain_id: 8_453,
  issued_at: '2027-01-01T00:00:00.000Z',
  expiration_time: '2027-01-01T00:05:00.000Z',
}

let crypto: EvmCrypto
beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

function messageFor(changes: Partial<SignInTerms>, platform = 'https://platform.example'): string {
  return signInMessage(crypto, { ...TERMS, ...changes }, { platform, address: ADDRESS })
}

describe('a sign-in message', () => {
  test('EIP-4361 contains the platform, the address with its checksum, the nonce and the expiry', () => {
    expect(messageFor({})).toBe(
      [
        'platform.example wants you to sign in with your Ethereum account:',
        checksumAddress(crypto, ADDRESS),
        '',
        'Sign in to Farebox. This costs nothing and moves no money.',
        '',
        'URI: https://platform.example',
        'Version: 1',
        'Chain ID: 8453',
        'Nonce: abcdefgh12345678',
        'Issued At: 2027-01-01T00:00:00.000Z',
        'Expiration Time: 2027-01-01T00:05:00.000Z',
      ].join('\n'),
    )
  })

  test.each<[string, Partial<SignInTerms>]>([
    ['another domain', { domain: 'bank.example' }],
    ['another domain and its URI', { domain: 'bank.example', uri: 'https://bank.example' }],
    ['another URI', { uri: 'https://bank.example' }],
    ['a URI below the platform’s', { uri: 'https://platform.example/other' }],
    ['a name of this machine, asked by a public platform', { domain: 'localhost', uri: 'http://localhost' }],
  ])('is not signed for %s: a platform cannot sign in elsewhere in the owner’s name', (_, terms) => {
    expect(() => messageFor(terms)).toThrow(/^https:\/\/platform\.example asks for a sign-in at/)
  })

  test.each<[string, Partial<SignInTerms>]>([
    ['a nonce with lines of its own', { nonce: 'abcdefgh\nResources:\n- https://bank.example' }],
    ['a time with lines of its own', { expiration_time: '2027-01-01T00:05:00Z\nRequest ID: 7' }],
    ['a chain that is no number', { chain_id: 1.5 }],
  ])('is not signed with %s', (_, terms) => {
    expect(() => messageFor(terms)).toThrow('asks for a sign-in in no form that is known')
  })

  test('names of this machine are equivalent at the same port, and at no other', () => {
    const terms = { domain: 'localhost:4000', uri: 'http://localhost:4000' }
    expect(messageFor(terms, 'http://127.0.0.1:4000')).toContain('URI: http://localhost:4000')
    expect(() => messageFor(terms, 'http://127.0.0.1:4001')).toThrow('asks for a sign-in at localhost:4000')
  })
})
