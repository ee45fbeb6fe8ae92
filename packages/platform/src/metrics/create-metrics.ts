import type { Database } from '@farebox/server/internal/postgres/connect'
import { within } from '@farebox/protocol/internal/time/within'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { PlatformParts } from '../platform-parts.ts'

const PREFIX = 'farebox_platform_'

/** The figures are read from the database at most once in this time, however often the metrics are scraped. */
const READ_EVERY_MS = 30_000
/** The same while the database or the node does not answer. */
const ASK_AGAIN_MS = 5_000
/** The time limit of a reading: Prometheus gives up after ten seconds and would get no values at all. */
const TIMEOUT_MS = 5_000
const USDC_ATOMIC = 1_000_000

/** The Prometheus metrics of one worker process. */
export interface PlatformMetrics {
  readonly registry: Registry
  /** Counts the responses of an application by route and status, and measures their durations. */
  watch(app: FastifyInstance): void
}

/**
 * Creates the metrics of one worker process; docs/metrics.md lists them all. Label values come from a fixed set, never
 * from a request.
 */
export function createMetrics(parts: PlatformParts): PlatformMetrics {
  const registry = new Registry()
  // Each sample wakes the process: at the default of 10 ms, sampling caused most of the processor time of an idle
  // process.
  collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision: 50 })
  const read = readNowAndThen(parts)
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    show: (gauge: Gauge, reading: Reading) => void,
  ): Gauge =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const reading = await read()
        // A value that cannot be read is absent: an alert on the last one would never end, or never fire.
        if (labelNames.length > 0) this.reset()
        else this.remove()
        show(this, reading)
      },
    })
  const figure = (
    name: string,
    help: string,
    labelNames: readonly string[],
    show: (gauge: Gauge, figures: Figures) => void,
  ): Gauge =>
    gauge(name, help, labelNames, (to, { figures }) => {
      if (figures !== undefined) show(to, figures)
    })
  figure(
    'agents',
    'Agents by standing, and whether they are offline',
    ['standing', 'offline'],
    (to, { agents }) => {
      for (const { standing, offline, count } of agents) to.set({ standing, offline: String(offline) }, count)
    },
  )
  figure('open_jobs', 'Jobs that may still change, by state', ['state'], (to, { jobs }) => {
    for (const { state, count } of jobs) to.set({ state }, count)
  })
  figure(
    'late_seconds',
    'How long what is overdue most has waited: checks, jobs, notices',
    ['work'],
    (to, { lateSeconds }) => {
      for (const [work, seconds] of Object.entries(lateSeconds)) to.set({ work }, seconds)
    },
  )
  figure(
    'registry_blocks_behind',
    'Blocks of the chain that the registry has not been read up to',
    [],
    (to, { blocksBehind }) => to.set(blocksBehind),
  )
  figure('canary_spent_usdc', 'What the daily jobs may have cost today', [], (to, { canarySpentAtomic }) =>
    to.set(Number(canarySpentAtomic) / USDC_ATOMIC),
  )
  for (const part of ['database', 'node'] as const) {
    const help = `Whether the ${part} answered when the figures were read: 1, or 0`
    gauge(`${part}_reachable`, help, [], (to, { reachable }) => to.set(reachable[part] ? 1 : 0))
  }
  return { registry, watch: countAnswers([registry]) }
}

