import { describe, expect, test } from 'vitest'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'
import type { PaymentRecord } from '../ledger/payment-record.ts'
import { createClockForTests } from '../test-setup/clock-for-tests.ts'
import { NETWORK } from '../test-setup/payments-for-tests.ts'
import { createSettlementWaiters, type SettlementWaiters } from './settlement-waiters.ts'

const TRANSACTION = `0x${'ab'.repeat(32)}`

/** A ledger with only `find`, on a clock that a test advances. */
function createRoom(): {
  readonly waiters: SettlementWaiters
  readonly settled: Set<string>
  readonly asked: (readonly string[])[]
  fail(error: Error): void
  sleepers(): number
  pass(ms: number): Promise<void>
} {
  const clock = createClockForTests()
  let failure: Error | undefined
  const [settled, asked] = [new Set<string>(), [] as (readonly string[])[]]
  const unused = async (): Promise<never> => await Promise.reject(new Error('not asked here'))
  const ledger: PaymentLedger = {
    hold: unused,
    capture: unused,
    release: unused,
    async find(keys) {
      asked.push(keys)
      if (failure !== undefined) throw failure
      const rows = keys.map(key => ({ key, state: settled.has(key) ? 'settled' : 'submitted' }))
      // Only the parts of a record that are read.
      return await Promise.resolve(rows.map(row => ({ ...row, transaction: TRANSACTION }) as PaymentRecord))
    },
  }
  return {
    waiters: createSettlementWaiters(ledger, clock, NETWORK),
    settled,
    asked,
    fail(error) {
      failure = error
    },
    sleepers: clock.waiting,
    pass: clock.pass,
  }
}

describe('waiting for settlements', () => {
  test('all waiters of a payment are notified at once, without reading the ledger, and no timer remains', async () => {
    const { waiters, asked, sleepers } = createRoom()
    const waiting = [waiters.wait('a', 20_000), waiters.wait('a', 20_000)]
    const end = { kind: 'settled', transaction: TRANSACTION } as const
    waiters.announce('a', end)
    expect(await Promise.all(waiting)).toEqual([end, end])
    expect(asked).toEqual([])
    expect(sleepers()).toBe(0)
  })

  test('a settlement by another process is found in the ledger, in one query for all waiters', async () => {
    const { waiters, settled, asked, pass } = createRoom()
    const waiting = Promise.all([waiters.wait('a', 20_000), waiters.wait('b', 20_000)])
    settled.add('a').add('b')
    await pass(4_000)
    expect(await waiting).toMatchObject([{ kind: 'settled' }, { kind: 'settled' }])
    expect(asked).toEqual([['a', 'b']])
  })

  test('a notification from another process makes the waiters of the named payments read at once', async () => {
    const { waiters, settled, asked, pass } = createRoom()
    const waiting = waiters.wait('a', 20_000)
    void waiters.wait('b', 20_000)
    settled.add('a')
    waiters.lookAgain(['a', 'of another process'])
    await pass(50)
    expect(await waiting).toMatchObject({ kind: 'settled' })
    expect(asked).toEqual([['a']])
  })

  test('a notification without names makes all waiters read, and one for other payments none', async () => {
    const { waiters, asked, pass } = createRoom()
    void waiters.wait('a', 20_000)
    void waiters.wait('b', 20_000)
    waiters.lookAgain(['c'])
    await pass(50)
    expect(asked).toEqual([])
    waiters.lookAgain(undefined)
    await pass(50)
    expect(asked).toEqual([['a', 'b']])
  })

  test('waiters read the ledger together, however far apart they started', async () => {
    const { waiters, asked, pass } = createRoom()
    for (const key of ['a', 'b', 'c']) {
      void waiters.wait(key, 20_000)
      await pass(500)
    }
    await pass(2_500)
    expect(asked).toEqual([['a', 'b', 'c']])
  })

  test('D8 a waiter whose time is up gets no result; the others keep waiting', async () => {
    const { waiters, settled, asked, pass } = createRoom()
    const [short, long] = [waiters.wait('a', 100), waiters.wait('b', 20_000)]
    await pass(100)
    expect(await short).toBeUndefined()
    await pass(10_000)
    settled.add('b')
    await pass(4_000)
    expect(await long).toMatchObject({ kind: 'settled' })
    expect(asked.filter(keys => keys.includes('b')).length).toBeLessThan(8)
  })

  test('a waiter with less time than the existing ones does not wait longer than its time', async () => {
    const { waiters, pass } = createRoom()
    void waiters.wait('a', 20_000)
    await pass(2_000)
    const short = waiters.wait('b', 50)
    await pass(50)
    expect(await short).toBeUndefined()
  })

  test('an unreachable ledger rejects all waiters', async () => {
    const { waiters, fail, pass } = createRoom()
    fail(new Error('no database'))
    const waiting = waiters.wait('a', 20_000).catch(String)
    await pass(4_000)
    expect(await waiting).toBe('Error: no database')
  })
})
