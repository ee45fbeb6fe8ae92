import { setTimeout as delay } from 'node:timers/promises'
import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { audit, scoreAudits } from '../storms/audit/audit.ts'
import { firstSuccess, type StormOrder } from '../storms/event-log.ts'
import { playOnStage, type Stage } from '../storms/stage/stage.ts'
import { findPrograms } from './cluster/find-programs.ts'
import { startCluster, type Cluster } from './cluster/start-cluster.ts'
import { runSteadily } from './load.ts'

/**
 * The processes that each round kills. A server that dies alone is replaced at once; a dead machine only when its lease
 * has expired.
 */
const SIZES = {
  small: { victims: ['server'], callers: 12, beforeMs: 1_500, afterMs: 1_500 },
  full: {
    victims: ['server', 'machine', 'server', 'machine'],
    callers: 12,
    beforeMs: 5_000,
    afterMs: 10_000,
  },
} as const
const PAYERS = 4
const PAYER_ATOMIC = 1_000_000_000n
const PAUSE_MS = 150

/** Jobs while the primary of the ledger's database is killed. */
export const failover: Battery = {
  name: 'failover',
  does: 'Paid jobs while the primary of a PostgreSQL under Patroni is killed with SIGKILL, with and without PgBouncer.',
  run,
}

async function run(options: BatteryRun): Promise<BatteryResult> {
  const { size, signal, progress } = options
  const programs = findPrograms()
  if ('missing' in programs)
    return { scores: [], findings: [], skipped: [`failover: not installed: ${programs.missing.join(', ')}`] }
  const { victims, callers, beforeMs, afterMs } = SIZES[size]
  progress({ doing: 'starting etcd, Patroni and two servers', done: 0, of: victims.length })
  let cluster: Cluster | undefined
  const play = async (stage: Stage): Promise<BatteryResult> => {
    if (cluster === undefined) throw new Error('the stage has no cluster')
    // One agent for each route to the database.
    await stage.addFacilitator()
    await stage.addFacilitator({ pooledUrl: cluster.pooledUrl })
    await stage.addAgent()
    await stage.addAgent()
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC)))
    const enough = new AbortController()
    const load = runSteadily(stage, { payers, callers, pauseMs: PAUSE_MS }, enough.signal)
    const outagesMs = await killAll(stage, cluster, { victims, beforeMs, afterMs }, options).finally(() =>
      enough.abort(),
    )
    const orders = await load
    progress({ doing: 'comparing ledger and chain', done: victims.length, of: victims.length })
    const judged = await audit(stage, orders)
    const findings = [...judged.findings, ...stage.eventLog.mishaps]
    const name = `${victims.length} primaries killed with SIGKILL`
    return {
      scores: [scoreAudits(name, [judged], findings), scoreFailures(orders, outagesMs)],
      findings: findings.map(finding => `${finding} (npm run fire -- failover)`),
    }
  }
  return await playOnStage(signal, play, {
    async startDatabase(base) {
      cluster = await startCluster(programs, base)
      return cluster.url
    },
  })
}

type Rounds = (typeof SIZES)[keyof typeof SIZES]

/** Resolves to the durations without a writable server, in milliseconds. */
async function killAll(
  { eventLog, signal }: Stage,
  cluster: Cluster,
  { victims, beforeMs, afterMs }: Pick<Rounds, 'victims' | 'beforeMs' | 'afterMs'>,
  { progress }: BatteryRun,
): Promise<readonly number[]> {
  const outagesMs: number[] = []
  for (const [done, victim] of victims.entries()) {
    signal.throwIfAborted()
    progress({ doing: `killing the ${victim} of the primary`, done, of: victims.length })
    await delay(beforeMs)
    const atMs = Date.now()
    outagesMs.push(await cluster.killPrimary(victim))
    eventLog.outages.push({ kind: 'postgres', name: 'primary', pid: 0, atMs, untilMs: Date.now() })
    await delay(afterMs)
    if (done < victims.length - 1) await cluster.restore()
  }
  return outagesMs
}

/** The results of callers that repeat until the deadline, as our client does. */
function scoreFailures(orders: readonly StormOrder[], outagesMs: readonly number[]): Score {
  const failed = orders.filter(order => firstSuccess(order) === undefined).length
  const asked = orders.flatMap(({ attempts }) => attempts)
  const count = (status: number): number => asked.filter(({ answer }) => answer?.status === status).length
  const longestMs = Math.max(...outagesMs)
  return {
    test: `jobs of callers who ask again until the deadline of 45 s; the longest outage took ${(longestMs / 1_000).toFixed(1)} s`,
    reached: `${failed} of ${orders.length} failed; on the way ${count(500)} answers of 500 and ${count(503)} of 503`,
    target: '0 failed',
    isMet: failed === 0,
  }
}
