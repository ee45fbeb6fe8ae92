import { randomBytes } from 'node:crypto'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { decryptKey, encryptKey } from './encrypt-key.ts'
import { readKeystore } from './keystore.ts'

let crypto: EvmCrypto

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

/** The two test vectors of the Web3 Secret Storage Definition; both hold the same key. */
const SECRET = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

async function open(file: object, password: string): Promise<string | undefined> {
  const key = await decryptKey(crypto.keccak256, readKeystore(JSON.stringify(file), 'wallet'), password)
  return key && Buffer.from(key).toString('hex')
}

describe('the test vectors of the definition', () => {
  test.each([
    ['pbkdf2', PBKDF2],
    ['scrypt', SCRYPT],
  ])('%s opens with its password, and with no other', async (_, file) => {
    expect(await open(file, 'testpassword')).toBe(SECRET)
    expect(await open(file, 'testpassword2')).toBeUndefined()
  })
})

test('an encrypted keystore has geth’s cost, holds no key in the clear, and opens again', async () => {
  const key = randomBytes(32)
  const text = await encryptKey(crypto, key, 'correct horse')
  expect(text).not.toContain(key.toString('hex'))
  expect(JSON.parse(text)).toMatchObject({
    address: crypto.addressOf(key).slice(2),
    crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt', kdfparams: { dklen: 32, n: 262_144, r: 8, p: 1 } },
    version: 3,
  })
  const keystore = readKeystore(text, 'wallet')
  expect(keystore.address).toBe(crypto.addressOf(key))
  expect(await decryptKey(crypto.keccak256, keystore, 'correct horse')).toEqual(key)
  expect(await decryptKey(crypto.keccak256, keystore, 'correct hors')).toBeUndefined()
})

describe('an invalid or malicious file is refused by name before anything is derived', () => {
  const scrypt = (changes: object): object => ({
    ...SCRYPT,
    crypto: { ...SCRYPT.crypto, kdfparams: { ...SCRYPT.crypto.kdfparams, ...changes } },
  })
  test.each<[string, object | string, RegExp]>([
    ['no JSON', 'key: 1', /is not a JSON object/],
    ['a megabyte', `{"version":3,"x":"${'x'.repeat(1_000_000)}"}`, /of a keystore’s size/],
    ['version 1', { ...SCRYPT, version: 1 }, /version 3/],
    ['another cipher', { ...SCRYPT, crypto: { ...SCRYPT.crypto, cipher: 'aes-128-cbc' } }, /aes-128-ctr/],
    [
      'another derivation',
      { ...SCRYPT, crypto: { ...SCRYPT.crypto, kdf: '\u001b[2J' } },
      /"scrypt" or "pbkdf2"/,
    ],
    ['scrypt for 128 GB', scrypt({ n: 2 ** 30 }), /wallet: its scrypt cost .* too high/],
    ['scrypt for an hour', scrypt({ p: 100_000 }), /wallet: its scrypt cost .* too high/],
    ['scrypt for a gigabyte beside a small table', scrypt({ n: 2, r: 2 ** 20, p: 8 }), /cost .* too high/],
    ['scrypt of no power of two', scrypt({ n: 262_143 }), /power of two/],
    [
      'pbkdf2 for an hour',
      { ...PBKDF2, crypto: { ...PBKDF2.crypto, kdfparams: { ...PBKDF2.crypto.kdfparams, c: 1e12 } } },
      /pbkdf2 cost/,
    ],
    [
      'a short key',
      { ...SCRYPT, crypto: { ...SCRYPT.crypto, ciphertext: 'd172' } },
      /ciphertext must be 32 bytes/,
    ],
    ['a mac that is no hex', { ...SCRYPT, crypto: { ...SCRYPT.crypto, mac: 'zz' } }, /mac must be 32 bytes/],
  ])('%s', (_, file, reason) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file)
    expect(() => readKeystore(text, 'wallet')).toThrow(reason)
  })
})
