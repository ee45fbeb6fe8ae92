import { randomUUID } from 'node:crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, describe, expect, test } from 'vitest'
import { isHireError } from '../handler/hire-error.ts'
import { startHired, type HiredAgent } from './test-setup/hired-agent.ts'
import { createHiringAgent, HIRING_ADDRESS, memoryJobStore } from './test-setup/hiring-agent.ts'
import type { HiringAgent, Work } from './test-setup/hiring-agent.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(one => one.close()))
})

async function hired(): Promise<HiredAgent> {
  const one = await startHired({ funded: [HIRING_ADDRESS], price: '0.004' })
  open.push(one)
  return one
}

async function hirer(work: Work, jobStore = memoryJobStore()): Promise<HiringAgent> {
  const made = await createHiringAgent({ work, jobStore })
  open.push(made.agent)
  return made
}

async function outcomeOf(hire: Promise<unknown>): Promise<string> {
  try {
    await hire
    return 'done'
  } catch (error) {
    if (!isHireError(error)) throw error
    return `${error.problem} ${error.charged}`
  }
}

describe('a hire that is made again', () => {
  test('without a key is a new order, although the first one, which failed, may still be charged', async () => {
    const child = await hired()
    child.lie = ({ payment }) => {
      if (payment === undefined) return undefined
      const body = { status: 'failed', error_type: 'internal', error: 'Internal error' }
      return Promise.resolve(Response.json(body, { status: 500 }))
    }
    const { run } = await hirer(async ({ hire, budget }, text) => {
      const first = await outcomeOf(hire(child.url, 'part', { text }))
      const second = await outcomeOf(hire(child.url, 'part', { text }))
      return `${first}, ${second}, ${(await budget()).job} left`
    })
    expect((await run()).text).toBe('failed unknown, failed unknown, 0.001 left')
    expect(new Set(child.paid.map(({ payment }) => payment)).size).toBe(2)
  })

  test('by another payer with the same job_id does not get what the first payer’s job bought', async () => {
    const child = await hired()
    let runs = 0
    const { run } = await hirer(async ({ hire }, text) => {
      const { jobId, resumed } = await hire(child.url, 'part', { text }, { key: 'k' })
      runs += 1
      if (runs === 1) throw new Error(jobId)
      return `${jobId} ${resumed}`
    })
    const jobId = randomUUID()
    expect((await run({ jobId })).status).toBe(500)
    const other = await run({ jobId, payer: 'secondPayer' })
    expect(other).toMatchObject({ status: 200, text: expect.stringContaining(' false') as string })
    expect(child.gate.counts().charged).toBe(2)
    expect(new Set(child.paid.map(({ body }) => (JSON.parse(body) as { job_id: string }).job_id)).size).toBe(
      2,
    )
  })

  test('after the account of its paid job expired is a new order', async () => {
    const child = await hired()
    let laterMs = 0
    const store = memoryJobStore({ ...systemClock, nowMs: () => systemClock.nowMs() + laterMs })
    const work: Work = async ({ hire }, text) =>
      String((await hire(child.url, 'part', { text }, { key: 'k' })).resumed)
    const { run } = await hirer(work, store)
    const jobId = randomUUID()
    expect((await run({ jobId })).text).toBe('false')
    expect((await run({ jobId })).text).toBe('false')
    expect(child.gate.counts().charged).toBe(1)
    laterMs = 700_000
    // Another agent is used, because this one may have cached its read of the job.
    const later = await hirer(work, store)
    expect((await later.run({ jobId })).status).toBe(200)
    expect(new Set(child.paid.map(({ payment }) => payment)).size).toBe(2)
  })
})
