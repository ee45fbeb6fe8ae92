import type { BatteryProgress, Score } from '../battery.ts'
import type { Random } from '../simulator/seeded-random.ts'
import type { StormSize } from './sizes.ts'
import type { StormStage } from './stage/storm-stage.ts'

/** One storm on a stage. */
export interface StormRun {
  readonly stage: StormStage
  readonly size: StormSize
  readonly seed: number
  readonly random: Random
  readonly signal: AbortSignal
  progress(progress: BatteryProgress): void
}

/** What came of it. */
export interface StormResult {
  readonly scores: readonly Score[]
  readonly findings: readonly string[]
}

/** 10000 as `10,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** What plays a storm again: `fire/src/storms/main.ts` takes these words. */
export function replayArguments({ size }: Pick<StormRun, 'size'>, storm: string, seed: number): string {
  const counts: { readonly [storm: string]: string } = {
    kill: ` --kills ${size.killsPerWave}`,
    freeze: ` --freezes ${size.freezes}`,
    shutdown: ` --shutdowns ${size.shutdowns}`,
  }
  return `(--size ${size.name} --only ${storm} --seed ${seed}${counts[storm] ?? ''})`
}