function countAnswers(registers: Registry[]): PlatformMetrics['watch'] {
  const answers = new Counter({
    name: `${PREFIX}answers_total`,
    help: 'Answers by route and status',
    labelNames: ['route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: `${PREFIX}duration_seconds`,
    help: 'Time to answer, by route; an order that is waited for takes as long as its job',
    labelNames: ['route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
    registers,
  })
  return app =>
    app.addHook('onResponse', (request, reply, done) => {
      const route = `${request.method} ${request.routeOptions.url ?? 'none'}`
      answers.inc({ route, status: String(reply.statusCode) })
      durations.observe({ route }, reply.elapsedTime / 1_000)
      done()
    })
}

/** The figures, and whether the parts that the platform depends on answered. */
interface Reading {
  /** Undefined: the database does not respond. */
  readonly figures: Figures | undefined
  readonly reachable: { readonly database: boolean; readonly node: boolean }
}

/** Returns a function that reads the figures once for all gauges of a scrape. */
function readNowAndThen({ database, rpc, clock }: PlatformParts): () => Promise<Reading> {
  let nextMs = Number.NEGATIVE_INFINITY
  let reading: Promise<Reading> | undefined
  const known = <T>(answer: Promise<T>): Promise<T | undefined> =>
    within(
      clock,
      TIMEOUT_MS,
      answer.catch(() => undefined),
    )
  const read = async (): Promise<Reading> => {
    const [figures, head] = await Promise.all([
      known(readFigures(database, clock.nowMs())),
      known(rpc.call('eth_blockNumber', [])),
    ])
    const reachable = { database: figures !== undefined, node: head !== undefined }
    if (!reachable.database || !reachable.node) nextMs = clock.nowMs() + ASK_AGAIN_MS
    return { figures, reachable }
  }
  return () => {
    if (reading !== undefined && clock.nowMs() < nextMs) return reading
    nextMs = clock.nowMs() + READ_EVERY_MS
    reading = read()
    return reading
  }
}

/** The figures of the platform, as read from its database. */
interface Figures {
  readonly agents: readonly { readonly standing: string; readonly offline: boolean; readonly count: number }[]
  readonly jobs: readonly { readonly state: string; readonly count: number }[]
  /** Seconds by which the most overdue check, job or webhook delivery is past its due time; 0 when no row is due. */
  readonly lateSeconds: { readonly checks: number; readonly jobs: number; readonly notices: number }
  /** Blocks between the head of the chain and the last block that the registry has been read up to. */
  readonly blocksBehind: number
  readonly canarySpentAtomic: bigint
}

/**
 * Reads the figures. Counting a million agents takes a fraction of a second, so the result is kept for {@link
 * READ_EVERY_MS}.
 */
async function readFigures(database: Database, nowMs: number): Promise<Figures> {
  const now = new Date(nowMs)
  const [agents, jobs, [one]] = await Promise.all([
    database.query<{ standing: string; offline: boolean; count: string }>('figures_agents', AGENTS),
    database.query<{ state: string; count: string }>('figures_jobs', JOBS),
    database.query<OneRow>('figures_one', ONE, [now]),
  ])
  const late = (at: Date | null | undefined): number =>
    at === null || at === undefined ? 0 : Math.max(0, (nowMs - at.getTime()) / 1_000)
  return {
    agents: agents.map(({ count, ...row }) => ({ ...row, count: Number(count) })),
    jobs: jobs.map(({ state, count }) => ({ state, count: Number(count) })),
    lateSeconds: { checks: late(one?.checks), jobs: late(one?.jobs), notices: late(one?.notices) },
    blocksBehind: Number(one?.blocks ?? 0),
    canarySpentAtomic: BigInt(one?.spent ?? 0),
  }
}

interface OneRow {
  readonly checks: Date | null
  readonly jobs: Date | null
  readonly notices: Date | null
  readonly blocks: string | null
  readonly spent: string | null
}

const AGENTS = 'select standing, is_offline as offline, count(*) as count from agents group by 1, 2'

/** Only the states that may still change; the totals of finished jobs are computed elsewhere, where they are shown. */
const JOBS = "select state, count(*) as count from jobs where state in ('sent', 'pending') group by 1"

const ONE = `
  select
    (select min(due_at) from agent_health where due_at <= $1) as checks,
    (select min(next_look_at) from jobs where next_look_at <= $1) as jobs,
    (select min(due_at) from webhook_deliveries where state = 'waiting' and due_at <= $1) as notices,
    (select head_number - block_number from followed_contracts where contract = 'registry') as blocks,
    (select sum(spent_atomic) from canary_days where day = ($1 at time zone 'utc')::date) as spent`
