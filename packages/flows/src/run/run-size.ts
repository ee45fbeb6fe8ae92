import { MAX_RUN_CHARACTERS, MAX_UNORDERED_CHARACTERS } from '../document/flow-limits.ts'
import type { Run, StepState } from './run-state.ts'

/** What the values of a run may come to, and what becomes of a step for which there is no more room. */
export interface RunRoom {
  /** Characters that are left; negative where it has more than it may. */
  readonly characters: number
  /** Nothing is sent for such a step, and nothing behind it begins. */
  readonly refusal: StepState
}

/**
 * How much room a run has left. Free steps can make many characters of few: until something was ordered, a run may have
 * what it was given twice, and half a MiB.
 */
export function roomIn(run: Run): RunRoom {
  const most = mostOf(run)
  return {
    characters: most - lengthOf(run.steps, most),
    refusal: { state: 'failed', reason: most < MAX_RUN_CHARACTERS ? UNORDERED : ORDERED },
  }
}

/** How many characters the values of a step's state have as JSON. Stops counting beyond `most`. */
export function sizeOfState(state: StepState, most: number): number {
  return lengthOf(state, most)
}

const ORDERED = `does not fit: a run has at most ${MAX_RUN_CHARACTERS / 1_048_576} MiB of values`
const UNORDERED =
  'does not fit: until a job of it is ordered, a run has at most twice the size of its flow and input, and 512 KiB, of values'

function mostOf({ flow, input, payments }: Run): number {
  const wasOrdered = Object.values(payments)
    .flat()
    .some(({ state }) => state === 'sent' || state === 'paid' || state === 'dead')
  if (wasOrdered) return MAX_RUN_CHARACTERS
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
