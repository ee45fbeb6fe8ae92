import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import { freezeFamily, killFamily } from '../storms/stage/process-family.ts'
import { HANG_MS, type ManagedProcess } from '../storms/stage/managed-process.ts'
import type { Stage } from '../storms/stage/stage.ts'
import type { Outside } from './deploy.ts'

/** Something that is done to one part while jobs are under way; resolves to what was wrong with it. */
export interface Strike {
  readonly name: string
  act(stage: Stage, outside: Outside): Promise<string | undefined>
}

/** Longer than the platform and our client take to call the chain's node away. */
const FREEZE_MS = 12_000
const KILLED = [
  'facilitator',
  'platform',
  'agent',
  'balancer',
  'pgbouncer',
  'database-haproxy',
  'etcd',
  'sentinel',
] as const
const STOPPED = ['facilitator', 'platform', 'agent', 'balancer'] as const

/** Each part is killed, restarted and failed over, in this order. The balancer is the only one without a second. */
export const STRIKES: readonly Strike[] = [
  ...KILLED.map(part =>
    killed(part === 'facilitator' || part === 'platform' || part === 'agent' ? `${part}-1` : nameOf(part)),
  ),
  failedOver('server'),
  redisFailedOver(),
  ...STOPPED.flatMap(part =>
    part === 'balancer' ? [stopped('balancer-1')] : [stopped(`${part}-1`), stopped(`${part}-2`)],
  ),
  failedOver('machine'),
  killed('facilitator-2'),
  killed('platform-2'),
  killed('agent-2'),
  frozenNode(),
  failedOver('stopped'),
]

/** One of each kind, for a short run. */
export const FEW_STRIKES: readonly Strike[] = [
  killed('agent-1'),
  stopped('facilitator-2'),
  killed('platform-1'),
  failedOver('server'),
  redisFailedOver(),
]

function nameOf(part: string): string {
  return part === 'balancer' || part === 'sentinel' ? `${part}-1` : part
}

/** SIGKILL; its engine starts it again at once. */
function killed(name: string): Strike {
  return {
    name: `kill -9 ${name}`,
    async act(stage) {
      await down(stage, name, async pid => await killFamily(pid))
      return undefined
    },
  }
}

/** As an engine stops a container for a restart. */
function stopped(name: string): Strike {
  const signal = name.startsWith('balancer') ? 'SIGUSR1' : 'SIGTERM'
  return {
    name: `${signal} ${name}`,
    async act(stage) {
      let wrong: string | undefined
      await down(stage, name, async (pid, exited) => {
        const hang = setTimeout(() => void killFamily(pid), HANG_MS)
        process.kill(pid, signal)
        const exit = await exited
        clearTimeout(hang)
        if (exit !== undefined && exit.code !== 0 && signal === 'SIGTERM')
          wrong = `${name} ended with ${exit.code ?? exit.signal}: ${exit.lastLines.split('\n').slice(-2).join(' | ')}`
      })
      return wrong
    },
  }
}

/** The primary of the ledger's database. */
function failedOver(victim: Parameters<Outside['cluster']['killPrimary']>[0]): Strike {
  const what = {
    server: 'kill -9 the primary server',
    machine: 'kill -9 the primary and its Patroni',
    stopped: 'SIGTERM to the primary’s Patroni',
  }
  return {
    name: what[victim],
    async act({ eventLog }, { cluster }) {
      const atMs = Date.now()
      await cluster.killPrimary(victim)
      eventLog.outages.push({ kind: 'postgres', name: 'primary', pid: 0, atMs, untilMs: Date.now() })
      await cluster.restore()
      return undefined
    },
  }
}

/** The Sentinels have another primary before the first one is back. */
function redisFailedOver(): Strike {
  return {
    name: 'kill -9 the primary of Redis',
    async act(stage, { redis }) {
      const { name, url } = await redis.findPrimary()
      await down(stage, name, async pid => {
        await killFamily(pid)
        await until(async () => (await redis.findPrimary()).url !== url)
      })
      return undefined
    },
  }
}

/** The chain would lose its last blocks with its node: it is stopped for a while instead. */
function frozenNode(): Strike {
  return {
    name: `the chain's node frozen for ${FREEZE_MS / 1_000} s`,
    async act({ chain, eventLog, signal }) {
      const atMs = Date.now()
      const thaw = await freezeFamily(chain.pid)
      await delay(FREEZE_MS, undefined, { signal }).catch(() => undefined)
      thaw()
      eventLog.outages.push({ kind: 'other', name: 'node', pid: chain.pid, atMs, untilMs: Date.now() })
      return undefined
    },
  }
}

type Exited = NonNullable<ReturnType<ManagedProcess['take']>>['exited']

/** Ends a part and starts it again. */
async function down(
  { victims, eventLog }: Stage,
  name: string,
  end: (pid: number, exited: Exited) => Promise<void>,
): Promise<void> {
  const victim = victims.find(one => one.name === name)
  // It may be on its way back.
  const pid = await until(() => victim?.pid())
  const life = victim?.take()
  const atMs = Date.now()
  try {
    await end(pid, life?.exited)
    await life?.stop()
    await victim?.start()
  } finally {
    const kind = victim?.kind ?? 'other'
    eventLog.outages.push({ kind, name, pid, atMs, untilMs: Date.now() })
  }
}
