import { systemClock } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
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

/** A chain that answers when a test lets it, and records which payments were in one call. */
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
      readUses: unused,
      isInBlock: unused,
      readUseEvents: unused,
      readSender: unused,
      findSettlement: unused,
      readReceipt: unused,
      readHead: unused,
      readBlockSeconds: unused,
    },
  }
}

describe('observing together', () => {
  test('a single payment is sent at once; those that arrive while the node is busy share the next call', async () => {
    const { reader, asked, answer } = createFakeReader()
    const observe = createObserver(reader, systemClock)
    const observing = Promise.all(
      Array.from({ length: 22 }, async (_, index) => await observe(paymentOf(`payer ${index}`))),
    )
    expect(asked.map(keys => keys.length)).toEqual([1])
    answer()
    expect(await observing).toHaveLength(22)
    expect(asked.map(keys => keys.length)).toEqual([1, 21])
  })

  test('PAY-11 a payment that fails after another of its payer is simulated again alone, which counts', async () => {
    const poor: Observation = { ...GOOD, revert: { reason: 'poor', message: 'm', mute: false } }
    const payers = ['busy', 'one', 'two', 'one', 'two', 'three']
    const payments = payers.map(paymentOf)
    // Together there is too little for the second payment of each payer; alone only the second of two is too large.
    const { reader, asked, answer } = createFakeReader((payment, together) => {
      const index = payments.indexOf(payment)
      const second = payers.indexOf(payers[index] ?? '') < index
      return second && (together > 1 || index === 4) ? poor : GOOD
    })
    const observe = createObserver(reader, systemClock)
    const observing = Promise.all(payments.map(async payment => await observe(payment)))
    answer()
    expect((await observing).map(({ revert }) => revert?.reason)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'poor',
      undefined,
    ])
    expect(asked.map(keys => keys.length)).toEqual([1, 5, 1, 1])
  })

  test('a payment that fails as the first of its payer is not simulated again', async () => {
    const poor: Observation = { ...GOOD, revert: { reason: 'poor', message: 'm', mute: false } }
    const { reader, asked, answer } = createFakeReader(({ authorization }) =>
      authorization.from === 'poor' ? poor : GOOD,
    )
    const observe = createObserver(reader, systemClock)
    const observing = ['busy', 'poor', 'rich'].map(async payer => await observe(paymentOf(payer)))
    answer()
    await Promise.all(observing)
    expect(asked.map(keys => keys.length)).toEqual([1, 2])
  })

  test('PAY-30 a payment that fails without a reason among others is simulated again alone', async () => {
    const mute: Observation = { ...GOOD, revert: { reason: 'r', message: 'm', mute: true } }
    // All fail together; alone only the burner's payment does.
    const { reader, asked, answer } = createFakeReader((payment, together) =>
      together > 1 || payment.authorization.from === 'burner' ? mute : GOOD,
    )
    const observe = createObserver(reader, systemClock)
    const observing = ['busy', 'burner', 'victim', 'other victim'].map(
      async payer => await observe(paymentOf(payer)),
    )
    answer()
    expect((await Promise.all(observing)).map(observation => observation.revert?.mute)).toEqual([
      undefined,
      true,
      undefined,
      undefined,
    ])
    expect(asked.map(keys => keys.length)).toEqual([1, 3, 1, 1, 1])
  })

  test('after a call that the node refuses, each payment is simulated alone, and only the faulty one fails', async () => {
    const { reader, answer } = createFakeReader((payment, together) => {
      if (together > 1 || payment.authorization.from === 'guilty') throw new Error('out of gas')
      return GOOD
    })
    const observe = createObserver(reader, systemClock)
    const observing = ['busy', 'guilty', 'innocent'].map(async payer => await observe(paymentOf(payer)))
    answer()
    const outcomes = await Promise.allSettled(observing)
    expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
