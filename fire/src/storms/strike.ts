import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../simulator/seeded-random.ts'
import { HANG_MS, type ManagedKind, type ManagedProcess } from './stage/managed-process.ts'
import type { Stage } from './stage/stage.ts'

const LOOK_EVERY_MS = 20

/** How strikes are shared out where all kinds are victims: there are more agents than databases. */
const SHARES: { readonly [kind in ManagedKind]: number } = {
  agent: 0.5,
  facilitator: 0.24,
  postgres: 0.13,
  redis: 0.13,
}

/** What is done to a process: resolves once it is back. */
export type Strike = (victim: ManagedProcess, pid: number, random: Random) => Promise<void>

/** How victims are struck. */
export interface Striking {
  readonly strike: Strike
  /** Between two strikes, on average. */
  readonly everyMs: number
  /** Processes struck at the same time, at most. */
  readonly atOnce: number
  readonly random: Random
  readonly signal: AbortSignal
  readonly onStrike: (done: number) => void
}

/**
 * Strikes one process after the other at random moments. Resolves once all are back; rejects where one does not come
 * back.
 */
export async function strikeAtRandom(
  stage: Stage,
  victims: readonly ManagedKind[],
  { strike, everyMs, atOnce, random, signal, onStrike }: Striking,
): Promise<void> {
  const struck = new Map<ManagedProcess, Promise<void>>()
  let broken: Error | undefined
  for (const [index, kind] of victims.entries()) {
    await delay(random.between(0, 2 * everyMs))
    while (struck.size >= atOnce) await Promise.race(struck.values())
    const { victim, pid } = await findVictim(stage, kind, random, struck)
    if (signal.aborted || broken !== undefined) break
    const back = strike(victim, pid, random)
      .catch((error: unknown) => {
        broken ??= error instanceof Error ? error : new Error(String(error))
      })
      .then(() => void struck.delete(victim))
    struck.set(victim, back)
    onStrike(index + 1)
  }
  await Promise.all(struck.values())
  if (broken !== undefined) throw broken
}

/** One of this kind that is up and not struck; the last one may be on its way back. */
async function findVictim(
  stage: Stage,
  kind: ManagedKind,
  random: Random,
  struck: ReadonlyMap<ManagedProcess, unknown>,
): Promise<{ readonly victim: ManagedProcess; readonly pid: number }> {
  const all: readonly ManagedProcess[] = [...stage.agents, ...stage.facilitators, stage.postgres, stage.redis]
  for (let waitedMs = 0; waitedMs < HANG_MS; waitedMs += LOOK_EVERY_MS) {
    const up = all.filter(one => one.kind === kind && one.pid !== undefined && !struck.has(one))
    const victim = up.length > 0 ? random.pick(up) : undefined
    if (victim?.pid !== undefined) return { victim, pid: victim.pid }
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`no ${kind} has come back`)
}

/** Which kinds to strike, in order: each by its share and at least once, shuffled. */
export function scheduleStrikes(
  count: number,
  kinds: readonly ManagedKind[],
  random: Random,
): readonly ManagedKind[] {
  const [most, ...others] = kinds
  if (most === undefined) return []
  const whole = kinds.reduce((sum, kind) => sum + SHARES[kind], 0)
  const rest = others.flatMap(kind =>
    Array.from({ length: Math.max(1, Math.round((SHARES[kind] / whole) * count)) }, () => kind),
  )
  const first = Array.from({ length: Math.max(0, count - rest.length) }, () => most)
  return [...rest, ...first]
    .slice(0, count)
    .map(kind => ({ kind, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ kind }) => kind)
}
