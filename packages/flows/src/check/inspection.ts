import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { compileInput, type Violation } from '@farebox/protocol/fields/compile'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'
import { weighJson } from '../document/json-weight.ts'
import { plainName } from '../document/plain-name.ts'
import { createGrader, type GradeTypes } from '../graph/grade-wire.ts'
import type { Graph } from '../graph/graph.ts'
import type { InputPort } from '../graph/ports.ts'

/**
 * The shared state of one check of a flow. An external flow may be crafted to take minutes, so work that grows faster than
 * the flow's size is deducted from a budget. Finding errors and guessing repairs have separate budgets: expensive guesses do
 * not reduce the accuracy of the findings.
 */
export interface Inspection {
  readonly graph: Graph
  readonly gradeTypes: GradeTypes
  /** The violation of a value for an input; undefined when it is valid. */
  judgeValue(port: InputPort, value: JsonValue): Violation | undefined
  readonly guesses: Guesses
}

/** Helpers that guess the intended values and names. They return nothing once the budget is used up. */
export interface Guesses {
  readonly gradeTypes: GradeTypes
  /** A value that the input accepts, if it is short enough for people. */
  sampleOf(port: InputPort): JsonValue | undefined
  /** The known name that was probably intended. */
  nearest(word: string, known: readonly string[]): string | undefined
  /** The form in which names are compared: without capitals and separators. */
  plain(name: string): string
  /** Deducts steps from the budget; false when it is used up. */
  take(steps: number): boolean
}

/** Half of the budget for findings, and a third of its patterns. */
const GUESSES = { steps: 4_000_000, instructions: 30_000 }
const MAX_SAMPLE_CHARACTERS = 10_000

/** Starts an inspection with full budgets. */
export function startInspection(graph: Graph): Inspection {
  const budget = startCheckBudget()
  return {
    graph,
    gradeTypes: createGrader(budget),
    judgeValue({ name, type }, value) {
      if (type === 'any') return undefined
      const checked = compileInput({ [name]: { ...type, required: true } }, budget)({ [name]: value })
      return checked.ok ? undefined : checked.violation
    },
    guesses: createGuesses(),
  }
}

function createGuesses(): Guesses {
  const budget = startCheckBudget(GUESSES)
  const plainNames = new Map<string, string>()
  const take = (steps: number): boolean => {
    budget.stepsLeft -= steps
    return budget.stepsLeft >= 0
  }
  return {
    take,
    gradeTypes: createGrader(budget),
    sampleOf({ name, type }) {
      if (type === 'any') return ''
      const made = sample({ [name]: { ...type, required: true } }, 'input', budget)
      const value = made.ok ? made.value[name] : undefined
      return value !== undefined && weighJson(value, MAX_SAMPLE_CHARACTERS) <= MAX_SAMPLE_CHARACTERS
        ? value
        : undefined
    },
    nearest(word, known) {
      // Every known word is compared letter by letter.
      return take(known.reduce((sum, { length }) => sum + length, 0) * word.length)
        ? nearest(word, known)
        : undefined
    },
    plain(name) {
      const found = plainNames.get(name) ?? plainName(name)
      plainNames.set(name, found)
      return found
    },
  }
}
