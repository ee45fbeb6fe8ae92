import { randomBytes } from 'node:crypto'
import { indexAgent } from '@farebox/platform/src/listing/index-agent'
import { insertPaidJob } from '@farebox/platform/src/test-setup/database/insert-paid-job'
import type { Database } from '@farebox/server/src/postgres/connect'

/** The history of an agent. */
interface Past {
  readonly folder: 'text-statistics' | 'summary' | 'qr-code'
  readonly jobs: number
  readonly elapsedMs: number
  readonly capabilities: readonly (readonly [name: string, amountAtomic: bigint])[]
  readonly badge: 'none' | 'verified' | 'bronze' | 'silver' | 'gold'
  /** The interval of failed checks; 0: none. */
  readonly failsEvery: number
}

const PASTS: readonly Past[] = [
  {
    folder: 'text-statistics',
    jobs: 160,
    elapsedMs: 620,
    capabilities: [
      ['count', 2_000n],
      ['frequent', 3_000n],
    ],
    badge: 'silver',
    failsEvery: 900,
  },
  {
    folder: 'summary',
    jobs: 90,
    elapsedMs: 2_400,
    capabilities: [['summarize', 10_000n]],
    badge: 'gold',
    failsEvery: 0,
  },
  {
    folder: 'qr-code',
    jobs: 60,
    elapsedMs: 140,
    capabilities: [['encode', 5_000n]],
    badge: 'bronze',
    failsEvery: 130,
  },
]

const DAYS = 89
const HOURS = 24 * 7
const A_DAY_MS = 86_400_000

/** Gives agents some weeks of history: paid jobs, checks by the hour and by the day, badges. */
export async function fillHistory(
  database: Database,
  agentIds: { readonly [folder in Past['folder']]: number },
): Promise<void> {
  for (const past of PASTS) {
    const agentId = agentIds[past.folder]
    await fillJobs(database, agentId, past)
    await fillChecks(database, agentId, past.failsEvery)
    await database.query(
      'shots-badge',
      'update agents set badge = $2, badge_shown = $2, registered_at = $3 where agent_id = $1',
      [agentId, past.badge, new Date(Date.now() - DAYS * A_DAY_MS)],
    )
    await database.inTransaction(client => indexAgent(client, agentId))
  }
}

/** More of them on newer days, and fewer at weekends. */
async function fillJobs(database: Database, agentId: number, past: Past): Promise<void> {
  const { jobs, capabilities, elapsedMs } = past
  const payers = Array.from({ length: 12 }, () => `0x${randomBytes(20).toString('hex')}`)
  for (let index = 0; index < jobs; index += 1) {
    const daysAgo = 14 * (index / jobs) ** 1.4 + 0.01
    const finishedAtMs = Date.now() - daysAgo * A_DAY_MS
    const [capability, amountAtomic] = capabilities[index % capabilities.length] ?? ['', 0n]
    await insertPaidJob(database, {
      agentId,
      capability,
      amountAtomic,
      finishedAtMs,
      elapsedMs: Math.round(elapsedMs * (0.8 + ((index * 7) % 10) / 20)),
      payer: payers[index % payers.length] ?? '',
    })
  }
}

async function fillChecks(database: Database, agentId: number, failsEvery: number): Promise<void> {
  await database.query(
    'shots-days',
    `insert into agent_days
       select $1, date_trunc('day', now(), 'UTC') - day * interval '24 hours', 144 - failed, failed, failed * 600
       from (select day, case when $2 > 0 and (day * 144) % $2 < 144 and day % 7 = 3 then 2 else 0 end as failed
             from generate_series(1, $3::int) as day) as days`,
    [agentId, failsEvery, DAYS],
  )
  await database.query(
    'shots-hours',
    `insert into agent_hours
       select $1, date_trunc('hour', now()) - hour * interval '1 hour', 6 - failed, failed, array[20, 30, 25, 40, 22, 31]
       from (select hour, case when $2 > 0 and (hour * 6) % $2 < 6 and hour > 24 then 2 else 0 end as failed
             from generate_series(1, $3::int) as hour) as hours
     on conflict do nothing`,
    [agentId, failsEvery, HOURS],
  )
  await database.query(
    'shots-health',
    `update agent_health set watched_since = now() - interval '89 days',
       month_ok = 29 * 144 - $2::int, month_failed = $2::int where agent_id = $1`,
    [agentId, failsEvery === 0 ? 0 : Math.round(4_176 / failsEvery)],
  )
}
