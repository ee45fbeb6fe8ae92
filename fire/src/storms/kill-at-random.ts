import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../simulator/seeded-random.ts'
import type { ManagedProcess, ManagedKind } from './stage/managed-process.ts'
import type { StormStage } from './stage/storm-stage.ts'

const LOOK_EVERY_MS = 20
/** A victim comes back within this, or the stage is broken. */
const VICTIM_BACK_MS = 60_000

/**
 * Kills one process after the other by SIGKILL, at random moments, and starts each again at once, beside the kills that
 * follow. Resolves once all are back; rejects where one does not come back.
 */
export async function killAtRandom(
  stage: StormStage,
  victims: readonly ManagedKind[],
  options: {
    readonly random: Random
    /** Between two kills, on average. */
    readonly everyMs: number
    /** How long the killed stay down, at most. */
    readonly downMs: number
    readonly signal: AbortSignal
    readonly onKill: (done: number) => void
  },
): Promise<void> {
  const { random, everyMs, downMs, signal, onKill } = options
  const returning: Promise<void>[] = []
  let broken: unknown
  for (const [index, kind] of victims.entries()) {
    if (signal.aborted || broken !== undefined) break
    await delay(random.between(0, 2 * everyMs))
    const victim = await findVictim(stage, kind, random)
    const { pid } = victim
    if (pid === undefined) throw new Error(`${victim.name} was gone before it was killed`)
    stage.eventLog.killed({ kind, name: victim.name, pid, atMs: Date.now() })
    await victim.kill()
    const back = delay(random.between(0, downMs)).then(() => victim.start())
    // Told where all are waited for.
    back.catch((error: unknown) => {
      broken = error
    })
    returning.push(back)
    onKill(index + 1)
  }
  await Promise.all(returning)
}

/** One of this kind that is up; the last one may be on its way back. */
async function findVictim(stage: StormStage, kind: ManagedKind, random: Random): Promise<ManagedProcess> {
  const all: readonly ManagedProcess[] = [...stage.agents, ...stage.facilitators, stage.postgres, stage.redis]
  for (let waitedMs = 0; waitedMs < VICTIM_BACK_MS; waitedMs += LOOK_EVERY_MS) {
    const up = all.filter(managed => managed.kind === kind && managed.pid !== undefined)
    if (up.length > 0) return random.pick(up)
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`no ${kind} has come back within ${VICTIM_BACK_MS / 1_000} s`)
}
