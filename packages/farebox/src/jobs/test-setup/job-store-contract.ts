import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Job } from '../job.ts'
import { running, saved, settled, unpaid } from './job-samples.ts'
import type { Holder, JobChange, JobClaim, JobStore } from '../job-store.ts'

/** An empty store, opened for each test. */
export interface StoreFixture {
  readonly store: JobStore
  /** Another handle to the same store, as another process would have; the same handle when there can be no other. */
  readonly other: JobStore
  /** Resolves when at least this much time has passed on the store's clock. */
  elapse(durationMs: number): Promise<void>
  close(): Promise<void>
}

/** A store that outlives its handles. */
export interface DurableStoreFixture extends StoreFixture {
  /** Closes all handles and opens the store again. */
  reopen(): Promise<JobStore>
}

/** Durations of the tests. A test waits for short ones; long ones never pass, however slow the machine is. */
const SHORT_MS = 30
const LONG_MS = 3_600_000

/** Tests for every job store, whatever its storage: the contract of `job-store.ts`. */
export function describeJobStore(name: string, open: () => Promise<StoreFixture>): void {
  describe(`${name} as a job store`, () => {
    let fixture: StoreFixture
    let store: JobStore
    beforeEach(async () => {
      fixture = await open()
      store = fixture.store
    })
    afterEach(() => fixture.close())

    describe('claiming (D6)', () => {
      test('gives a new job to the claiming holder, with the record of the claim', async () => {
        expect(await store.claim(claimOf('a'))).toEqual({ kind: 'claimed', job: running })
        expect(await store.read('a')).toEqual({ job: running, held: true })
        expect(await store.read('b')).toBeUndefined()
      })

      test('lets one payment buy only one of 50 jobs that claim it concurrently', async () => {
        const outcomes = await Promise.all(
          fifty(at =>
            handle(at).claim(claimOf(`job ${at}`, { fence: `fence ${at}`, payment: longPayment('p') })),
          ),
        )
        expect(countKinds(outcomes)).toEqual({ claimed: 1, 'payment-taken': 49 })
        const kept = await Promise.all(fifty(at => store.read(`job ${at}`)))
        expect(kept.filter(job => job !== undefined)).toHaveLength(1)
      })

      test('gives a job to one of 50 holders that claim it concurrently', async () => {
        const outcomes = await Promise.all(
          fifty(at =>
            handle(at).claim(claimOf('a', { fence: `fence ${at}`, payment: longPayment(`p${at}`) })),
          ),
        )
        expect(countKinds(outcomes)).toEqual({ claimed: 1, held: 49 })
        // The failed claims must not have claimed their payments: 49 other jobs can be bought with them.
        const later = await Promise.all(
          fifty(at => handle(at).claim(claimOf(`later ${at}`, { payment: longPayment(`p${at}`) }))),
        )
        expect(countKinds(later)).toEqual({ claimed: 49, 'payment-taken': 1 })
      })

      test('lets a payment claim its own job again, and changes nothing for another job', async () => {
        const payment = longPayment('p')
        await store.claim(claimOf('a', { fence: '1', payment }))
        await store.write(holderOf('a', '1'), leave(running, LONG_MS))
        expect(await store.claim(claimOf('a', { fence: '2', payment }))).toMatchObject({ kind: 'claimed' })
        expect(await store.claim(claimOf('b', { payment }))).toEqual({ kind: 'payment-taken' })
        expect(await store.read('b')).toBeUndefined()
        await store.claim(claimOf('c', { fence: 'c' }))
        expect(await store.claim(claimOf('c', { payment }))).toEqual({ kind: 'payment-taken' })
        expect(await store.write(holderOf('c', 'c'), { kind: 'forget' })).toBe(true)
      })

      test('finds a job held by the other handle, and free as soon as that handle released it', async () => {
        await fixture.other.claim(claimOf('a', { fence: '1' }))
        expect(await store.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'held' })
        await fixture.other.write(holderOf('a', '1'), leave(unpaid, LONG_MS))
        expect(await store.read('a')).toEqual({ job: unpaid, held: false })
        expect(await store.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'claimed', job: unpaid })
      })

      test('gives the job of a dead holder to the next one, with its record', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), hold(saved, SHORT_MS, LONG_MS))
        await fixture.elapse(SHORT_MS)
        expect(await store.read('a')).toEqual({ job: saved, held: false })
        expect(await fixture.other.claim(claimOf('a', { fence: '2' }))).toEqual({
          kind: 'claimed',
          job: saved,
        })
        expect(await store.read('a')).toEqual({ job: saved, held: true })
      })

      test('keeps the record of an earlier holder for the time that was set', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), leave(unpaid, LONG_MS))
        await store.claim(claimOf('a', { fence: '2', leaseMs: SHORT_MS, keepMs: SHORT_MS }))
        await fixture.elapse(3 * SHORT_MS)
        expect(await store.read('a')).toEqual({ job: unpaid, held: false })
      })

      test('never gives out a sealed job, not even to the holder that sealed it', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        const sealing = seal(settled, LONG_MS)
        await store.write(holderOf('a', '1'), sealing)
        expect(await store.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'held' })
        expect(await store.claim(claimOf('a', { fence: '1' }))).toEqual({ kind: 'held' })
        expect(await store.read('a')).toEqual({ job: settled, held: false })
        // A repeated write, as after a lost response, and a late renewal by a timer.
        expect(await store.write(holderOf('a', '1'), sealing)).toBe(true)
        await store.write(holderOf('a', '1'), hold(settled, SHORT_MS, LONG_MS))
        await fixture.elapse(SHORT_MS)
        expect(await store.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'held' })
      })
    })

    describe('writing (D6)', () => {
      test('is refused under an old fence, and changes nothing', async () => {
        await store.claim(claimOf('a', { fence: '1', leaseMs: SHORT_MS, payment: longPayment('p') }))
        await fixture.elapse(SHORT_MS)
        await fixture.other.claim(claimOf('a', { fence: '2' }))
        await expectRefused('1')
        expect(await store.read('a')).toEqual({ job: running, held: true })
        expect(await store.claim(claimOf('b', { payment: longPayment('p') }))).toEqual({
          kind: 'payment-taken',
        })
      })

      test('is refused for a job that never existed, was deleted, or was claimed again since', async () => {
        await expectRefused('1')
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), { kind: 'forget' })
        await expectRefused('1')
        expect(await store.read('a')).toBeUndefined()
        await store.claim(claimOf('a', { fence: '2' }))
        await expectRefused('1')
        expect(await store.read('a')).toEqual({ job: running, held: true })
      })

      test('is refused for a job whose record has expired', async () => {
        await store.claim(claimOf('a', { fence: '1', leaseMs: SHORT_MS, keepMs: SHORT_MS }))
        await fixture.elapse(2 * SHORT_MS)
        await expectRefused('1')
        expect(await store.read('a')).toBeUndefined()
      })

      test('is allowed for a holder whose lease has ended, if no other holder claimed the job', async () => {
        await store.claim(claimOf('a', { fence: '1', leaseMs: SHORT_MS }))
        await fixture.elapse(SHORT_MS)
        const holding = hold(saved, LONG_MS, LONG_MS)
        expect(await store.write(holderOf('a', '1'), holding)).toBe(true)
        expect(await store.read('a')).toEqual({ job: saved, held: true })
      })

      test('renews a lease', async () => {
        await store.claim(claimOf('a', { fence: '1', leaseMs: SHORT_MS }))
        await store.write(holderOf('a', '1'), hold(running, LONG_MS, LONG_MS))
        await fixture.elapse(2 * SHORT_MS)
        expect(await fixture.other.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'held' })
      })

      const expectRefused = async (fence: string): Promise<void> => {
        const holder = holderOf('a', fence)
        const before = await store.read('a')
        expect(await store.write(holder, hold(saved, LONG_MS, LONG_MS))).toBe(false)
        expect(await store.write(holder, seal(saved, LONG_MS))).toBe(false)
        expect(await store.write(holder, { kind: 'forget', payment: 'p' })).toBe(false)
        expect(await store.read('a')).toEqual(before)
        expect(await store.unresolved()).toEqual([])
      }
    })

    describe('forgetting (D24)', () => {
      test('deletes a job after its lease and its retention time', async () => {
        await store.claim(claimOf('a', { leaseMs: SHORT_MS, keepMs: SHORT_MS }))
        await store.claim(claimOf('b', { leaseMs: SHORT_MS, keepMs: LONG_MS }))
        await fixture.elapse(2 * SHORT_MS)
        expect(await store.read('a')).toBeUndefined()
        expect(await store.read('b')).toEqual({ job: running, held: false })
        expect(await store.claim(claimOf('a', { fence: '2', job: unpaid }))).toEqual({
          kind: 'claimed',
          job: unpaid,
        })
      })

      test('deletes a sealed job after its retention time; the job may then be claimed as new', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), seal(settled, SHORT_MS))
        await fixture.elapse(SHORT_MS)
        expect(await store.read('a')).toBeUndefined()
        expect(await store.claim(claimOf('a', { fence: '2' }))).toEqual({ kind: 'claimed', job: running })
      })

      test('deletes the claim of a payment at its own time, whether the job exists or not', async () => {
        const long = longPayment('long')
        const short = { key: 'short', keepMs: SHORT_MS }
        await store.claim(claimOf('forgotten', { leaseMs: SHORT_MS, keepMs: SHORT_MS, payment: long }))
        await store.claim(claimOf('kept', { payment: short }))
        await fixture.elapse(2 * SHORT_MS)
        expect(await store.read('forgotten')).toBeUndefined()
        expect(await store.claim(claimOf('b', { payment: long }))).toEqual({ kind: 'payment-taken' })
        expect(await store.read('kept')).toEqual({ job: running, held: true })
        expect(await store.claim(claimOf('b', { payment: short }))).toEqual({ kind: 'claimed', job: running })
      })

      test('does not shorten the claim of a payment when its job claims it again for less time', async () => {
        await store.claim(claimOf('a', { leaseMs: SHORT_MS, payment: longPayment('p') }))
        await fixture.elapse(SHORT_MS)
        await store.claim(claimOf('a', { fence: '2', payment: { key: 'p', keepMs: SHORT_MS } }))
        await fixture.elapse(SHORT_MS)
        expect(await store.claim(claimOf('b', { payment: longPayment('p') }))).toEqual({
          kind: 'payment-taken',
        })
      })

      test('never deletes a saved job, until it is written again', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), hold(saved, SHORT_MS, SHORT_MS))
        await fixture.elapse(3 * SHORT_MS)
        expect(await store.read('a')).toEqual({ job: saved, held: false })
        await store.claim(claimOf('a', { fence: '2', leaseMs: SHORT_MS, keepMs: SHORT_MS }))
        await fixture.elapse(3 * SHORT_MS)
        expect(await store.read('a')).toEqual({ job: saved, held: false })
        await store.write(holderOf('a', '2'), seal(settled, SHORT_MS))
        await fixture.elapse(SHORT_MS)
        expect(await store.read('a')).toBeUndefined()
      })

      test('keeps the claim of a payment, unless the payment is named and is claimed for this job', async () => {
        const payment = (key: string) => ({ payment: { key, keepMs: LONG_MS } })
        await store.claim(claimOf('a', { fence: '1', ...payment('p') }))
        await store.write(holderOf('a', '1'), { kind: 'forget' })
        expect(await store.claim(claimOf('b', payment('p')))).toEqual({ kind: 'payment-taken' })

        await store.claim(claimOf('c', { fence: '1' }))
        expect(await store.write(holderOf('c', '1'), { kind: 'forget', payment: 'p' })).toBe(true)
        expect(await store.claim(claimOf('b', payment('p')))).toEqual({ kind: 'payment-taken' })

        await store.claim(claimOf('a', { fence: '2', ...payment('p') }))
        expect(await store.write(holderOf('a', '2'), { kind: 'forget', payment: 'p' })).toBe(true)
        expect(await store.claim(claimOf('b', payment('p')))).toMatchObject({ kind: 'claimed' })
      })
    })

    describe('unresolved (D8)', () => {
      test('names the saved jobs without a holder, and no others', async () => {
        await store.claim(claimOf('held', { fence: '1' }))
        await store.write(holderOf('held', '1'), hold(saved, LONG_MS, LONG_MS))
        await store.claim(claimOf('left', { fence: '1' }))
        await store.write(holderOf('left', '1'), leave(saved, SHORT_MS))
        await store.claim(claimOf('dead', { fence: '1' }))
        await store.write(holderOf('dead', '1'), hold(saved, SHORT_MS, SHORT_MS))
        for (const [jobKey, job] of Object.entries({ running, unpaid, settled })) {
          await store.claim(claimOf(jobKey, { fence: '1' }))
          await store.write(holderOf(jobKey, '1'), leave(job, LONG_MS))
        }
        await fixture.elapse(SHORT_MS)
        expect([...(await fixture.other.unresolved())].sort()).toEqual(['dead', 'left'])
      })

      test('does not name a job while it is held, nor after it is settled or deleted', async () => {
        await store.claim(claimOf('a', { fence: '1' }))
        await store.write(holderOf('a', '1'), leave(saved, LONG_MS))
        await store.claim(claimOf('a', { fence: '2', leaseMs: SHORT_MS }))
        await fixture.elapse(SHORT_MS)
        expect(await store.unresolved()).toEqual(['a'])
        await store.claim(claimOf('a', { fence: '3' }))
        expect(await store.unresolved()).toEqual([])
        await store.write(holderOf('a', '3'), seal(settled, LONG_MS))
        expect(await store.unresolved()).toEqual([])

        await store.claim(claimOf('b', { fence: '1' }))
        await store.write(holderOf('b', '1'), leave(saved, LONG_MS))
        expect(await store.unresolved()).toEqual(['b'])
        await store.write(holderOf('b', '1'), { kind: 'forget' })
        expect(await store.unresolved()).toEqual([])
        await store.claim(claimOf('b', { fence: '2' }))
        await store.write(holderOf('b', '2'), leave(running, LONG_MS))
        expect(await store.unresolved()).toEqual([])
      })
    })

    test.each(
      Object.entries({
        'every plane of Unicode': '{"output":{"text":"é ß 漢字 🎫 \u0000\u001f\u2028\ufeff\uffff"}}',
        'lone surrogates': `{"text":"\ud83c before, \udfab after, ${'\ud800'.repeat(3)}"}`,
        'a megabyte': JSON.stringify({ text: 'a"\\\n🎫'.repeat(120_000) }),
        nothing: '',
      }),
    )('D24 returns a response of %s unchanged', async (_, response) => {
      await store.claim(claimOf('a', { fence: '1' }))
      const job = { ...settled, response }
      await store.write(holderOf('a', '1'), seal(job, LONG_MS))
      const kept = await fixture.other.read('a')
      // Not compared by `toEqual`, whose failure message would print a megabyte.
      expect(kept?.job.state === 'settled' && kept.job.response === response).toBe(true)
    })

    /** Alternates between both handles. */
    function handle(at: number): JobStore {
      return at % 2 === 0 ? fixture.store : fixture.other
    }
  })
}

