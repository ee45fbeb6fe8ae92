import fc from 'fast-check'
import { parseTransaction, recoverTransactionAddress, keccak256, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../crypto/bytes.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { encodeRlp } from './rlp.ts'
import { signTransaction } from './sign-transaction.ts'

const KEY = `0x${'0b'.repeat(32)}` as const
let crypto: EvmCrypto
beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

describe('a signed transaction', () => {
  test('has the given values and signer according to another library, in the same bytes', async () => {
    const wei = fc.bigInt({ min: 0n, max: 2n ** 96n })
    const transactions = fc.record({
      chainId: fc.integer({ min: 1, max: 2 ** 31 }),
      nonce: fc.nat(),
      maxPriorityFeePerGas: wei,
      maxFeePerGas: wei,
      gasLimit: fc.bigInt({ min: 1n, max: 30_000_000n }),
      to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex),
      valueWei: wei,
      callData: fc.uint8Array({ maxLength: 300 }).map(toHex),
    })
    await fc.assert(
      fc.asyncProperty(transactions, async asked => {
        const transaction = { ...asked, maxFeePerGas: asked.maxFeePerGas + asked.maxPriorityFeePerGas }
        const sign = (digest: Uint8Array): Uint8Array => crypto.sign(digest, fromHex(KEY))
        const { raw, hash } = signTransaction(crypto, sign, transaction)
        const read = parseTransaction(raw as `0x02${string}`)
        expect({
          chainId: read.chainId,
          nonce: read.nonce ?? 0,
          maxPriorityFeePerGas: read.maxPriorityFeePerGas ?? 0n,
          maxFeePerGas: read.maxFeePerGas ?? 0n,
          gasLimit: read.gas,
          to: read.to,
          valueWei: read.value ?? 0n,
          callData: read.data ?? '0x',
        }).toEqual(transaction)
        expect(keccak256(raw as Hex)).toBe(hash)
        const signer = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
        expect(signer.toLowerCase()).toBe(crypto.addressOf(fromHex(KEY)))
        const theirs = await privateKeyToAccount(KEY).signTransaction({
          ...transaction,
          type: 'eip1559',
          gas: transaction.gasLimit,
          to: transaction.to as Hex,
          value: transaction.valueWei,
          data: transaction.callData as Hex,
        })
        expect(raw).toBe(theirs)
      }),
      { numRuns: 60 },
    )
  })
})

// The examples of "Recursive-length prefix serialization", ethereum.org.
describe('RLP', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)
  test.each([
    ['a short text', text('dog'), '0x83646f67'],
    ['a list', [text('cat'), text('dog')], '0xc88363617483646f67'],
    ['nothing', new Uint8Array(), '0x80'],
    ['an empty list', [], '0xc0'],
    ['a byte below 0x80', Uint8Array.of(15), '0x0f'],
    ['two bytes', Uint8Array.of(4, 0), '0x820400'],
    ['lists of lists', [[], [[]], [[], [[]]]], '0xc7c0c1c0c3c0c1c0'],
    [
      'a text of 56 bytes',
      text('Lorem ipsum dolor sit amet, consectetur adipisicing elit'),
      `0xb838${Buffer.from('Lorem ipsum dolor sit amet, consectetur adipisicing elit').toString('hex')}`,
    ],
  ])('%s', (_, item, encoded) => {
    expect(toHex(encodeRlp(item))).toBe(encoded)
  })
})
