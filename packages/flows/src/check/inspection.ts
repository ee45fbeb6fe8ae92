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
 * One check of a flow: what its parts share. A flow from outside may be made to take minutes, so that whatever is in
 * proportion to more than its size is taken from one budget. What is wrong and what would mend it have one each: many
 * guesses do not make the judgement worse.
 */
export interface Inspection {
  readonly graph: Graph
  readonly gradeTypes: GradeTypes
  /** The fault of a value for an input; undefined: none. */
  judgeValue(port: InputPort, value: JsonValue): Violation | undefined
  readonly guesses: Guesses
}

/** Helps to find what was meant. All of it is left out once the budget is spent. */
export interface Guesses {
  readonly gradeTypes: GradeTypes
  /** A value that the input takes, as long as it is short enough for people. */
  sampleOf(port: InputPort): JsonValue | undefined
  /** The name that was probably meant. */
  nearest(word: string, known: readonly string[]): string | undefined
  /** A name by which names are compared: capitals and separators aside. */
  plain(name: string): string
  /** Takes steps of the budget; false: it is spent. */
  take(steps: number): boolean
}

/** Half of what is there for the judgement, and a third of its patterns. */
const GUESSES = { steps: 4_000_000, instructions: 30_000 }
const MAX_SAMPLE_CHARACTERS = 10_000

/** An inspection of which nothing is spent. */
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
      // Each is compared letter by letter.
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
