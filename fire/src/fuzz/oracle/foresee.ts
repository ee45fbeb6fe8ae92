import type { JsonValue } from 'farebox'
import type { BuiltRequest } from '../generate/build-request.ts'
import type { Recipe } from '../generate/recipe.ts'
import { behaviourOf, type Outcome } from '../handlers/behaviours.ts'
import { CANARY } from '../handlers/hostile-values.ts'
import { orderOf, refuse, type ExpectedAnswer } from './expected-answer.ts'
import { depthOf } from './read-body.ts'

/** The expected course of a request: its answer, and the calls on the way. */
export interface Foreseen {
  readonly statuses: readonly number[]
  readonly answer: ExpectedAnswer
  readonly handlerCalls: number
  readonly verifyCalls: number
  /** Minimum and maximum. */
  readonly settleCalls: readonly [number, number]
  /** Whether the clock must move before it is answered. */
  readonly takesTime: boolean
  /** The expected `output` in a 200; undefined: unknown. */
  readonly output: JsonValue | undefined
}

/** Predicts the course of a request (D7, D14, D20, D26). */
export function foresee(recipe: Recipe, built: BuiltRequest): Foreseen {
  const { expected } = built
  const isPaid = recipe.mode === 'paid'
  const isVerified = expected.check === undefined || orderOf(expected.check) >= orderOf('verify')
  const refused: Foreseen = {
    ...failing(expected),
    handlerCalls: 0,
    verifyCalls: isPaid && isVerified ? 1 : 0,
    settleCalls: [0, 0],
    takesTime: false,
    output: undefined,
  }
  if (expected.check !== undefined) return refused
  const outcome = behaviourOf(recipe.behaviour)[isPaid ? 'paid' : 'dev']
  const ran = { ...refused, handlerCalls: 1, takesTime: outcome === 'late' }
  if (outcome !== 'done') return { ...ran, ...afterHandler(outcome, recipe, built) }
  return { ...ran, output: recipe.output, ...(isPaid && afterSettle(recipe)) }
}

function afterHandler(
  outcome: Exclude<Outcome, 'done'>,
  recipe: Recipe,
  built: BuiltRequest,
): Partial<Foreseen> {
  if (typeof outcome === 'object') return failing({ check: 'handler', ...outcome })
  if (outcome === 'late') return failing({ ...refuse({ check: 'lateness' }), check: 'handler' })
  if (outcome === 'done or broken') return { statuses: [200, 500], settleCalls: [0, 1] }
  const output = outcome === 'as JSON' ? asJson(recipe, built) : undefined
  return output === undefined ? failing(refuse({ check: 'handler', error: 'Internal error' })) : { output }
}

function afterSettle({ settleFaults }: Recipe): Partial<Foreseen> {
  const [fault] = settleFaults
  if (fault === undefined) return { settleCalls: [1, 1] }
  if (fault === 'failed')
    return { ...failing(refuse({ check: 'settle' })), settleCalls: [1, 1], output: undefined }
  if (settleFaults.length === 1) return { settleCalls: [2, 2], takesTime: true }
  return { statuses: [503], settleCalls: [2, 20], takesTime: true, output: undefined }
}

function failing(answer: ExpectedAnswer): Pick<Foreseen, 'statuses' | 'answer'> {
  return { statuses: [answer.status], answer }
}

/** D39: an answer nests at most 64 deep, and its output is one level down. */
const DEEPEST_OUTPUT = 63

/** The JSON form of a handler's output, computed independently; undefined if JSON, or D39, does not allow it. */
function asJson({ behaviour, output }: Recipe, { input = {} }: BuiltRequest): JsonValue | undefined {
  const { signal } = new AbortController()
  const context = { signal, remainingMs: () => 1, log: () => undefined }
  try {
    const text: unknown = JSON.stringify(behaviourOf(behaviour).run({ output, input, context }))
    const value = typeof text === 'string' ? (JSON.parse(text) as JsonValue) : undefined
    return depthOf(value) > DEEPEST_OUTPUT ? undefined : value
  } catch {
    return undefined
  }
}

/** Stack frames, and paths of files. */
const INSIDE =
  /(?:\n|\\n)\s+at |\.[mc]?[tj]s:\d+|node_modules|node:internal|file:\/\/|TypeError|ReferenceError/

/** The internal data in an answer that its caller must never see; undefined if there is none. */
export function findLeak(text: string, mayQuoteHandler: boolean): string | undefined {
  if (!mayQuoteHandler && text.includes(CANARY)) return 'what a handler threw or returned came out'
  const [shown] = INSIDE.exec(text) ?? []
  return shown === undefined ? undefined : `something of the inside came out: ${shown}`
}
