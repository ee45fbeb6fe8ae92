import { MAX_RUN_CHARACTERS, MAX_UNORDERED_CHARACTERS } from '../document/flow-limits.ts'
import type { Run, StepState } from './run-state.ts'

/** How many characters of values a run may still take; negative where it has more than it may. */
export interface RunRoom {
  /** For what free steps make: they can make many characters of few, so until something was ordered it is bounded by what
   * the run was given. */
  readonly free: number
  /** For what jobs are asked, and for all once a job was ordered. */
  readonly whole: number
}

/**
 * The room that a run has left.
 *
 * @param isPaid payments for it are at hand and follow at once
 */
export function roomIn(run: Run, isPaid = false): RunRoom {
  const used = lengthOf(run.steps, MAX_RUN_CHARACTERS)
  const payments = Object.values(run.payments).flat()
  // One that was sent and then wiped stays in the list: the room never shrinks again.
  const wasOrdered = payments.some(({ state }) => state !== 'ready')
  const bound = wasOrdered ? MAX_RUN_CHARACTERS : boundOfGiven(run)
  // A payment was checked against its payer's balance, so its job may have inputs up to the bound of a run.
  return { free: bound - used, whole: (isPaid || payments.length > 0 ? MAX_RUN_CHARACTERS : bound) - used }
}

/** How many characters the values of a step's state have as JSON. Stops counting beyond `most`. */
export function sizeOfState(state: StepState, most: number): number {
  return lengthOf(state, most)
}

/** The state of a step for which the run has no room: nothing is sent for it, and nothing behind it begins. */
export const TOO_LARGE_STATE: StepState = {
  state: 'failed',
  reason: `does not fit: a run has at most ${MAX_RUN_CHARACTERS / 1_048_576} MiB of values, and until a job of it is ordered twice what it was given`,
}

function boundOfGiven({ flow, input }: Run): number {
  const given = lengthOf(flow, MAX_RUN_CHARACTERS) + lengthOf(input, MAX_RUN_CHARACTERS)
  return Math.min(MAX_RUN_CHARACTERS, MAX_UNORDERED_CHARACTERS + 2 * given)
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
