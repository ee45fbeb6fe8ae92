import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { leaseChecks, type CheckLease } from '@farebox/platform/src/monitor/lease-checks'
import { runChecks } from '@farebox/platform/src/monitor/run-checks'
import { finishChecks } from '@farebox/platform/src/monitor/finish-checks'
import { watchOwnOutage } from '@farebox/platform/src/monitor/watch-own-outage'
import { createOutbound } from '@farebox/platform/outbound/outbound'
import { CHECK_INTERVAL_MS, type PlatformParts } from '@farebox/platform/platform-parts'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { systemClock } from '@farebox/server/clock'
import { silentLog } from '@farebox/server/log'
import type { Database } from '@farebox/server/src/postgres/connect'
import { startHealthServer } from './health-server.ts'
import { dropSchema, fillWatchedAgents } from './fill-watched-agents.ts'

const HELP = `the monitor, over many made-up agents in a schema of their own, dropped afterwards

  --agents <n>      default 1000000
  --workers <n>     sharing the round; default 3
  --seconds <n>     of checks over real HTTP to this machine; default 10
  --database <url>  default postgres://root@127.0.0.1:5432/test
`

/** The platform's goal for the loop of due checks: taken, and their results written. */
const GOAL_PER_SECOND = 10_000

const THIS_HOUR_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '1000000' },
      workers: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      database: { type: 'string', default: 'postgres://root@127.0.0.1:5432/test' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const schema = `monitor_bench_${randomBytes(6).toString('hex')}`
  const connectionString = values.database
  const database = await openStorage({ connectionString, schema, connections: Number(values.workers) * 2 })
  try {
    const agents = Number(values.agents)
    await fillWatchedAgents({ connectionString, schema, agents, tell })
    const round = { database, workers: Number(values.workers) }
    const whole = await runRound({
      ...round,
      agents,
      atMost: agents,
      atMs: THIS_HOUR_MS,
      name: 'whole round',
    })
    const atMost = Math.min(agents, 200_000)
    // The first check of an hour also puts the hour before away: the most that there is to write.
    const closing = { agents, atMost, atMs: THIS_HOUR_MS + 3_600_000, name: 'first checks of an hour' }
    await runRound({ ...round, ...closing })
    await measureHttp(database, { agents: Math.min(agents, 20_000), seconds: Number(values.seconds) })
    return whole ? 0 : 1
  } finally {
    await database.pool.end()
    await dropSchema(connectionString, schema)
  }
}

interface Round {
  readonly database: Database
  readonly agents: number
  /** Where only a part of the round is measured. */
  readonly atMost: number
  readonly workers: number
  readonly atMs: number
  readonly name: string
}

/** Agents that are due, by workers that know nothing of one another; the check itself is left out. */
async function runRound({ database, agents, atMost, workers, atMs, name }: Round): Promise<boolean> {
  const times = new Uint8Array(agents + 1)
  const startedMs = performance.now()
  let checked = 0
  const take = (leases: readonly CheckLease[]): boolean => {
    for (const { agentId } of leases) times[agentId] = (times[agentId] ?? 0) + 1
    checked += leases.length
    return leases.length > 0 && checked < atMost
  }
  await Promise.all(Array.from({ length: workers }, () => runWorker(partsOf(database), atMs, take)))
  const seconds = (performance.now() - startedMs) / 1_000
  const once = times.reduce((total, count) => total + Number(count === 1), 0)
  const twice = times.reduce((total, count) => total + Number(count > 1), 0)
  const perSecond = Math.round(checked / seconds)
  tell(
    `${name}: ${checked} leases and results in ${seconds.toFixed(1)} s by ${workers} workers, ${perSecond} a second; ` +
      `agents checked once: ${once}, more often: ${twice}`,
  )
  return perSecond >= GOAL_PER_SECOND && once === agents && twice === 0
}

/** @param take - whether to go on */
async function runWorker(
  parts: PlatformParts,
  atMs: number,
  take: (leases: readonly CheckLease[]) => boolean,
): Promise<void> {
  const outage = watchOwnOutage(parts, Math.random)
  const means = { outage, chance: Math.random, signal: new AbortController().signal }
  const result = { ok: true, latencyMs: 40 } as const
  let dueFromMs: number | undefined
  let goOn = true
  while (goOn) {
    const leases = await leaseChecks(parts.database, 500, { atMs, dueFromMs })
    goOn = take(leases)
    if (leases.length > 0) dueFromMs = Math.max(...leases.map(lease => lease.dueMs)) - 1_000
    const ended = leases.map(lease => ({ lease, result }))
    await finishChecks(parts, means, ended)
  }
}

/** Whole checks over real connections to this machine, as a worker makes them. */
async function measureHttp(
  database: Database,
  { agents, seconds }: { readonly agents: number; readonly seconds: number },
): Promise<void> {
  const server = await startHealthServer()
  const outbound = createOutbound({ localMode: true, perHost: 256 })
  await database.pool.query(
    `update agents set endpoint = 'http://127.0.0.1:' || $1::text || '/' || agent_id where agent_id <= $2`,
    [server.port, agents],
  )
  await database.pool.query(`update agent_health set due_at = 'epoch' where agent_id <= $1`, [agents])
  const ending = new AbortController()
  let started = 0
  // Before anybody else is due; it goes on by a round whenever all were.
  let nowMs = CHECK_INTERVAL_MS * 2
  const usage = process.cpuUsage()
  const startedMs = performance.now()
  const running = runChecks({ ...partsOf(database), outbound }, ending.signal, {
    atOnce: 256,
    dueAtMs: () => nowMs,
    onStart: () => {
      started += 1
      if (started % agents === 0) nowMs += CHECK_INTERVAL_MS * 2
    },
  })
  await systemClock.sleep(seconds * 1_000)
  const elapsed = (performance.now() - startedMs) / 1_000
  const { user, system } = process.cpuUsage(usage)
  ending.abort()
  await running
  await Promise.all([outbound.close(), server.close()])
  const cpuSeconds = (user + system) / 1_000_000
  tell(
    `checks over HTTP to this machine: ${started} in ${elapsed.toFixed(1)} s, ${Math.round(started / elapsed)} a second; ` +
      `${Math.round(started / cpuSeconds)} a second of one core of the worker (${((cpuSeconds / started) * 1e6).toFixed(0)} us each)`,
  )
}

function partsOf(database: Database): PlatformParts {
  const settings = { checkIntervalMs: CHECK_INTERVAL_MS }
  // Of the parts the loop touches these and no others.
  return { database, clock: systemClock, log: silentLog, settings } as unknown as PlatformParts
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
