import { describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader, Observation } from './chain-reader.ts'
import { createObserver } from './observe-together.ts'

let count = 0

function paymentOf(from: string): LedgerPayment {
  count += 1
  return {
    key: String(count),
    network: 'eip155:84532',
    asset: '0x',
    signature: '0x',
    authorization: {
      from,
      to: '0xb',
      value: '1',
      validAfter: '0',
      validBefore: '99999999999',
      nonce: String(count),
    },
  }
}

const GOOD: Observation = {
  blockNumber: 1n,
  blockSeconds: Date.now(),
  balanceAtomic: 1n,
  used: false,
  revert: undefined,
}

/** A chain that answers when it is told to, and remembers what it was asked together. */
function createFakeReader(judge: (payment: LedgerPayment, together: number) => Observation = () => GOOD): {
  readonly reader: ChainReader
  readonly asked: string[][]
  answer(): void
} {
  const asked: string[][] = []
  const waiting: (() => void)[] = []
  let held = true
  const unused = async (): Promise<never> => await Promise.reject(new Error('not asked here'))
  return {
    asked,
    answer() {
      held = false
      for (const resolve of waiting.splice(0)) resolve()
    },
    reader: {
      async observe(payments) {
        asked.push(payments.map(payment => payment.key))
        if (held) await new Promise<void>(resolve => waiting.push(resolve))
        return payments.map(payment => judge(payment, payments.length))
      },
      findSettlement: unused,
      readReceipt: unused,
      readHead: unused,
    },
  }
}

describe('observing together', () => {
  test('a lone payment goes at once; those that come while the node is busy share the next call', async () => {
    const { reader, asked, answer } = createFakeReader()
    const observe = createObserver(reader, systemClock)
    const observing = Promise.all(
      Array.from({ length: 42 }, async (_, index) => await observe(paymentOf(`payer ${index}`))),
    )
    expect(asked.map(keys => keys.length)).toEqual([1, 1])
    answer()
    expect(await observing).toHaveLength(42)
    expect(asked.map(keys => keys.length)).toEqual([1, 1, 40])
  })

  test('PAY-11 two payments of one payer are never tried on top of one another', async () => {
    const { reader, asked, answer } = createFakeReader()
    const observe = createObserver(reader, systemClock)
    const payments = ['busy', 'busy', 'one', 'one', 'two', 'one'].map(paymentOf)
    const observing = Promise.all(payments.map(async payment => await observe(payment)))
    answer()
    await observing
    const payers = new Map(payments.map(payment => [payment.key, payment.authorization.from]))
    for (const keys of asked) expect(new Set(keys.map(key => payers.get(key))).size).toBe(keys.length)
    expect(asked.flat().sort()).toEqual(payments.map(payment => payment.key).sort())
  })

  test('PAY-30 one that ends without a word among others is tried again by itself', async () => {
    const mute: Observation = { ...GOOD, revert: { reason: 'r', message: 'm', mute: true } }
    // All fail together; alone only the burner does.
    const { reader, asked, answer } = createFakeReader((payment, together) =>
      together > 1 || payment.authorization.from === 'burner' ? mute : GOOD,
    )
    const observe = createObserver(reader, systemClock)
    const observing = ['busy', 'busier', 'burner', 'victim', 'other victim'].map(
      async payer => await observe(paymentOf(payer)),
    )
    answer()
    expect((await Promise.all(observing)).map(observation => observation.revert?.mute)).toEqual([
      undefined,
      undefined,
      true,
      undefined,
      undefined,
    ])
    expect(asked.map(keys => keys.length)).toEqual([1, 1, 3, 1, 1, 1])
  })

  test('a call that the node refuses as a whole is made for each by itself, and only the guilty one fails', async () => {
    const { reader, answer } = createFakeReader((payment, together) => {
      if (together > 1 || payment.authorization.from === 'guilty') throw new Error('out of gas')
      return GOOD
    })
    const observe = createObserver(reader, systemClock)
    const observing = ['busy', 'busier', 'guilty', 'innocent'].map(
      async payer => await observe(paymentOf(payer)),
    )
    answer()
    const outcomes = await Promise.allSettled(observing)
    expect(outcomes.map(outcome => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})
