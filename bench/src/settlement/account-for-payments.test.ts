import { describe, expect, test } from 'vitest'
import { checkAnswers, checkLedger } from './account-for-payments.ts'
import type { ChainPayment } from './chain-record.ts'

const payments = [
  { body: '', payee: 0, nonce: '0x00', valueAtomic: 10n },
  { body: '', payee: 0, nonce: '0x01', valueAtomic: 11n },
]
const first: ChainPayment = { nonce: '0x00', valueAtomic: 10n, transaction: '0xt0', block: 7 }
const second: ChainPayment = { nonce: '0x01', valueAtomic: 11n, transaction: '0xt1', block: 8 }
const onChain = [first, second]
const answered = { settleMs: [1, 1], transactions: ['0xt0', '0xt1'], firstSentMs: 0, lastAnsweredMs: 1 }

describe('answers are compared with the chain', () => {
  test('and agree where each names the transaction that paid', () => {
    expect(() => checkAnswers(payments, answered, onChain)).not.toThrow()
  })

  test('and do not where a payment is missing, there twice, of another value or in another transaction', () => {
    const other = { ...answered, transactions: ['0xt0', '0xt0'] }
    expect(() => checkAnswers(payments, answered, [first])).toThrow('the chain has 1')
    expect(() => checkAnswers(payments, answered, [first, first])).toThrow('2 payments of 1 nonces')
    expect(() => checkAnswers(payments, answered, [first, { ...second, valueAtomic: 1n }])).toThrow('moved 1')
    expect(() => checkAnswers(payments, other, onChain)).toThrow('the answer named 0xt0')
    expect(() => checkAnswers(payments, answered, [first, { ...second, nonce: '0xff' }])).toThrow('0x01')
  })
})

describe('the ledger is compared with the chain', () => {
  const ledger = (...rows: ChainPayment[]) => checkLedger(async () => await Promise.resolve(rows), onChain)

  test('and agrees where every row is a payment of the chain', async () => {
    await ledger(second, first)
  })

  test('and is waited for while a row is still being written', async () => {
    let looks = 0
    const late = async () => await Promise.resolve(looks++ === 0 ? [first] : onChain)
    await checkLedger(late, onChain)
    expect(looks).toBe(2)
  })

  test('and does not agree where a row is too many, there twice, or of another value or block', async () => {
    await expect(ledger(first, second, { ...first, nonce: '0xff' })).rejects.toThrow('the ledger has 3')
    await expect(ledger(first, first)).rejects.toThrow('2 payments of 1 nonces')
    await expect(ledger(first, { ...second, valueAtomic: 1n })).rejects.toThrow('the ledger has 2')
    await expect(ledger(first, { ...second, block: 1 })).rejects.toThrow('as the chain has it')
  })
})
