import type { FastifyInstance } from 'fastify'
import type { OwnerDashboard, OwnerJobs } from '@farebox/platform-api/me/owner-dashboard'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertPaidJob } from '../test-setup/database/insert-paid-job.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { insertJob } from '../test-setup/database/insert-job.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { ownerOverviewRoutes } from './owner-overview-routes.ts'

const OWNER = `0x${'ab'.repeat(20)}`
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const NOON_MS = Date.UTC(2027, 0, 20, 12)
const MIDNIGHT = Date.UTC(2027, 0, 20) / 1_000

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let headers: { readonly authorization: string }

beforeEach(async () => {
  stage = await stagePlatform({ startMs: NOON_MS })
  const routes = ownerOverviewRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
  headers = await signedInAs(stage.parts, OWNER)
})
afterEach(async () => {
  await app.close()
  await stage.close()
})

async function overview(query = ''): Promise<OwnerDashboard> {
  return (await ask({ method: 'GET', url: `/v1/me/dashboard${query}`, headers })).json()
}

async function checked(agentId: number, failures: number, lastOkAtMs: number): Promise<void> {
  await stage.database.pool.query(
    `insert into agent_health (agent_id, watched_since, failures, due_at, checked_at, last_ok_at, hour, hour_ok, hour_failed)
     values ($1, $2, $3, 'infinity', $4, $5, $6, 2, 1)`,
    [agentId, new Date(0), failures, new Date(NOON_MS), new Date(lastOkAtMs), new Date(NOON_MS)],
  )
}

test('the overview shows jobs and earnings of all agents together, of each agent, and by day and capability', async () => {
  const [one, two] = [
    await insertAgent(stage.database, { owner: OWNER }),
    await insertAgent(stage.database, { owner: OWNER }),
  ]
  const strange = await insertAgent(stage.database)
  const job = async (agentId: number, more: object = {}): Promise<string> =>
    await insertJob(stage.parts, { agentId, ...more })
  await job(one.agentId, { elapsedMs: 100 })
  await job(one.agentId, { elapsedMs: 300, atMs: NOON_MS - DAY_MS, amountAtomic: 2_500 })
  await job(one.agentId, { state: 'failed', atMs: NOON_MS - DAY_MS })
  await job(two.agentId, { capability: 'sum', elapsedMs: 200, amountAtomic: 1_000_000 })
  await job(two.agentId, { state: 'pending', amountAtomic: 7_000 })
  await job(two.agentId, { state: 'sent', amountAtomic: 1_000, atMs: NOON_MS - 20 * DAY_MS })
  // Not counted: an earlier job, the platform's own, and one of another owner's agent.
  await job(one.agentId, { atMs: NOON_MS - 7 * DAY_MS })
  await job(one.agentId, { kind: 'canary' })
  await job(strange.agentId)
  const seen = await overview()
  expect(seen).toMatchObject({
    address: OWNER,
    from: MIDNIGHT - 6 * 86_400,
    to: NOON_MS / 1_000,
    jobs: { sent: 5, completed: 3, failed: 1, expired: 0, open: 1 },
    success: 0.75,
    p50_ms: 200,
    p95_ms: 300,
    earned: '1.0125',
    earned_atomic: '1012500',
    open: { jobs: 2, amount: '0.008' },
  })
  expect(seen.series).toEqual(
    [
      {
        day: MIDNIGHT - 86_400,
        agent_id: one.agentId,
        capability: 'count',
        earned: '0.0025',
        earned_atomic: '2500',
        jobs: 2,
      },
      {
        day: MIDNIGHT,
        agent_id: one.agentId,
        capability: 'count',
        earned: '0.01',
        earned_atomic: '10000',
        jobs: 1,
      },
      {
        day: MIDNIGHT,
        agent_id: two.agentId,
        capability: 'sum',
        earned: '1',
        earned_atomic: '1000000',
        jobs: 1,
      },
      { day: MIDNIGHT, agent_id: two.agentId, capability: 'count', earned: '0', earned_atomic: '0', jobs: 1 },
    ].toSorted(
      (a, b) => a.day - b.day || a.agent_id - b.agent_id || a.capability.localeCompare(b.capability),
    ),
  )
  expect(
    seen.agents.map(({ agent_id: id, jobs, earned, p50_ms: p50 }) => [id, jobs.sent, earned, p50]),
  ).toEqual([
    [one.agentId, 3, '0.0125', 100],
    [two.agentId, 2, '1', 200],
  ])
  expect(seen.latest_jobs).toHaveLength(7)
  expect(seen.latest_jobs.map(({ created_at: at }) => at)).toEqual(
    seen.latest_jobs.map(({ created_at: at }) => at).toSorted((a, b) => b - a),
  )
  expect((await overview('?days=14')).jobs.sent).toBe(6)
  expect((await overview('?days=30')).jobs.sent).toBe(7)
  expect((await ask({ method: 'GET', url: '/v1/me/dashboard?days=8', headers })).statusCode).toBe(400)
})

