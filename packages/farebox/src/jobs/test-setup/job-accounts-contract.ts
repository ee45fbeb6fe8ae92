import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Job } from '../job.ts'
import type { EntryChange, JobAccounts, SumBound } from '../job-accounts.ts'
import type { JobStore } from '../job-store.ts'
import { running, settled } from './job-samples.ts'

/** An empty store and its accounts, opened for each test. */
export interface AccountsFixture {
  readonly store: JobStore
  readonly accounts: JobAccounts
  /** Accounts of another handle to the same store; the same handle when there can be no other. */
  readonly otherAccounts: JobAccounts
  /** Resolves when at least this much time has passed on the store's clock. */
  elapse(durationMs: number): Promise<void>
  close(): Promise<void>
}

const SHORT_MS = 60
const LONG_MS = 3_600_000

/** Tests for the accounts of every job store: the contract of `job-accounts.ts`. */
export function describeJobAccounts(name: string, open: () => Promise<AccountsFixture>): void {
  describe(`${name} as accounts of jobs`, () => {
    let fixture: AccountsFixture
    let store: JobStore
    let accounts: JobAccounts
    beforeEach(async () => {
      fixture = await open()
      ;({ store, accounts } = fixture)
    })
    afterEach(() => fixture.close())

    test('both handles read an entry as it was last written, with its revision', async () => {
      await claim('a')
      expect(await accounts.entry('a', 'one')).toBeUndefined()
      expect(await accounts.enter(holderOf('a'), change({ text: 'é 漢字 🎫 \u0000' }))).toEqual({
        kind: 'entered',
      })
      expect(await fixture.otherAccounts.entry('a', 'one')).toEqual({ revision: 1, text: 'é 漢字 🎫 \u0000' })
      expect(await fixture.otherAccounts.enter(holderOf('a'), change({ replaces: 1, text: '2' }))).toEqual({
        kind: 'entered',
      })
      expect(await accounts.entry('a', 'one')).toEqual({ revision: 2, text: '2' })
      expect(await accounts.entry('b', 'one')).toBeUndefined()
    })

    test('an entry is refused under the fence of an earlier holder, and nothing changes', async () => {
      await claim('a', 'old', SHORT_MS)
      await fixture.elapse(SHORT_MS)
      await claim('a', 'new')
      const sums = [sum('day', 10n)]
      expect(await accounts.enter(holderOf('a', 'old'), change({ amount: 5n, sums }))).toEqual({
        kind: 'not-held',
      })
      expect(await accounts.enter(holderOf('never'), change({ amount: 5n, sums }))).toEqual({
        kind: 'not-held',
      })
      expect(await accounts.entry('a', 'one')).toBeUndefined()
      expect(await accounts.totals('a', ['day'])).toEqual({ job: 0n, sums: [0n] })
    })

    test('of two writes that replace the same revision the second is refused', async () => {
      await claim('a')
      await accounts.enter(holderOf('a'), change({ text: 'first', amount: 1n }))
      expect(await accounts.enter(holderOf('a'), change({ text: 'second', amount: 1n }))).toEqual({
        kind: 'replaced',
      })
      expect(await accounts.entry('a', 'one')).toEqual({ revision: 1, text: 'first' })
      expect(await accounts.totals('a', [])).toEqual({ job: 1n, sums: [] })
    })

    test('amounts are added to the job and to each sum, and a negative amount is given back', async () => {
      await claim('a')
      await claim('b')
      const sums = [sum('day', 100n), sum('payer', 50n)]
      await accounts.enter(holderOf('a'), change({ amount: 30n, sums }))
      await accounts.enter(holderOf('b'), change({ amount: 20n, sums }))
      expect(await fixture.otherAccounts.totals('a', ['day', 'payer', 'none'])).toEqual({
        job: 30n,
        sums: [50n, 50n, 0n],
      })
      await accounts.enter(holderOf('a'), change({ replaces: 1, amount: -10n, sums }))
      expect(await accounts.totals('a', ['day', 'payer'])).toEqual({ job: 20n, sums: [40n, 40n] })
    })

    test('an amount beyond a limit is refused with the amount that is left, and is added nowhere', async () => {
      await claim('a')
      const sums = [sum('day', 100n), sum('payer', 50n)]
      await accounts.enter(holderOf('a'), change({ amount: 40n, sums }))
      const more = { replaces: 1, amount: 11n, sums }
      expect(await accounts.enter(holderOf('a'), change(more))).toEqual({
        kind: 'over',
        sum: 'payer',
        left: 10n,
      })
      expect(await accounts.enter(holderOf('a'), change({ ...more, mostOfJob: 45n }))).toEqual({
        kind: 'over',
        sum: undefined,
        left: 5n,
      })
      expect(await accounts.totals('a', ['day', 'payer'])).toEqual({ job: 40n, sums: [40n, 40n] })
      expect(await accounts.enter(holderOf('a'), change({ ...more, amount: 10n }))).toEqual({
        kind: 'entered',
      })
    })

    test('100 concurrent amounts reach a limit and never exceed it', async () => {
      const jobs = Array.from({ length: 100 }, (_, at) => `job ${at}`)
      await Promise.all(jobs.map(jobKey => claim(jobKey)))
      const outcomes = await Promise.all(
        jobs.map((jobKey, at) => {
          const handle = at % 2 === 0 ? accounts : fixture.otherAccounts
          return handle.enter(holderOf(jobKey), change({ amount: 7n, sums: [sum('day', 350n)] }))
        }),
      )
      expect(outcomes.filter(({ kind }) => kind === 'entered')).toHaveLength(50)
      expect(await accounts.totals('job 0', ['day'])).toMatchObject({ sums: [350n] })
    })

    test('an account accepts no more than the maximum number of entries, and existing ones can be replaced', async () => {
      await claim('a')
      const few = { mostEntries: 2 }
      await accounts.enter(holderOf('a'), change({ ...few, name: '1' }))
      await accounts.enter(holderOf('a'), change({ ...few, name: '2' }))
      expect(await accounts.enter(holderOf('a'), change({ ...few, name: '3' }))).toEqual({ kind: 'full' })
      expect(await accounts.enter(holderOf('a'), change({ ...few, name: '2', replaces: 1 }))).toEqual({
        kind: 'entered',
      })
    })

    test('an account outlives the deleted record of a failed job, for the next claim of the job', async () => {
      await claim('a')
      await accounts.enter(holderOf('a'), change({ text: 'order', amount: 5n, sums: [risk('risk')] }))
      await store.write(holderOf('a'), { kind: 'forget' })
      expect(await accounts.enter(holderOf('a'), change({ replaces: 1 }))).toEqual({ kind: 'not-held' })
      await claim('a', 'again')
      expect(await accounts.entry('a', 'one')).toEqual({ revision: 1, text: 'order' })
      expect(await accounts.totals('a', ['risk'])).toEqual({ job: 5n, sums: [5n] })
    })

    test('amounts that count until the job is settled are subtracted from their sums once, when it is paid', async () => {
      await claim('a')
      await claim('b')
      const sums = [sum('day', 100n), risk('risk')]
      await accounts.enter(holderOf('a'), change({ name: '1', amount: 5n, sums }))
      await accounts.enter(holderOf('a'), change({ name: '2', amount: 6n, sums }))
      await accounts.enter(holderOf('b'), change({ amount: 3n, sums }))
      await settle('a', LONG_MS)
      expect(await accounts.totals('a', ['day', 'risk'])).toEqual({ job: 11n, sums: [14n, 3n] })
      await settle('a', LONG_MS)
      expect(await accounts.totals('a', ['day', 'risk'])).toEqual({ job: 11n, sums: [14n, 3n] })
      expect(await accounts.entry('a', '2')).toEqual({ revision: 1, text: 'text' })
    })

    test('at most the amount that was paid for the job is subtracted from a sum', async () => {
      await claim('a', 'dear')
      const sums = [sum('day', 1_000n), risk('risk'), risk('risk payer')]
      await accounts.enter(holderOf('a', 'dear'), change({ amount: 900n, sums }))
      await store.write(holderOf('a', 'dear'), { kind: 'forget' })
      await claim('a', 'cheap')
      await settle('a', LONG_MS, { paid: 1n, fence: 'cheap' })
      expect(await accounts.totals('a', ['day', 'risk', 'risk payer'])).toEqual({
        job: 900n,
        sums: [900n, 899n, 899n],
      })
      await settle('a', LONG_MS, { paid: 1_000n, fence: 'cheap' })
      expect(await accounts.totals('a', ['risk'])).toMatchObject({ sums: [899n] })
    })

    test('a settled job that was not paid subtracts nothing from its sums', async () => {
      await claim('a')
      await accounts.enter(holderOf('a'), change({ amount: 5n, sums: [risk('risk')] }))
      await settle('a', LONG_MS, { paid: undefined })
      expect(await accounts.totals('a', ['risk'])).toEqual({ job: 5n, sums: [5n] })
    })

    test('an entry is refused once the job is settled, so that no sum falls below zero', async () => {
      await claim('a')
      const sums = [sum('day', 100n), risk('risk')]
      await accounts.enter(holderOf('a'), change({ amount: 5n, sums }))
      await settle('a', LONG_MS)
      expect(await accounts.enter(holderOf('a'), change({ replaces: 1, amount: -5n, sums }))).toEqual({
        kind: 'settled',
      })
      expect(await accounts.enter(holderOf('a', 'old'), change({ replaces: 1 }))).toEqual({
        kind: 'not-held',
      })
      expect(await accounts.entry('a', 'one')).toEqual({ revision: 1, text: 'text' })
      expect(await accounts.totals('a', ['day', 'risk'])).toEqual({ job: 5n, sums: [5n, 0n] })
    })

    test('an account expires with its settled job, even if it was to be kept longer', async () => {
      await claim('a')
      await accounts.enter(holderOf('a'), change({ amount: 5n, sums: [sum('day', 100n)] }))
      await settle('a', SHORT_MS)
      await fixture.elapse(SHORT_MS)
      expect(await accounts.entry('a', 'one')).toBeUndefined()
      expect(await accounts.totals('a', ['day'])).toEqual({ job: 0n, sums: [5n] })
      await claim('a', 'later')
      expect(await accounts.enter(holderOf('a', 'later'), change({ name: 'other' }))).toEqual({
        kind: 'entered',
      })
      expect(await accounts.entry('a', 'one')).toBeUndefined()
    })

    test('accounts and sums expire at their own times', async () => {
      await claim('a')
      const sums = [{ ...sum('short', 10n), keepMs: SHORT_MS }, sum('long', 10n)]
      await accounts.enter(holderOf('a'), change({ amount: 5n, sums, keepMs: SHORT_MS }))
      await fixture.elapse(SHORT_MS)
      expect(await accounts.entry('a', 'one')).toBeUndefined()
      expect(await accounts.totals('a', ['short', 'long'])).toEqual({ job: 0n, sums: [0n, 5n] })
    })

    async function claim(jobKey: string, fence = 'fence', leaseMs = LONG_MS): Promise<void> {
      const claimed = { jobKey, fence, leaseMs, keepMs: LONG_MS, job: running }
      expect(await store.claim(claimed)).toMatchObject({ kind: 'claimed' })
    }

    async function settle(
      jobKey: string,
      keepMs: number,
      { paid, fence }: { readonly paid?: bigint | undefined; readonly fence?: string } = { paid: 1_000n },
    ): Promise<void> {
      const receipt = paid === undefined ? {} : { success: true, amount: String(paid) }
      const job: Job = { ...settled, paymentResponse: encodeHeader(receipt) }
      expect(await store.write(holderOf(jobKey, fence), { kind: 'leave', job, sealed: true, keepMs })).toBe(
        true,
      )
    }
  })
}

function holderOf(jobKey: string, fence = 'fence') {
  return { jobKey, fence }
}

function sum(key: string, most: bigint): SumBound {
  return { key, most, keepMs: LONG_MS, untilSettled: false }
}

function risk(key: string): SumBound {
  return { ...sum(key, 1_000n), untilSettled: true }
}

function change(parts: Partial<EntryChange>): EntryChange {
  return {
    name: 'one',
    replaces: 0,
    text: 'text',
    keepMs: LONG_MS,
    mostEntries: 100,
    amount: 0n,
    mostOfJob: 1_000n,
    sums: [],
    ...parts,
  }
}
