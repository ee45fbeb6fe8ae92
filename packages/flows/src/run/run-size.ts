import { MAX_RUN_CHARACTERS, MAX_UNORDERED_CHARACTERS } from '../document/flow-limits.ts'
import type { Run, StepState } from './run-state.ts'

/** How many more characters of values a run may hold; negative when it exceeds its limit. */
export interface RunRoom {
  /**
   * For outputs of free steps: they can create many characters from few, so until a job was ordered the limit depends on
   * the size of the run's flow and input.
   */
  readonly free: number
  /** For inputs of jobs, and for all values once a job was ordered. */
  readonly whole: number
}

/**
 * The remaining size of a run.
 *
 * @param isPaid payments for it are available and follow at once
 */
export function roomIn(run: Run, isPaid = false): RunRoom {
  const used = lengthOf(run.steps, MAX_RUN_CHARACTERS)
  const payments = Object.values(run.payments).flat()
  // A payment that was sent and then deleted stays in the list: the limit never shrinks again.
  const wasOrdered = payments.some(({ state }) => state !== 'ready')
  const bound = wasOrdered ? MAX_RUN_CHARACTERS : boundOfGiven(run)
  // A payment was checked against its payer's balance, so its job may have inputs up to the limit of a run.
  return { free: bound - used, whole: (isPaid || payments.length > 0 ? MAX_RUN_CHARACTERS : bound) - used }
}

/** The length of the values of a step's state as JSON. Stops counting beyond `most`. */
export function sizeOfState(state: StepState, most: number): number {
  return lengthOf(state, most)
}

/** The state of a step that exceeds the size limit of the run: nothing is sent for it, and no step after it starts. */
export const TOO_LARGE_STATE: StepState = {
  state: 'failed',
  reason: `does not fit: a run has at most ${MAX_RUN_CHARACTERS / 1_048_576} MiB of values, and until a job of it is ordered twice what it was given`,
}

function boundOfGiven({ flow, input }: Run): number {
  const given = lengthOf(flow, MAX_RUN_CHARACTERS) + lengthOf(input, MAX_RUN_CHARACTERS)
  return Math.min(MAX_RUN_CHARACTERS, MAX_UNORDERED_CHARACTERS + 2 * given)
}

/** Exact for texts, in which an escape turns one character into six. */
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
