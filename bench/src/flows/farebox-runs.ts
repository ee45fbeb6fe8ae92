import { randomBytes, randomUUID } from 'node:crypto'
import type { PlatformParts } from '@farebox/platform/platform-parts'
import { createPaymentMeans } from '@farebox/platform/src/runs/pay/read-payments'
import { createStartRun } from '@farebox/platform/src/runs/start-run'
import { builtFile } from '../stage/start-server.ts'
import { dropSchema, type FlowContender } from './flow-contenders.ts'
import { closeParts, openParts } from './platform-parts.ts'
import { DECLARATION, ENDPOINT } from './stub-world.ts'
import { INPUT, signRun, threeSteps } from './three-steps.ts'

const AGENT_ID = 1

/** The platform's runs, started as `POST /v1/runs` starts them. */
export async function fareboxRuns(connectionString: string): Promise<FlowContender> {
  const schema = `flows_bench_${randomBytes(6).toString('hex')}`
  const parts = await openParts(connectionString, schema)
  await listAgent(parts)
  const startRun = createStartRun(parts, createPaymentMeans(parts))
  const flow = await threeSteps(AGENT_ID)
  const signal = new AbortController().signal
  const { pool } = parts.database
  return {
    name: 'farebox',
    program: builtFile('flows/farebox-worker.js'),
    environment: { DATABASE_URL: connectionString, DATABASE_SCHEMA: schema },
    async begin(count) {
      await pool.query('truncate runs, jobs cascade')
      const start = async (): Promise<void> => {
        const payments = [...(await signRun(parts.crypto))]
        const given = { run_id: randomUUID(), flow, input: INPUT, max_total: '0.006', payments }
        // What the route has read is the same document.
        await startRun(given as unknown as Parameters<typeof startRun>[0], '127.0.0.1', signal)
      }
      for (let begun = 0; begun < count; begun += 8)
        await Promise.all(Array.from({ length: Math.min(8, count - begun) }, start))
    },
    async progress() {
      const { rows } = await pool.query<{ status: string; paid: string; ended_at: Date | null }>(
        `select status, paid, ended_at from runs`,
      )
      const jobs = await pool.query<{ count: number }>(
        `select count(*)::int as count from jobs where finished_at is not null`,
      )
      const done = rows.filter(({ status }) => status === 'completed')
      if (done.some(({ paid }) => paid !== '0.006')) throw new Error('a run was done without being paid')
      return {
        done: done.length,
        jobs: jobs.rows[0]?.count ?? 0,
        doneAtMs: done.map(({ ended_at: at }) => at?.getTime() ?? Number.NaN),
        beganAtMs: undefined,
        broken: rows.filter(({ status }) => status === 'waiting' || status === 'failed').length,
      }
    },
    async close() {
      await dropSchema(pool, schema)
      await closeParts(parts)
    },
  }
}

async function listAgent({ database }: PlatformParts): Promise<void> {
  const { wallet, name, description } = DECLARATION
  await database.pool.query(
    `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
       registered_transaction, registered_at, standing, standing_since, declaration, declaration_version, name,
       description, wallet, proven_wallet, refreshed_at)
     values ($1, $2, $2, $3, 1000000000000000, 1, '0x00', now(), 'listed', now(), $4, 1, $5, $6, $3, $3, now())`,
    [AGENT_ID, ENDPOINT, wallet, JSON.stringify(DECLARATION), name, description],
  )
}
