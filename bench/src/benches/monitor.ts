import type { PlatformParts } from '@farebox/platform/platform-parts'
import { CHECK_INTERVAL_MS } from '@farebox/platform/platform-parts'
import { finishChecks } from '@farebox/platform/src/monitor/finish-checks'
import { leaseChecks, type CheckLease } from '@farebox/platform/src/monitor/lease-checks'
import { watchOwnOutage } from '@farebox/platform/src/monitor/watch-own-outage'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'
import type { Database } from '@farebox/server/src/postgres/connect'
import { openSchema } from '../stage/open-database.ts'
import type { Bench, Row } from '../report/bench.ts'
import { rate } from '../report/figures.ts'
import { limitRow } from '../report/limit-row.ts'

const WORKERS = 3
const LEAST_PER_SECOND = 10_000
const HOUR_MS = 3_600_000

/**
 * A round of three workers over a million agents: each is leased once and its result written; the check itself is left
 * out.
 */
export const monitor: Bench = {
  name: 'monitor',
  isLong: true,
  async run(stage) {
    const { url: connectionString, schema } = await openSchema(stage)
    const database = await openStorage({ connectionString, schema, connections: WORKERS * 2 })
    stage.onStrike(() => database.pool.end())
    const agents = stage.quick ? 20_000 : 1_000_000
    stage.tell(`${agents} agents are put in`)
    await fillWatched(database, agents)
    const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
    stage.tell('a whole round')
    const whole = await runRound(database, {
      what: 'checks of a whole round',
      agents,
      atMost: agents,
      atMs: hourMs,
    })
    stage.tell('the first checks of an hour')
    // The first check of an hour also closes the previous hour: the maximum to write.
    const closing = { agents, atMost: Math.min(agents, 200_000), atMs: hourMs + HOUR_MS }
    return [whole, await runRound(database, { what: 'first checks of an hour', ...closing })]
  },
}

interface Round {
  readonly what: string
  readonly agents: number
  /** If only a part of the round is measured. */
  readonly atMost: number
  readonly atMs: number
}

/** Rejects if an agent was leased twice, and if one was missed in a whole round. */
async function runRound(database: Database, { what, agents, atMost, atMs }: Round): Promise<Row> {
  const times = new Uint8Array(agents + 1)
  let checked = 0
  const take = (leases: readonly CheckLease[]): boolean => {
    for (const { agentId } of leases) times[agentId] = (times[agentId] ?? 0) + 1
    checked += leases.length
    return leases.length > 0 && checked < atMost
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: WORKERS }, () => runWorker(database, atMs, take)))
  const seconds = (performance.now() - startedMs) / 1_000
  if (times.some(count => count > 1)) throw new Error(`${what}: an agent was leased twice`)
  if (checked < atMost) throw new Error(`${what}: ${checked} of ${atMost} agents were leased`)
  return limitRow({
    what: `${what}, ${WORKERS} workers`,
    value: checked / seconds,
    limit: { atLeast: LEAST_PER_SECOND },
    format: rate,
    notes: [`${checked} leases and results in ${seconds.toFixed(1)} s, no agent twice`],
  })
}

/** `take` returns whether to continue. */
async function runWorker(
  database: Database,
  atMs: number,
  take: (leases: readonly CheckLease[]) => boolean,
): Promise<void> {
  const settings = { checkIntervalMs: CHECK_INTERVAL_MS }
  // The loop uses only these parts.
  const parts = { database, clock: systemClock, log: silentLog, settings } as unknown as PlatformParts
  const outage = watchOwnOutage(parts, Math.random)
  const means = { outage, chance: Math.random, signal: new AbortController().signal }
  const result = { ok: true, latencyMs: 40 } as const
  let dueFromMs: number | undefined
  let goOn = true
  while (goOn) {
    const leases = await leaseChecks(database, 500, { atMs, dueFromMs })
    goOn = take(leases)
    if (leases.length > 0) dueFromMs = Math.max(...leases.map(lease => lease.dueMs)) - 1_000
    await finishChecks(
      parts,
      means,
      leases.map(lease => ({ lease, result })),
    )
  }
}

/** Listed agents from 1 on, each on its own host, all due for a check. */
async function fillWatched({ pool }: Database, agents: number): Promise<void> {
  await pool.query(
    `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
       registered_transaction, registered_at, standing, standing_since, name, badge, badge_shown)
     select id, e, e, '0x' || lpad(to_hex(id), 40, '0'), 1000000000000000, 1, '0x' || lpad(to_hex(id), 64, '0'),
       now(), 'listed', now(), 'Word counter', 'silver', 'silver'
     from generate_series(1, $1::integer) as id, lateral (select 'https://agent-' || id || '.example' as e) as endpoint`,
    [agents],
  )
  await pool.query(
    `insert into agent_health (agent_id, watched_since, due_at, last_ok_at, hour, hour_ok, hour_latencies_ms)
     select agent_id, now(), 'epoch'::timestamptz + random() * interval '10 minutes', 'epoch', 'epoch', 0, '{}' from agents`,
  )
  await pool.query('analyze agents, agent_health')
}
