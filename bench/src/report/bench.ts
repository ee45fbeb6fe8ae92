import type { Build } from '../stage/build.ts'
import type { Stage } from '../stage/stage.ts'

/** One thing that is measured. */
export interface Bench {
  /** For `--only`. */
  readonly name: string
  /** Takes so long that it only runs when it is named. */
  readonly isLong?: boolean
  /** Sets its own scene, checks that everybody does the real work, measures. Rejects where anything is not as it should be. */
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
  /** Who the peer is, and its figure; absent where there is none. */
  readonly peer?: { readonly name: string; readonly figure: string }
  /** Ours against the peer's; the larger or the smaller the better, as the goal says. */
  readonly ratio?: number
  /** Between which the middle half of the rounds lies, where rounds were compared one by one. */
  readonly spread?: { readonly low: number; readonly high: number }
  /** From the design's table of speeds; absent in a line that only informs. */
  readonly goal?: Goal | undefined
  /** What else was seen, a line each. */
  readonly notes?: readonly string[]
}

/** What we hold ourselves to. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** Is the goal reached? */
export function reaches(ratio: number, goal: Goal): boolean {
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
}
