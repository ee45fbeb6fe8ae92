import { readTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { randomUUID } from 'node:crypto'
import type { PlatformParts } from '@farebox/platform/platform-parts'
import { createPaymentMeans } from '@farebox/platform/src/runs/pay/read-payments'
import { createStartRun } from '@farebox/platform/src/runs/start-run'
import type { OwnSchema } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import { closeParts, openParts } from './platform-parts.ts'
import { DECLARATION, ENDPOINT } from './stub-world.ts'
import { INPUT, signRun, threeSteps } from './three-steps.ts'

/** Runs of a flow of three jobs, in the tables of a platform. */
export interface FlowRuns {
  /** Deletes all runs and inserts new ones. */
  begin(count: number): Promise<void>
  /** When each completed and paid run ended, the first one first: milliseconds since the epoch. */
  readDone(): Promise<readonly number[]>
}

const AGENT_ID = 1
/** The number that the platform starts at once for one address. */
const AT_ONCE = 8

/** Starts runs as `POST /v1/runs` does. `readDone` rejects once a run can no longer complete. */
export async function openFlowRuns(stage: Stage, { url, schema }: OwnSchema): Promise<FlowRuns> {
  const parts = await openParts(url, schema)
  stage.onStrike(() => closeParts(parts))
  await listAgent(parts)
  const startRun = createStartRun(parts, createPaymentMeans(parts))
  const flow = await threeSteps(AGENT_ID)
  const signal = new AbortController().signal
  const { pool } = parts.database
  const start = async (): Promise<void> => {
    const payments = await signRun(parts.crypto)
    const given = { run_id: randomUUID(), flow, input: INPUT, max_total: '0.006', payments }
    // The route parses the same document.
    await startRun(
      given as unknown as Parameters<typeof startRun>[0],
      { caller: { kind: 'anonymous', ip: '127.0.0.1' }, trace: readTraceparent(undefined) },
      signal,
    )
  }
  return {
    async begin(count) {
      await pool.query('truncate runs, jobs cascade')
      for (let begun = 0; begun < count; begun += AT_ONCE)
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - begun) }, start))
    },
    async readDone() {
      const { rows } = await pool.query<{ status: string; paid: string; ended_at: Date }>(
        `select status, paid, ended_at from runs where status in ('completed', 'waiting', 'failed')
         order by ended_at`,
      )
      const wrong = rows.find(({ status, paid }) => status !== 'completed' || paid !== '0.006')
      if (wrong !== undefined) throw new Error(`a run is ${wrong.status} and paid ${wrong.paid}`)
      return rows.map(({ ended_at: at }) => at.getTime())
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