test('an owner without agents sees no data of others', async () => {
  const { agentId } = await insertAgent(stage.database)
  await insertJob(stage.parts, { agentId })
  expect(await overview()).toMatchObject({
    jobs: { sent: 0 },
    success: null,
    earned: '0',
    series: [],
    agents: [],
    notices: [],
    latest_jobs: [],
  })
})

test('of many agents the first fifty are shown', async () => {
  const owned: number[] = []
  for (let n = 0; n < 51; n++) owned.push((await insertAgent(stage.database, { owner: OWNER })).agentId)
  const { agents } = await overview()
  expect(agents.map(({ agent_id: id }) => id)).toEqual(owned.slice(0, 50))
})

test('health is shown by hour for seven days, with the resulting availability', async () => {
  const { agentId } = await insertAgent(stage.database, {
    owner: OWNER,
    badge: 'silver',
    badgeShown: 'bronze',
  })
  await checked(agentId, 3, NOON_MS - HOUR_MS)
  await stage.database.pool.query(
    `insert into agent_hours (agent_id, hour, ok, failed, latencies_ms) values ($1, $2, 6, 0, '{}'), ($1, $3, 5, 1, '{}')`,
    [agentId, new Date(NOON_MS - HOUR_MS), new Date(NOON_MS - 8 * DAY_MS)],
  )
  const { agents } = await overview()
  expect(agents[0]).toMatchObject({
    availability: 'online',
    warned: true,
    consecutive_failures: 3,
    badge: 'bronze',
    hours: [
      { at: (NOON_MS - HOUR_MS) / 1_000, ok: 6, failed: 0 },
      { at: NOON_MS / 1_000, ok: 2, failed: 1 },
    ],
  })
  await insertAgent(stage.database, { owner: OWNER })
  expect((await overview()).agents[1]).toMatchObject({ availability: 'waiting', warned: false, hours: [] })
})

test('notices are listed with the most serious first', async () => {
  const other = `0x${'cd'.repeat(20)}`
  const fine = await insertAgent(stage.database, { owner: OWNER })
  await checked(fine.agentId, 2, NOON_MS)
  const warned = await insertAgent(stage.database, { owner: OWNER })
  await checked(warned.agentId, 4, NOON_MS - HOUR_MS)
  const offline = await insertAgent(stage.database, { owner: OWNER, isOffline: true })
  await checked(offline.agentId, 7, NOON_MS - 2 * HOUR_MS)
  const unpaid = await insertAgent(stage.database, { owner: OWNER, wallet: other, provenWallet: OWNER })
  const refused = await insertAgent(stage.database, { owner: OWNER, standing: 'refused' })
  await stage.database.pool.query('update agents set standing_reason = $2 where agent_id = $1', [
    refused.agentId,
    'about: is not JSON',
  ])
  const bare = await insertAgent(stage.database, { owner: OWNER, standing: 'provisional', declaration: null })
  const unread = await insertAgent(stage.database, { owner: OWNER })
  await stage.database.pool.query(
    `update agents set look_problem = 'about: is missing' where agent_id = $1`,
    [unread.agentId],
  )
  await insertAgent(stage.database, { owner: OWNER, standing: 'deregistered' })
  const { notices } = await overview()
  expect(notices.map(({ kind, agent_id: id }) => [kind, id])).toEqual([
    ['refused', refused.agentId],
    ['offline', offline.agentId],
    ['not_payable', unpaid.agentId],
    ['provisional', bare.agentId],
    ['warned', warned.agentId],
    ['not_read', unread.agentId],
  ])
  expect(notices.slice(0, 3)).toMatchObject([
    { text: 'It is not listed: about: is not JSON', name: 'Word counter' },
    {
      text: 'It is offline and hidden from the search: 7 checks of /health in a row have failed',
      since: (NOON_MS - 2 * HOUR_MS) / 1_000,
    },
    { text: expect.stringContaining(other), since: null },
  ])
})

