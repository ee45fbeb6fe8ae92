import type { Battery, BatteryRun, BatteryResult } from '../battery.ts'
import { createRandom } from '../simulator/seeded-random.ts'
import { duplicateStorm } from './duplicate-storm.ts'
import { freezeStorm } from './freeze-storm.ts'
import { killStorm } from './kill-storm.ts'
import { replayStorm } from './replay-storm.ts'
import { shutdownStorm } from './shutdown-storm.ts'
import { STORM_SIZES, type StormSize } from './sizes.ts'
import { setStormStage } from './stage/storm-stage.ts'
import type { StormResult, StormRun } from './storm-run.ts'

/** The storms, in the order they are played. */
export const STORMS: { readonly [name: string]: (run: StormRun) => Promise<StormResult> } = {
  duplicate: duplicateStorm,
  replay: replayStorm,
  kill: killStorm,
  freeze: freezeStorm,
  shutdown: shutdownStorm,
}

/** More of them say nothing new. */
const MOST_FINDINGS = 100

/** Which storms, and how much of them. */
export interface StormsRun extends Omit<BatteryRun, 'size'> {
  readonly size: StormSize
  readonly only: readonly string[]
  /** Leaves folder and logs of the stage behind, and is told where. */
  readonly onKept?: ((folder: string) => void) | undefined
}

/** Plays storms on a stage of their own, and ends everything it started, whatever happens. */
export async function playStorms(run: StormsRun): Promise<BatteryResult> {
  const { size, seed, only, signal, progress, onKept } = run
  progress({ doing: 'setting the stage', done: 0, of: 1 })
  const stage = await setStormStage({ signal, keep: onKept !== undefined })
  onKept?.(stage.folder)
  // Nobody waits for answers any more, then.
  signal.addEventListener('abort', () => void Promise.all(stage.agents.map(agent => agent.hangUp())))
  const results: StormResult[] = []
  try {
    for (const name of only) {
      const storm = STORMS[name]
      if (storm === undefined) throw new TypeError(`no storm is called ${name}`)
      if (signal.aborted) break
      const random = createRandom(seed).fork(name)
      const result = await storm({ stage, size, seed, random, signal, progress })
      // A storm that was cut short has nothing to say: what was under way looks lost.
      if (!signal.aborted) results.push(result)
    }
  } finally {
    await stage.strike()
  }
  return {
    scores: results.flatMap(({ scores }) => scores),
    findings: [...results.flatMap(({ findings }) => findings), ...stage.eventLog.mishaps].slice(
      0,
      MOST_FINDINGS,
    ),
  }
}

/** Real processes under duplicates, replays, kill -9, SIGSTOP and SIGTERM. */
export const storms: Battery = {
  name: 'storms',
  does: 'four agents, two facilitators, their stores and a chain: duplicates, replays, kill -9, SIGSTOP, SIGTERM',
  run: ({ size, ...run }) =>
    playStorms({
      ...run,
      size: STORM_SIZES[size],
      only: Object.keys(STORMS).filter(name => name !== 'freeze' || STORM_SIZES[size].freezes > 0),
    }),
}
