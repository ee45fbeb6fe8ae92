import type { Database } from '@farebox/server/src/postgres/connect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertAgent } from '../../test-setup/database/insert-agent.ts'
import { orderingOf, signOrder } from '../../test-setup/runs/job-orders.ts'
import { payersWith } from '../../test-setup/runs/pretend-payers.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { changeJob } from './change-job.ts'
import { JOB_COLUMNS, type JobRow } from './job-row.ts'
import { orderJob } from '../order/order-job.ts'
import { waitForOutcome } from './wait-for-outcome.ts'

const OUTPUT = JSON.stringify({ output: { words: 2 } })

let stage: Stage

beforeEach(async () => {
  stage = await stagePlatform({ realTime: true, rpc: payersWith(1_000_000n) })
})
afterEach(async () => {
  await stage.close()
})

async function order(): Promise<JobRow> {
  const { owner, endpoint } = await insertAgent(stage.database)
  const signed = await signOrder(stage.parts, { endpoint: endpoint ?? '', payTo: owner })
  return (await orderJob(stage.parts, orderingOf(stage.parts), signed)).job
}

/** The stage's database, which records the total size of the bodies that each query returns. */
function weighed(bodies: number[]): Database {
  const { database } = stage
  return {
    ...database,
    async query<Row extends object>(name: string, text: string, values?: readonly unknown[]) {
      const rows = await database.query<Row>(name, text, values)
      const buffers = rows.flatMap(row => Object.values(row)).filter(value => Buffer.isBuffer(value))
      bodies.push(buffers.reduce((sum, { length }) => sum + length, 0))
      return rows
    },
  }
}

test('a caller that waits for an outcome polls the job without its bodies, and reads them once', async () => {
  const job = await order()
  const bodies: number[] = []
  const waiting = waitForOutcome(
    { ...stage.parts, database: weighed(bodies) },
    job,
    new AbortController().signal,
  )
  await expect.poll(() => bodies.length).toBeGreaterThan(3)
  await changeJob(stage.database, job, Date.now(), () => ({
    answer: 'completed',
    payment: 'paid',
    responseBody: OUTPUT,
  }))
  const { responseBody, requestBody = '' } = await waiting
  expect(responseBody).toBe(OUTPUT)
  expect(bodies.filter(bytes => bytes > 0)).toEqual([OUTPUT.length + requestBody.length])
})

test('a change of other fields keeps the stored delivery', async () => {
  const { jobId } = await order()
  const change = async (changes: Parameters<typeof changeJob>[3]): Promise<JobRow> =>
    await changeJob(stage.database, { jobId }, Date.now(), changes)
  await change(() => ({ answer: 'completed', responseBody: OUTPUT }))
  await change(() => ({ payment: 'paid' }))
  const { rows } = await stage.database.pool.query<object>(
    "select convert_from(response_body, 'UTF8') as body, payment from jobs",
  )
  expect(rows).toEqual([{ body: OUTPUT, payment: 'paid' }])
})

test('a job is read without its bodies unless they are requested', () => {
  expect(JOB_COLUMNS).not.toMatch(/_body\b/)
})
