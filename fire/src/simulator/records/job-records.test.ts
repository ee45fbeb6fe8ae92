import type { Holder, JobChange } from 'farebox'
import { expect, test } from 'vitest'
import { createJobRecords, type JobRecords } from './job-records.ts'

const PAYMENT = 'chain:asset:payer:nonce'

/** Records of one job, held by one process after another, a second apart. */
function stage(): {
  readonly records: JobRecords
  claim(fence: string): void
  write(fence: string, state: 'saved' | 'unpaid', response: string): void
} {
  let nowMs = 0
  const records = createJobRecords(() => nowMs)
  const holder = (fence: string): Holder => ({ jobKey: 'dear Beta/1', fence, owner: 'somebody' }) as Holder
  return {
    records,
    claim(fence) {
      nowMs += 1_000
      records.claimed(holder(fence))
    },
    write(fence, state, response) {
      const job = { state, response, payment: { key: PAYMENT }, refusedPayments: [] }
      records.written(holder(fence), { kind: 'hold', job } as unknown as JobChange)
    },
  }
}

test('a renewal and a take-over of a saved record are the same save', () => {
  const { records, claim, write } = stage()
  claim('a')
  write('a', 'saved', 'response')
  write('a', 'saved', 'response')
  claim('b')
  write('b', 'saved', 'response')
  expect(records.of('beta/1').saved.map(({ claimedMs }) => claimedMs)).toEqual([1_000])
})

test('a response released unpaid and bought by a repeat of the same payment is saved again', () => {
  const { records, claim, write } = stage()
  claim('a')
  write('a', 'saved', 'response')
  write('a', 'unpaid', 'response')
  claim('b')
  write('b', 'saved', 'response')
  expect(records.of('beta/1').saved.map(({ claimedMs }) => claimedMs)).toEqual([1_000, 2_000])
})