/** Additional tests for a store whose jobs outlive the process. */
export function describeDurableJobStore(name: string, open: () => Promise<DurableStoreFixture>): void {
  describeJobStore(name, open)
  describe(`${name} as a durable job store`, () => {
    test('D25 still has every record after it is opened again', async () => {
      const fixture = await open()
      const { store } = fixture
      await store.claim(claimOf('held', { payment: longPayment('p') }))
      await store.claim(claimOf('saved', { fence: '1' }))
      await store.write(holderOf('saved', '1'), leave(saved, SHORT_MS))
      await store.claim(claimOf('settled', { fence: '1' }))
      await store.write(holderOf('settled', '1'), seal(settled, LONG_MS))

      const again = await fixture.reopen()
      expect(await again.read('held')).toEqual({ job: running, held: true })
      expect(await again.read('settled')).toEqual({ job: settled, held: false })
      expect(await again.unresolved()).toEqual(['saved'])
      expect(await again.claim(claimOf('b', { payment: longPayment('p') }))).toEqual({
        kind: 'payment-taken',
      })
      expect(await again.claim(claimOf('settled', { fence: '2' }))).toEqual({ kind: 'held' })
      expect(await again.claim(claimOf('saved', { fence: '2' }))).toEqual({ kind: 'claimed', job: saved })
      await fixture.close()
    })
  })
}

function claimOf(jobKey: string, parts: Partial<JobClaim> = {}): JobClaim {
  return { jobKey, fence: 'fence', leaseMs: LONG_MS, keepMs: LONG_MS, job: running, ...parts }
}

function longPayment(key: string): { key: string; keepMs: number } {
  return { key, keepMs: LONG_MS }
}

function hold(job: Job, leaseMs: number, keepMs: number): JobChange {
  return { kind: 'hold', job, leaseMs, keepMs }
}

function leave(job: Job, keepMs: number): JobChange {
  return { kind: 'leave', job, sealed: false, keepMs }
}

function seal(job: Job, keepMs: number): JobChange {
  return { kind: 'leave', job, sealed: true, keepMs }
}

function holderOf(jobKey: string, fence: string): Holder {
  return { jobKey, fence }
}

function fifty<Result>(make: (at: number) => Promise<Result>): Promise<Result>[] {
  return Array.from({ length: 50 }, (_, at) => make(at))
}

function countKinds(outcomes: readonly { readonly kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
