import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgent } from '../test-setup/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { indexAgent } from './index-agent.ts'
import { recountJobs } from './recount-jobs.ts'

let stage: Stage

beforeAll(async () => {
  stage = await stagePlatform()
})

afterAll(() => stage.close())

test('paid jobs are counted once they have ended for a while, each time those since the last time', async () => {
  const { agentId } = await insertAgent(stage.database)
  await stage.database.inTransaction(client => indexAgent(client, agentId))
  const startMs = stage.clock.nowMs()
  await job(agentId, 1, startMs)
  await job(agentId, 2, startMs + 50_000)
  expect(await recountJobs(stage.database, startMs + 10_000)).toBe(0)
  expect(await recountJobs(stage.database, startMs + 60_000)).toBe(1)
  expect(await jobsDone(agentId)).toBe(2)
  expect(await recountJobs(stage.database, startMs + 60_000)).toBe(0)
  await job(agentId, 3, startMs + 55_000)
  expect(await recountJobs(stage.database, startMs + 100_000)).toBe(1)
  expect(await jobsDone(agentId)).toBe(3)
})

test('workers do not count for each other', async () => {
  const { agentId } = await insertAgent(stage.database)
  await stage.database.inTransaction(client => indexAgent(client, agentId))
  const atMs = stage.clock.nowMs() + 200_000
  await job(agentId, 4, atMs)
  const counted = await Promise.all(
    Array.from({ length: 3 }, () => recountJobs(stage.database, atMs + 60_000)),
  )
  expect(counted.reduce((sum, agents) => sum + agents)).toBe(1)
})

async function jobsDone(agentId: number): Promise<number> {
  const [row] = await stage.database.query<{ jobs: string }>(
    'jobs-done',
    'select jobs_done as jobs from search_entries where agent_id = $1',
    [agentId],
  )
  return Number(row?.jobs)
}

async function job(agentId: number, number: number, endedMs: number): Promise<void> {
  await stage.database.query(
    'job',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at, finished_at,
       input_hash, endpoint, max_deadline_seconds, deadline, network, asset, pay_to, nonce, valid_after, valid_before)
     values (gen_random_uuid(), $1::bigint, 'count', 'caller', '0x' || repeat('1', 40), 10000, 'completed', now(), now(),
       to_timestamp($3::float8 / 1000), repeat('a', 64), 'https://agent.example', 10, 10, 'eip155:8453', 'usdc',
       '0x' || repeat('1', 40), '0x' || lpad(to_hex($2::bigint), 64, '0'), 0, 1)`,
    [agentId, number, endedMs],
  )
}
