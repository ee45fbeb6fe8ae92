import { setTimeout as delay } from 'node:timers/promises'
import {
  PRIMARY,
  startRedisCluster,
  startRedisSentinels,
  type RedisGroup,
} from 'farebox/src/jobs/test-setup/redis-groups'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Random } from '../../simulator/seeded-random.ts'
import { createStore, type StageStore } from './stage-store.ts'
import type { Stage } from './stage.ts'

/** Groups of Redis servers with failover, and the agents' stores in them. */
export interface StruckGroup {
  readonly name: 'cluster' | 'sentinels'
  readonly stores: readonly StageStore[]
  /** The number of killed primaries. */
  killed: number
  /** The number of moved slots. */
  moved: number
  /** Performs the next strike. Resolves once every server is up and has a copy again. */
  strike(random: Random): Promise<void>
}

/** A busy machine must not count as a dead one. */
const NODE_TIMEOUT_MS = 2_000
/** Jobs delivered between two strikes: a failover could lose each of them. */
const JOBS_BETWEEN = 10
const LONGEST_PAUSE_MS = 1_000

/**
 * A replica has every acknowledged write: a job delivered before a failover is answered with the same bytes after it.
 */
const REPLICATED = 'replicas=1'

/**
 * Starts a cluster of three primaries with replicas, and a primary with a replica that three Sentinels watch. Each of the
 * prefixes is a store in the cluster.
 */
export async function startRedisGroups(
  stage: Stage,
  prefixes: readonly string[],
): Promise<readonly StruckGroup[]> {
  const stopped = <Group extends RedisGroup>(group: Group): Group => {
    stage.onStrike(group.stop)
    return group
  }
  const [cluster, sentinels] = await Promise.all([
    startRedisCluster(NODE_TIMEOUT_MS).then(stopped),
    startRedisSentinels(NODE_TIMEOUT_MS).then(stopped),
  ])
  const inCluster = prefixes.map(prefix => openStore(cluster, 'cluster=true', prefix, `{${prefix}}:`))
  const behindSentinels = [openBehindSentinels(sentinels, 'west')]
  const ofCluster: StruckGroup = {
    name: 'cluster',
    stores: inCluster,
    killed: 0,
    moved: 0,
    async strike(random) {
      const { tag } = random.pick(inCluster)
      const isKilled = ofCluster.killed === ofCluster.moved
      await noteOutage(stage, ofCluster, () =>
        isKilled ? killPrimary(cluster, tag) : cluster.moveSlotOf(tag),
      )
      ofCluster[isKilled ? 'killed' : 'moved'] += 1
    },
  }
  const ofSentinels: StruckGroup = {
    name: 'sentinels',
    stores: behindSentinels,
    killed: 0,
    moved: 0,
    async strike() {
      await noteOutage(stage, ofSentinels, () => killPrimary(sentinels, ''))
      ofSentinels.killed += 1
    },
  }
  return [ofCluster, ofSentinels]
}

/** The store of a prefix in a group that Sentinels watch. */
export function openBehindSentinels(group: RedisGroup, prefix: string): StageStore {
  return openStore(group, `sentinel=${PRIMARY}`, prefix, `${prefix}:`)
}

function openStore(group: RedisGroup, parameters: string, prefix: string, tag: string): StageStore {
  return createStore({
    setting: `redis://${group.servers}/0?${parameters}&${REPLICATED}&prefix=${prefix}`,
    tag,
    primary: () => group.primaryOf(tag),
  })
}

/** Strikes a group repeatedly, each time after new jobs were delivered from it. Resolves to the violations. */
export async function strikeGroup(
  { agents, eventLog, signal }: Stage,
  group: StruckGroup,
  count: number,
  random: Random,
): Promise<readonly string[]> {
  const names = new Set(agents.filter(({ store }) => group.stores.includes(store)).map(({ name }) => name))
  const countDelivered = (): number =>
    [...eventLog.orders.values()].filter(({ attempts }) =>
      attempts.some(({ agent, answer }) => names.has(agent) && answer?.status === 200),
    ).length
  try {
    for (let index = 0; index < count; index += 1) {
      const before = countDelivered()
      await until(() => signal.aborted || countDelivered() >= before + JOBS_BETWEEN)
      await delay(random.between(0, LONGEST_PAUSE_MS))
      if (signal.aborted) break
      await group.strike(random)
    }
    return []
  } catch (error) {
    return [`the ${group.name} does not come back: ${String(error)}`]
  }
}

/** A store that is struck may lose writes until it is complete again. */
async function noteOutage(
  { agents, eventLog }: Stage,
  { name, stores }: StruckGroup,
  work: () => Promise<void>,
): Promise<void> {
  const atMs = Date.now()
  try {
    await work()
  } finally {
    const struck = agents.filter(({ store }) => stores.includes(store)).map(agent => agent.name)
    eventLog.outages.push({ kind: 'redis', name, pid: 0, agents: struck, atMs, untilMs: Date.now() })
  }
}

/** SIGKILL; the server restarts when its replica has replaced it. */
export async function killPrimary(group: RedisGroup, key: string): Promise<void> {
  const killed = await group.primaryOf(key)
  await group.kill(killed)
  await until(() =>
    group.primaryOf(key).then(
      port => port !== killed,
      () => false,
    ),
  )
  await group.rejoin(killed)
}
