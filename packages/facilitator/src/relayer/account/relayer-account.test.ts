import { BATCH_SETTLER_ADDRESS, LOCAL_USDC_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import fc from 'fast-check'
import { keccak256, parseTransaction, recoverTransactionAddress, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { LedgerPayment } from '../../ledger/payment-record.ts'
import { freshKey, NETWORK } from '../../test-setup/payments-for-tests.ts'
import { createRelayer, gasLimit, MAX_BATCH, type Relayer } from './relayer-account.ts'

const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000n }

const hexOf = (bytes: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map(array => `0x${Buffer.from(array).toString('hex')}`)
const decimal = fc.bigInt({ min: 0n, max: 2n ** 47n - 1n }).map(String)
const payments: fc.Arbitrary<LedgerPayment> = fc.record({
  key: fc.string(),
  network: fc.constant(NETWORK.id),
  asset: fc.constant(NETWORK.asset.address),
  signature: hexOf(65),
  authorization: fc.record({
    from: hexOf(20),
    to: hexOf(20),
    value: decimal,
    validAfter: decimal,
    validBefore: decimal,
    nonce: hexOf(32),
  }),
})

const BATCHES = {
  settler: [BATCH_SETTLER_ADDRESS, '0x1c8cbdc9'],
  multicall: [MULTICALL3_ADDRESS, '0x82ad56cb'],
} as const
const contracts = fc.constantFrom('settler' as const, 'multicall' as const)

describe('the relayer', () => {
  let relayer: Relayer

  beforeAll(async () => {
    relayer = createRelayer(await loadEvmCrypto(), NETWORK, freshKey())
  })

  test('SR8 it signs only transfers with authorization of our token, single or in a batch, without value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(payments, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        contracts,
        async (batch, nonce, contract) => {
          const { raw, hash } = relayer.sign(relayer.call(batch, contract), nonce, FEES)
          const transaction = parseTransaction(raw as Hex)
          expect(keccak256(raw as Hex)).toBe(hash)
          expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toMatch(
            new RegExp(relayer.address, 'i'),
          )
          expect(transaction).toMatchObject({
            type: 'eip1559',
            chainId: NETWORK.chainId,
            gas: gasLimit(batch.length),
            ...FEES,
          })
          expect(transaction.nonce ?? 0).toBe(nonce)
          expect(transaction.value ?? 0n).toBe(0n)
          const [to, selector] = batch.length === 1 ? [LOCAL_USDC_ADDRESS, '0xe3ee160e'] : BATCHES[contract]
          expect(transaction.to?.toLowerCase()).toBe(to.toLowerCase())
          expect(transaction.data?.startsWith(selector)).toBe(true)
          for (const { authorization } of batch)
            expect(transaction.data).toContain(authorization.nonce.slice(2))
        },
      ),
      { numRuns: 50 },
    )
  })

  test('SR8 refuses payments of another network or token, none at all, and too many', () => {
    const [one] = fc.sample(payments, 1)
    if (one === undefined) throw new Error('no sample')
    expect(() => relayer.call([{ ...one, network: 'eip155:1' }], 'settler')).toThrow(RangeError)
    expect(() => relayer.call([one, { ...one, asset: one.authorization.to }], 'settler')).toThrow(RangeError)
    expect(() => relayer.call([], 'settler')).toThrow(RangeError)
    expect(() =>
      relayer.call(
        Array.from({ length: MAX_BATCH + 1 }, () => one),
        'settler',
      ),
    ).toThrow(RangeError)
  })

  test('the largest batch stays below what a transaction may ask for (EIP-7825)', () => {
    expect(gasLimit(MAX_BATCH)).toBeLessThanOrEqual(2n ** 24n)
  })
})
