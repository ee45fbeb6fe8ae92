import { afterEach, beforeEach, expect, test } from 'vitest'
import { indexAgent } from '../listing/index-agent.ts'
import { readTally } from '../tallies/read-tally.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { recomputeBadge } from './change-badge.ts'
import { recountAgents } from './start-recounts.ts'

const OWNER = `0x${'a'.repeat(40)}`

let stage: Stage

beforeEach(async () => {
  stage = await stagePlatform()
  await insertAgent(stage.database, { agentId: 1, owner: OWNER })
  await stage.database.inTransaction(client => indexAgent(client, 1))
  await recomputeBadge(stage.parts, 1)
})
afterEach(() => stage.close())

async function completeJobs(count: number, payer: string): Promise<void> {
  await stage.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
       transaction)
     select gen_random_uuid(), 1, 'count', 'caller', $2, 10000, 'completed', now(), now(), '0x' || repeat('1', 64)
     from generate_series(1, $1::int)`,
    [count, payer],
  )
}

async function shown(): Promise<unknown> {
  const { rows } = await stage.database.pool.query(
    `select (select jobs_done::int from search_entries where agent_id = 1) as found,
       (inputs->>'paidJobs')::int as paid, (inputs->>'failedJobs')::int as failed from agent_badges where agent_id = 1`,
  )
  return rows[0]
}

const payer = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`

test('search and badge follow paid jobs at the next round, with at most ten jobs per payer for the badge', async () => {
  await completeJobs(25, payer(1))
  await completeJobs(3, payer(2))
  await completeJobs(5, OWNER)
  expect(await recountAgents(stage.parts)).toBe(33)
  expect(await shown()).toEqual({ found: 28, paid: 13, failed: 0 })
  expect(await recountAgents(stage.parts)).toBe(0)
})

test('a later judgement changes the counts, and so does its reversal', async () => {
  await completeJobs(4, payer(1))
  await recountAgents(stage.parts)
  await stage.database.pool.query(`update jobs set charged_without_delivery = true, fault = 'agent'
    where job_id = (select min(job_id::text)::uuid from jobs)`)
  await recountAgents(stage.parts)
  expect(await shown()).toEqual({ found: 3, paid: 3, failed: 1 })
  await stage.database.pool.query(`update jobs set charged_without_delivery = false, fault = null`)
  await recountAgents(stage.parts)
  expect(await shown()).toEqual({ found: 4, paid: 4, failed: 0 })
})

test('any number of workers add every outcome once', async () => {
  const others = await Promise.all([stage.anotherWorker(), stage.anotherWorker()])
  const workers = [stage.parts, ...others]
  await Promise.all(Array.from({ length: 20 }, (_, number) => completeJobs(3, payer(number % 7))))
  while ((await Promise.all(workers.map(parts => recountAgents(parts)))).some(added => added > 0));
  expect(await readTally(stage.database.pool, 1)).toMatchObject({ jobsDone: 60, payers: 7, paid: 60 })
})

test('the newest ten jobs of a payer are found through an index, independent of the number of jobs', async () => {
  await completeJobs(3_000, payer(1))
  await stage.database.pool.query('analyze jobs')
  const { rows } = await stage.database.pool.query<{ 'QUERY PLAN': string }>(
    `explain select fault is distinct from 'agent' from jobs
     where agent_id = 1 and payer = '${payer(1)}' and kind = 'caller' and
       (fault = 'agent' or (state = 'completed' and not charged_without_delivery and transaction is not null))
     order by created_at desc, job_id limit 10`,
  )
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Index (Only )?Scan using jobs_judged/)
  expect(plan).not.toMatch(/Sort/)
})
