import { MAX_RUN_CHARACTERS } from '../document/flow-limits.ts'
import type { Run, StepState } from './run-state.ts'

/** How many characters of values a run may still take; negative where it has more than it may. */
export function roomIn(run: Pick<Run, 'steps'>): number {
  return MAX_RUN_CHARACTERS - lengthOf(run.steps, MAX_RUN_CHARACTERS)
}

/** How many characters the values of a step's state have as JSON. Stops counting beyond `most`. */
export function sizeOfState(state: StepState, most: number): number {
  return lengthOf(state, most)
}

/** What becomes of a step whose values the run has no room for: nothing is sent for it, and nothing behind it begins. */
export const TOO_LARGE_STATE: StepState = {
  state: 'failed',
  reason: `does not fit: a run has at most ${MAX_RUN_CHARACTERS / 1_048_576} MiB of values`,
}

/** Exact for texts, where escapes make six characters of one. */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length > most ? value.length : JSON.stringify(value).length
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null).length
  let length = 2
  for (const [name, property] of Object.entries(value)) {
    length += (Array.isArray(value) ? 1 : name.length + 4) + lengthOf(property, most - length)
    if (length > most) break
  }
  return length
}
