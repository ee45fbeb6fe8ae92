import type { Build } from '../stage/build.ts'
import type { Stage } from '../stage/stage.ts'

/** One measurement. */
export interface Bench {
  /** For `--only`. */
  readonly name: string
  /** Takes so long that it only runs when it is named. */
  readonly isLong?: boolean
  /** Sets up its own scene, checks that every contender does the real work, and measures. Rejects if a check fails. */
  run(stage: Stage): Promise<readonly Row[]>
  /** Measures the current build and an older one in turns. Absent: this bench cannot. */
  against?(stage: Stage, older: Build): Promise<readonly Row[]>
}

/** One line of the table. */
export interface Row {
  readonly what: string
  /** In docs/speed.svg, which shows the lines that have one: `a paid job`. The ratio is then how many times as fast ours is. */
  readonly short?: string
  /** With its unit: `4,210/s`. */
  readonly ours: string
  /** The name of the peer, and its figure; absent if there is none. */
  readonly peer?: { readonly name: string; readonly figure: string }
  /** Ours against the peer's; whether larger or smaller is better depends on the goal. */
  readonly ratio?: number
  /** The range of the middle half of the rounds, if rounds were compared one by one. */
  readonly spread?: { readonly low: number; readonly high: number }
  /** From the design's table of speeds; absent in a line that only informs. */
  readonly goal?: Goal | undefined
  /** Further observations, a line each. */
  readonly notes?: readonly string[]
}

/** Our own limit. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** Whether the goal is met. */
export function reaches(ratio: number, goal: Goal): boolean {
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
}
