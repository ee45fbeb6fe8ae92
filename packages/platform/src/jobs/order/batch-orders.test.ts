import { expect, test } from 'vitest'
import { Refusal } from '../../http/refusal.ts'
import type { JobRow } from '../records/job-row.ts'
import type { NewJob } from '../records/job-store.ts'
import { createOrderBatches, type BatchedOrder, type WriteTogether } from './batch-orders.ts'

function order(jobId: string, more: Partial<NewJob> = {}): BatchedOrder {
  const job = { jobId, payer: '0xa', agentId: 1, requestBody: '{}', ...more } as NewJob
  return { job, from: '192.0.2.1', balanceAtomic: 10n }
}

/** A writer that records its batches and finishes in a later turn of the event loop. */
function pretendWriter(refuse: (jobIds: readonly string[]) => boolean = () => false) {
  const batches: string[][] = []
  const write: WriteTogether = async jobs => {
    const jobIds = jobs.map(({ jobId }) => jobId)
    batches.push(jobIds)
    await new Promise(resolve => setImmediate(resolve))
    if (refuse(jobIds)) throw new Refusal('payment', `no room for ${jobIds.join(', ')}`)
    return jobs.map(job => job as unknown as JobRow)
  }
  return { batches, write: createOrderBatches(write) }
}

test('orders that arrive during a write are written together, each with its own answer', async () => {
  const { batches, write } = pretendWriter()
  const written = await Promise.all(['a', 'b', 'c'].map(id => write(order(id))))
  expect(batches).toEqual([['a'], ['b', 'c']])
  expect(written).toMatchObject([{ jobId: 'a' }, { jobId: 'b' }, { jobId: 'c' }])
})

test('when a batch is refused, each order is tried alone, so that only the refused one fails', async () => {
  const { batches, write } = pretendWriter(ids => ids.includes('dear'))
  const outcomes = await Promise.allSettled(['a', 'b', 'dear', 'c'].map(id => write(order(id))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[2]).toMatchObject({ reason: { message: 'no room for dear' } })
  expect(batches).toEqual([['a'], ['b', 'dear', 'c'], ['b'], ['dear'], ['c']])
})

test('orders of other payers and agents do not wait', async () => {
  const { batches, write } = pretendWriter()
  await Promise.all([
    write(order('a')),
    write(order('of another payer', { payer: '0xb' })),
    write(order('of another agent', { agentId: 2 })),
  ])
  expect(batches).toEqual([['a'], ['of another payer'], ['of another agent']])
})

test('orders with the same job_id are not written together', async () => {
  const { batches, write } = pretendWriter()
  await Promise.all(['a', 'b', 'c', 'b', 'd'].map(id => write(order(id))))
  expect(batches).toEqual([['a'], ['b', 'c'], ['b', 'd']])
})

test('no statement has more than 32 orders or more than a mebibyte of them', async () => {
  const { batches, write } = pretendWriter()
  const requestBody = 'x'.repeat(600_000)
  await Promise.all(Array.from({ length: 40 }, (_, nth) => write(order(`${nth}`))))
  expect(batches.map(({ length }) => length)).toEqual([1, 32, 7])
  batches.length = 0
  await Promise.all(['first', 'a', 'b', 'c'].map(id => write(order(id, { requestBody }))))
  expect(batches).toEqual([['first'], ['a'], ['b'], ['c']])
})
