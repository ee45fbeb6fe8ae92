import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Random } from '../simulator/seeded-random.ts'
import { HANG_MS, type ManagedKind, type ManagedProcess } from './stage/managed-process.ts'
import { freezeFamily, killFamily } from './stage/process-family.ts'
import type { Stage } from './stage/stage.ts'

/** An action on processes under a steady load of paid jobs. */
export interface Wave {
  /** The name for `--only`. */
  readonly name: 'kill' | 'redis' | 'freeze' | 'stop'
  readonly signal: string
  /** Each as often as it is listed: there are more agents than databases. */
  readonly victims: readonly ManagedKind[]
  /** The average pause between two strikes. */
  readonly everyMs: number
  /** The maximum number of processes struck at the same time. */
  readonly atOnce: number
  /** Resolves once the process is back, to the violations. */
  strike(stage: Stage, victim: ManagedProcess, pid: number, random: Random): Promise<string | undefined>
}

const ALL = ['agent', 'agent', 'agent', 'agent', 'facilitator', 'facilitator', 'postgres', 'redis'] as const

/** How long each is suspended, in milliseconds: longer than others wait for it, and shorter. */
const SPANS: { readonly [kind in ManagedKind]: readonly [least: number, most: number] } = {
  // A lease is ten seconds: another replica has the jobs by then.
  agent: [9_000, 14_000],
  // The relayer's lease is four seconds.
  facilitator: [3_000, 8_000],
  // A query is abandoned after ten seconds.
  postgres: [1_000, 12_000],
  // A command is abandoned after one second, and executed nevertheless.
  redis: [500, 4_000],
  // No storm freezes one.
  other: [1_000, 4_000],
}

// S5, S6, S7: in the end money moved = jobs completed, and every answer was true.
const KILL: Wave = {
  name: 'kill',
  signal: 'kill -9',
  victims: ALL,
  everyMs: 900,
  atOnce: Infinity,
  async strike({ eventLog }, { kind, name, take, start }, pid) {
    const life = take()
    const atMs = Date.now()
    try {
      await killFamily(pid)
      await life?.stop()
      await start()
    } finally {
      // A store that is down stores nothing until it is back.
      eventLog.outages.push({ kind, name, pid, atMs, untilMs: Date.now() })
    }
    return undefined
  },
}

/** In the order they run. */
export const WAVES: readonly Wave[] = [
  KILL,
  // D25: the same with Redis as a cluster, or behind Sentinels, while primaries are killed and slots moved.
  { ...KILL, name: 'redis', victims: ['agent', 'agent', 'facilitator', 'postgres'], everyMs: 3_000 },
  {
    // Processes that count as dead and resume in the middle of their work (D6: fences; D8: abandoned requests may have
    // been executed).
    name: 'freeze',
    signal: 'SIGSTOP',
    victims: ALL,
    everyMs: 2_500,
    // Some are resumed.
    atOnce: 3,
    async strike({ eventLog, signal }, { kind, name }, pid, random) {
      const atMs = Date.now()
      const thaw = await freezeFamily(pid)
      await delay(random.between(...SPANS[kind]), undefined, { signal }).catch(() => undefined)
      eventLog.outages.push({ kind, name, pid, atMs, untilMs: Date.now() })
      thaw()
      return undefined
    },
  },
  {
    // S12, D32: under callers that keep their connections, no accepted request is dropped.
    name: 'stop',
    signal: 'SIGTERM',
    victims: ['agent'],
    everyMs: 300,
    atOnce: 1,
    async strike(_, { name, take, start }, pid) {
      const life = take()
      const hang = setTimeout(() => void killFamily(pid), HANG_MS)
      process.kill(pid, 'SIGTERM')
      const exit = await life?.exited
      clearTimeout(hang)
      await start()
      if (exit === undefined || exit.code === 0) return undefined
      return `${name} ended with ${exit.code}: ${exit.lastLines.split('\n').slice(-2).join(' | ')}`
    },
  },
]

/** Strikes one process after the other at random moments. Resolves once all are back, to the violations. */
export async function strikeAtRandom(
  stage: Stage,
  { victims, everyMs, atOnce, strike }: Wave,
  count: number,
  random: Random,
  tell: (done: number) => void,
): Promise<readonly string[]> {
  const findings: string[] = []
  const struck = new Map<ManagedProcess, Promise<void>>()
  // Each kind as often as it is listed, before any is repeated.
  let left: readonly ManagedKind[] = []
  for (let index = 0; index < count; index += 1) {
    if (left.length === 0) left = victims
    const victimKind = random.pick(left)
    left = left.toSpliced(left.indexOf(victimKind), 1)
    await delay(random.between(0, 2 * everyMs))
    while (struck.size >= atOnce) await Promise.race(struck.values())
    // The last one of its kind may be restarting.
    const { victim, pid } = await until(() => {
      const up = stage.victims.filter(one => one.kind === victimKind && one.pid() !== undefined)
      const free = up.filter(one => !struck.has(one))
      const picked = free.length > 0 ? random.pick(free) : undefined
      const pid = picked?.pid()
      return picked && pid && { victim: picked, pid }
    })
    if (stage.signal.aborted) break
    const back = strike(stage, victim, pid, random)
      .catch((error: unknown) => `${victim.name} does not come back: ${String(error)}`)
      .then(finding => {
        if (finding !== undefined) findings.push(finding)
        struck.delete(victim)
      })
    struck.set(victim, back)
    tell(index + 1)
  }
  await Promise.all(struck.values())
  return findings
}