test('an owner is notified of flows that order a capability that is no longer offered, if it ever was', async () => {
  const { agentId } = await insertAgent(stage.database, { owner: OWNER })
  await insertAgent(stage.database, { owner: OWNER })
  const order = async (name: string): Promise<void> => {
    await stage.database.pool.query(
      `with made as (
         insert into flows (flow_id, owner, name, jobs, price_atomic, bytes, saved_from, saved_by, created_at, changed_at)
         values (gen_random_uuid(), $1, 'x', 1, 0, 0, '', gen_random_uuid(), now(), now()) returning flow_id)
       insert into flow_capabilities (flow_id, agent_id, capability, hash, price_atomic)
       select flow_id, $2, $3, null, 1 from made`,
      [`0x${'ee'.repeat(20)}`, agentId, name],
    )
  }
  for (const name of ['count', 'count', 'never']) await order(name)
  expect((await overview()).notices).toEqual([])
  await stage.database.pool.query('update agents set declaration = $2 where agent_id = $1', [
    agentId,
    JSON.stringify(sampleDeclaration(OWNER, { capabilities: {} })),
  ])
  expect((await overview()).notices).toEqual([
    {
      kind: 'breaks_flows',
      agent_id: agentId,
      name: 'Word counter',
      text: '2 flows that are kept here order “count”, which it offers no more',
      since: null,
    },
  ])
})

test('a job that was charged and not delivered counts as failed and as earned', async () => {
  const { agentId } = await insertAgent(stage.database, { owner: OWNER })
  await insertPaidJob(stage.database, { agentId, finishedAtMs: NOON_MS, chargedWithoutDelivery: true })
  const [agent] = (await overview()).agents.filter(one => one.agent_id === agentId)
  expect(agent).toMatchObject({
    jobs: { sent: 1, completed: 0, failed: 1 },
    success: 0,
    p50_ms: null,
    earned: '0.01',
  })
})

test('an owner lists the jobs of an agent by page, status and id, without payers and contents', async () => {
  const { agentId } = await insertAgent(stage.database, { owner: OWNER })
  const payer = `0x${'ee'.repeat(20)}`
  const made: string[] = []
  for (let n = 0; n < 5; n++)
    made.unshift(await insertJob(stage.parts, { agentId, payer, atMs: NOON_MS + n, elapsedMs: n }))
  const failed = await insertJob(stage.parts, {
    agentId,
    state: 'failed',
    errorType: 'deadline',
    atMs: NOON_MS - 1,
  })
  const own = await insertJob(stage.parts, { agentId, kind: 'canary' })
  const read = async (query: string): Promise<OwnerJobs> =>
    (await ask({ method: 'GET', url: `/v1/me/agents/${agentId}/jobs${query}`, headers })).json()
  const first = await read('?limit=4')
  const second = await read(`?limit=4&cursor=${first.next_cursor ?? ''}`)
  expect([...first.jobs, ...second.jobs].map(({ job_id: id }) => id)).toEqual([...made, failed])
  expect(second.next_cursor).toBeNull()
  expect(JSON.stringify(first)).not.toContain(payer)
  expect((await read('?status=failed')).jobs).toEqual([
    {
      job_id: failed,
      agent_id: agentId,
      capability: 'count',
      status: 'failed',
      error_type: 'deadline',
      charged: false,
      amount: '0.01',
      created_at: (NOON_MS - 1) / 1_000,
      elapsed_ms: null,
    },
  ])
  const ids = async (query: string): Promise<readonly string[]> =>
    (await read(query)).jobs.map(job => job.job_id)
  expect(await ids(`?job_id=${made[2]?.toUpperCase()}`)).toEqual([made[2]])
  expect(await ids(`?job_id=${made[2]}&status=failed`)).toEqual([])
  expect(await ids(`?job_id=${own}`)).toEqual([])
  const others = await insertAgent(stage.database)
  const theirs = await insertJob(stage.parts, { agentId: others.agentId })
  expect(await ids(`?job_id=${theirs}`)).toEqual([])
})
