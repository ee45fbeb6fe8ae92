import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Random } from '../simulator/seeded-random.ts'
import { HANG_MS, type ManagedKind, type ManagedProcess } from './stage/managed-process.ts'
import { freezeFamily, killFamily } from './stage/process-family.ts'
import type { Stage } from './stage/stage.ts'

/** What is done to processes under a steady load of paid jobs. */
export interface Wave {
  /** As `--only` takes it. */
  readonly name: 'kill' | 'redis' | 'freeze' | 'stop'
  readonly signal: string
  /** Each as often as it is named: there are more agents than databases. */
  readonly victims: readonly ManagedKind[]
  /** Between two strikes, on average. */
  readonly everyMs: number
  /** Processes struck at the same time, at most. */
  readonly atOnce: number
  /** Resolves once the process is back, to what was wrong with it. */
  strike(stage: Stage, victim: ManagedProcess, pid: number, random: Random): Promise<string | undefined>
}

const ALL = ['agent', 'agent', 'agent', 'agent', 'facilitator', 'facilitator', 'postgres', 'redis'] as const

/** How long each stands still, in milliseconds: past what others wait for it, and short of it. */
const SPANS: { readonly [kind in ManagedKind]: readonly [least: number, most: number] } = {
  // A lease is ten seconds: another replica has the jobs by then.
  agent: [9_000, 14_000],
  // The relayer's lease is four.
  facilitator: [3_000, 8_000],
  // A query is given up after ten.
  postgres: [1_000, 12_000],
  // A command is given up after one, and done all the same.
  redis: [500, 4_000],
  // No storm freezes one.
  other: [1_000, 4_000],
}

// S5, S6, S7: in the end money moved = jobs completed, and every caller was answered truly.
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
      // A store that is away keeps nothing, until it is back.
      eventLog.outages.push({ kind, name, pid, atMs, untilMs: Date.now() })
    }
    return undefined
  },
}

/** In the order they are played. */
export const WAVES: readonly Wave[] = [
  KILL,
  // D25: the same where Redis is a cluster, or behind Sentinels, while primaries are killed and slots moved.
  { ...KILL, name: 'redis', victims: ['agent', 'agent', 'facilitator', 'postgres'], everyMs: 3_000 },
  {
    // Processes that count as dead and come back in the middle of their work (D6: fences; D8: what was given up may
    // have been done).
    name: 'freeze',
    signal: 'SIGSTOP',
    victims: ALL,
    everyMs: 2_500,
    // Some are left to go on.
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
    // S12, D32: under callers that keep their connections, nothing accepted is dropped.
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

/** Strikes one process after the other at random moments. Resolves once all are back, to what was wrong. */
export async function strikeAtRandom(
  stage: Stage,
  { victims, everyMs, atOnce, strike }: Wave,
  count: number,
  random: Random,
  tell: (done: number) => void,
): Promise<readonly string[]> {
  const findings: string[] = []
  const struck = new Map<ManagedProcess, Promise<void>>()
  // Each kind as often as it is named, before any comes again.
  let left: readonly ManagedKind[] = []
  for (let index = 0; index < count; index += 1) {
    if (left.length === 0) left = victims
    const victimKind = random.pick(left)
    left = left.toSpliced(left.indexOf(victimKind), 1)
    await delay(random.between(0, 2 * everyMs))
    while (struck.size >= atOnce) await Promise.race(struck.values())
    // The last one of its kind may be on its way back.
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
