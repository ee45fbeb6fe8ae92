import { setTimeout as delay } from 'node:timers/promises'
import type { ChildExit } from '@farebox/local/src/starting/child-exit'
import { until } from '@farebox/protocol/src/test-setup/until'
import { freezeFamily, killFamily } from '../storms/stage/process-family.ts'
import type { Life, ManagedKind } from '../storms/stage/managed-process.ts'
import { killPrimary } from '../storms/stage/redis-groups.ts'
import type { Stage } from '../storms/stage/stage.ts'
import type { Outside } from './deploy.ts'

/** Something that is done to one part while jobs are under way; resolves to what was wrong with it. */
export interface Strike {
  readonly name: string
  act(stage: Stage, outside: Outside): Promise<string | undefined>
}

/** Longer than anybody waits for an answer of the chain's node. */
const FREEZE_MS = 12_000
const RESTARTED = [
  'facilitator-1',
  'facilitator-2',
  'platform-1',
  'platform-2',
  'agent-1',
  'agent-2',
  'balancer-1',
]

/** Each part is killed, restarted and failed over, in this order. The balancer is the only one without a second. */
export const STRIKES: readonly Strike[] = [
  ...['facilitator-1', 'platform-1', 'agent-1', 'balancer-1'].map(killed),
  ...['pgbouncer', 'database-haproxy', 'etcd'].map(killed),
  away('kill -9 a Sentinel', 'other', (_, { redis }) => redis.restartSentinel()),
  databaseFailsOver('server', 'kill -9 the primary of PostgreSQL'),
  away('kill -9 the standby of PostgreSQL', 'postgres', async (_, { cluster }) => {
    await cluster.killStandby()
    await cluster.restore()
  }),
  away('kill -9 the primary of Redis', 'redis', (_, { redis }) => killPrimary(redis, '')),
  away('kill -9 the replica of Redis', 'redis', (_, { redis }) => redis.restartReplica()),
  ...RESTARTED.map(restarted),
  databaseFailsOver('machine', 'kill -9 the primary of PostgreSQL and its Patroni'),
  ...['facilitator-2', 'platform-2', 'agent-2'].map(killed),
  nodeStandsStill(),
  databaseFailsOver('stopped', 'SIGTERM to the primary of PostgreSQL'),
]

/** One of each kind, for a short run. */
const FEW = [
  'kill -9 platform-1',
  'kill -9 agent-1',
  'kill -9 the primary of PostgreSQL',
  'kill -9 the primary of Redis',
  'restart of facilitator-2',
]
export const FEW_STRIKES = STRIKES.filter(({ name }) => FEW.includes(name))

/** SIGKILL; the engine starts it again at once. */
function killed(part: string): Strike {
  return { name: `kill -9 ${part}`, act: stage => endPart(stage, part, ({ pid }) => killFamily(pid)) }
}

/** Stopped as the engine stops it, and started again. */
function restarted(part: string): Strike {
  return {
    name: `restart of ${part}`,
    async act(stage) {
      let exit: ChildExit | undefined
      await endPart(stage, part, async life => {
        await life.stop()
        exit = await life.exited
      })
      // Balancers have connections that outlast their time.
      if (exit === undefined || exit.code === 0 || part === 'balancer-1') return undefined
      return `${part} ended with ${exit.code ?? exit.signal}: ${exit.lastLines.split('\n').slice(-2).join(' | ')}`
    },
  }
}

/** Until the other server takes writes, and the first is its standby. */
function databaseFailsOver(victim: Parameters<Outside['cluster']['killPrimary']>[0], name: string): Strike {
  return away(name, 'postgres', async (_, { cluster }) => {
    await cluster.killPrimary(victim)
    await cluster.restore()
  })
}

/** The chain would lose its last blocks with its node: it stands still for a while instead. */
function nodeStandsStill(): Strike {
  return away(
    `SIGSTOP to the node of the chain for ${FREEZE_MS / 1_000} s`,
    'other',
    async ({ chain, signal }) => {
      const thaw = await freezeFamily(chain.pid)
      await delay(FREEZE_MS, undefined, { signal }).catch(() => undefined)
      thaw()
    },
  )
}

/** Does something to what runs outside of the containers; the audit learns when that was. */
function away(
  name: string,
  kind: ManagedKind,
  work: (stage: Stage, outside: Outside) => Promise<void>,
): Strike {
  return {
    name,
    async act(stage, outside) {
      const atMs = Date.now()
      try {
        await work(stage, outside)
      } finally {
        stage.eventLog.outages.push({ kind, name, pid: 0, atMs, untilMs: Date.now() })
      }
      return undefined
    },
  }
}

/** Ends a part and starts it again; the audit learns when it was away. */
async function endPart(
  { victims, eventLog }: Stage,
  name: string,
  end: (life: Life) => Promise<void>,
): Promise<undefined> {
  // It may be on its way back.
  const { victim, life } = await until(() => {
    const found = victims.find(one => one.name === name)
    const life = found?.pid() === undefined ? undefined : found.take()
    return found && life && { victim: found, life }
  })
  const [{ kind }, { pid }, atMs] = [victim, life, Date.now()]
  try {
    await end(life)
    await life.stop()
    await victim.start()
  } finally {
    eventLog.outages.push({ kind, name, pid, atMs, untilMs: Date.now() })
  }
}
