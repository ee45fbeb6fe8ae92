import type { FastifyInstance } from 'fastify'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { insertJob } from '../test-setup/database/insert-job.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { payerJobsRoute } from './payer-jobs-route.ts'
import { readPayerMonths } from './payer-months.ts'

const PAYER = `0x${'ab'.repeat(20)}`
const DAY_MS = 86_400_000

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let headers: { readonly authorization: string }
let agentId: number

beforeEach(async () => {
  stage = await stagePlatform()
  const routes = [payerJobsRoute(stage.parts)]
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
  headers = await signedInAs(stage.parts, PAYER)
  agentId = (await insertAgent(stage.database)).agentId
})
afterEach(async () => {
  await app.close()
  await stage.close()
})

async function list(query = ''): Promise<PayerJobs> {
  return (await ask({ method: 'GET', url: `/v1/me/jobs${query}`, headers })).json()
}

test('a payer sees only the jobs of the signed-in address, the newest first', async () => {
  const nowMs = stage.clock.nowMs()
  const done = await insertJob(stage.parts, { agentId, payer: PAYER, elapsedMs: 812, atMs: nowMs - 2_000 })
  await insertJob(stage.parts, { agentId })
  const failed = await insertJob(stage.parts, {
    agentId,
    payer: PAYER,
    state: 'failed',
    errorType: 'internal',
    error: 'Internal error',
    atMs: nowMs - 1_000,
  })
  const { jobs, next_cursor: next } = await list()
  expect(next).toBeNull()
  expect(jobs).toMatchObject([
    {
      job_id: failed,
      run_id: null,
      status: 'failed',
      charged: false,
      error_type: 'internal',
      error: 'Internal error',
      elapsed_ms: null,
      payment: { status: 'open', transaction: null, usable_until: expect.any(Number) },
    },
    {
      job_id: done,
      agent_id: agentId,
      agent_name: 'Word counter',
      capability: 'count',
      status: 'completed',
      charged: true,
      amount: '0.01',
      created_at: (nowMs - 2_000) / 1_000,
      elapsed_ms: 812,
      payment: { status: 'paid', transaction: expect.any(String) },
    },
  ])
})

test('pages are complete, even with jobs of the same time and jobs ordered in between', async () => {
  const made = await Promise.all(
    Array.from({ length: 9 }, () => insertJob(stage.parts, { agentId, payer: PAYER })),
  )
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: PayerJobs = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    seen.push(...page.jobs.map(job => job.job_id))
    cursor = page.next_cursor
    stage.clock.pass(10)
    await insertJob(stage.parts, { agentId, payer: PAYER })
  }
  expect(seen).toHaveLength(9)
  expect(seen.toSorted()).toEqual(made.toSorted())
})

test('jobs are filtered by status; an invalid status, cursor or limit is refused', async () => {
  await insertJob(stage.parts, { agentId, payer: PAYER })
  const expired = await insertJob(stage.parts, { agentId, payer: PAYER, state: 'expired' })
  expect((await list('?status=expired')).jobs.map(job => job.job_id)).toEqual([expired])
  for (const query of [
    '?status=gone',
    '?cursor=abc',
    '?cursor=99999999999999999_x',
    '?limit=101',
    '?limit=0',
  ])
    expect((await ask({ method: 'GET', url: `/v1/me/jobs${query}`, headers })).statusCode).toBe(400)
})

test('the first page contains sums by UTC month, independent of the status filter', async () => {
  const monthMs = Date.UTC(2027, 0, 1)
  stage.clock.pass(10 * DAY_MS)
  headers = await signedInAs(stage.parts, PAYER)
  for (const atMs of [monthMs, monthMs + 1, monthMs - 1])
    await insertJob(stage.parts, { agentId, payer: PAYER, atMs, amountAtomic: 2_500 })
  await insertJob(stage.parts, { agentId, payer: PAYER, state: 'failed', atMs: monthMs })
  await insertJob(stage.parts, { agentId, payer: PAYER, atMs: Date.UTC(2026, 0, 31) })
  const months = [
    { month: '2027-01', jobs: 3, paid: '0.005' },
    { month: '2026-12', jobs: 1, paid: '0.0025' },
  ]
  const first = await list('?limit=1&status=failed')
  expect(first.months).toEqual(months)
  const all = await list('?limit=1')
  expect((await list(`?limit=1&cursor=${all.next_cursor ?? ''}`)).months).toEqual([])
  // When there are more jobs than are summed, the incomplete month is left out.
  const bounded = await readPayerMonths(stage.database, PAYER, stage.clock.nowMs(), 3)
  expect(bounded).toEqual(months.slice(0, 1))
})

test('each list is read through an index, independent of the number of jobs', async () => {
  await stage.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
       network, nonce, valid_before)
     select gen_random_uuid(), $1, 'count', 'caller', case when n % 10 = 0 then $2 else '0x' || repeat('ee', 20) end, 1,
       case when n % 1000 = 0 then 'failed' else 'completed' end, now() - n * interval '1 minute', now(),
       'eip155:84532', '0x' || md5(n::text) || md5(n::text), 1
     from generate_series(1, 20000) as n`,
    [agentId, PAYER],
  )
  await stage.database.pool.query('analyze jobs')
  for (const [whose, index] of [
    [`payer = '${PAYER}'`, 'jobs_by_payer'],
    [`payer = '${PAYER}' and state = 'failed'`, 'jobs_by_payer_state'],
    [`agent_id = ${agentId} and kind = 'caller'`, 'jobs_by_agent'],
    [`agent_id = ${agentId} and kind = 'caller' and state = 'failed'`, 'jobs_by_agent_state'],
  ]) {
    const { rows } = await stage.database.pool.query<{ 'QUERY PLAN': string }>(
      `explain select job_id from jobs where ${whose} and nonce is not null
         and (created_at, job_id) < (now(), gen_random_uuid())
       order by created_at desc, job_id desc limit 21`,
    )
    const plan = rows.map(row => row['QUERY PLAN']).join('\n')
    expect(plan).toContain(`${index} `)
    expect(plan).not.toContain('Sort')
  }
})
