import type { JsonValue } from 'farebox'
import type { BuiltRequest } from '../generate/build-request.ts'
import type { ExecuteRecipe } from '../generate/recipe.ts'
import { CANARY, type Outcome } from '../handlers/behaviour.ts'
import { behaviourOf } from '../handlers/behaviours.ts'
import type { ExpectedAnswer } from './expected-answer.ts'
import { ORDER_OF_CHECKS } from './order-of-checks.ts'

/** The whole course of a request, foreseen: its answer, and what is asked of whom on the way. */
export interface Foreseen {
  readonly statuses: readonly number[]
  readonly answer: ExpectedAnswer
  readonly handlerCalls: number
  readonly verifyCalls: number
  /** Least and most. */
  readonly settleCalls: readonly [number, number]
  /** Whether the clock must move before it is answered. */
  readonly takesTime: boolean
  /** What `output` must be in a 200; undefined: not known. */
  readonly output: JsonValue | undefined
}

/** Foresees a built request's course (D7, D14, D20, D26). */
export function foresee(recipe: ExecuteRecipe, built: BuiltRequest): Foreseen {
  const { expected } = built
  const isPaid = recipe.mode === 'paid'
  if (expected.check !== undefined) {
    const isVerified = isPaid && ORDER_OF_CHECKS[expected.check] >= ORDER_OF_CHECKS.verify
    return { ...nothing(expected), verifyCalls: isVerified ? 1 : 0 }
  }
  const behaviour = behaviourOf(recipe.behaviour)
  const ran = {
    ...nothing(expected),
    handlerCalls: 1,
    verifyCalls: isPaid ? 1 : 0,
    takesTime: behaviour.takesTime === true,
  }
  const outcome = isPaid ? behaviour.paid : behaviour.dev
  const over = afterHandler(outcome, recipe, built)
  if (over !== 'deliver') return { ...ran, ...over }
  const delivered = { ...ran, statuses: [200], output: built.output }
  return isPaid ? { ...delivered, ...afterSettle(recipe) } : delivered
}

function nothing(answer: ExpectedAnswer): Foreseen {
  return {
    statuses: [answer.status],
    answer,
    handlerCalls: 0,
    verifyCalls: 0,
    settleCalls: [0, 0],
    takesTime: false,
    output: undefined,
  }
}

type Changed = Partial<Foreseen>

function afterHandler(outcome: Outcome, recipe: ExecuteRecipe, built: BuiltRequest): Changed | 'deliver' {
  switch (outcome.kind) {
    case 'done':
      return 'deliver'
    case 'broken':
      return refused({ check: 'handler', status: 500, errorType: 'internal', error: 'Internal error' })
    case 'late':
      return refused({ check: 'handler', status: 408, errorType: 'deadline' })
    case 'told':
      return refused({
        check: 'handler',
        status: outcome.status,
        errorType: outcome.errorType,
        error: outcome.error,
      })
    case 'as JSON': {
      const output = asJson(recipe, built)
      return output === undefined
        ? refused({ check: 'output', status: 500, errorType: 'internal', error: 'Internal error' })
        : { statuses: [200], output }
    }
    case 'done or broken':
      return { statuses: [200, 500], settleCalls: [0, 1] }
  }
}

function refused(answer: ExpectedAnswer): Changed {
  return { statuses: [answer.status], answer }
}

/** What a handler's output comes to as JSON, worked out a second time; undefined where JSON, or D39, does not take it. */
function asJson(recipe: ExecuteRecipe, built: BuiltRequest): JsonValue | undefined {
  const { signal } = new AbortController()
  const context = {
    jobId: '',
    capability: '',
    payer: undefined,
    deadline: 0,
    signal,
    remainingMs: () => 1,
    log: () => undefined,
    allowance: () => Promise.resolve('0'),
    spend: () => Promise.reject(new Error('nothing is declared')),
    hire: () => Promise.reject(new Error('nobody is hired')),
    budget: () => Promise.resolve({ job: '0', day: '0' }),
  }
  try {
    const output = behaviourOf(recipe.behaviour).run({ output: built.output, input: built.input, context })
    const text: unknown = JSON.stringify(output)
    if (typeof text !== 'string') return undefined
    const value = JSON.parse(text) as JsonValue
    return depthOf(value) > DEEPEST_OUTPUT ? undefined : value
  } catch {
    return undefined
  }
}

/** D39: an answer nests at most 64 deep, and its output is one level down. */
const DEEPEST_OUTPUT = 63

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner))
  return 1 + deepest
}

function afterSettle(recipe: ExecuteRecipe): Changed {
  switch (recipe.settleFault) {
    case undefined:
      return { settleCalls: [1, 1] }
    case 'failed':
      return {
        ...refused({ check: 'settle', status: 402, errorType: 'payment' }),
        settleCalls: [1, 1],
        output: undefined,
      }
    case 'unknown once':
      return { settleCalls: [2, 2], takesTime: true }
    case 'unknown for long':
      return { statuses: [503], settleCalls: [2, 20], takesTime: true, output: undefined }
  }
}

/** What in an answer its caller was never to see; undefined where there is nothing of the kind. */
export function findLeak(text: string, mayQuoteHandler: boolean): string | undefined {
  if (!mayQuoteHandler && text.includes(CANARY)) return 'what a handler threw or returned came out'
  const shown = LEAKS.find(leak => leak.test(text))
  return shown === undefined ? undefined : `something of the inside came out: ${String(shown)}`
}

/** Stack frames, and paths of files. */
const LEAKS: readonly RegExp[] = [
  /\n\s+at |\\n\s+at /,
  /\.[mc]?[tj]s:\d+/,
  /node_modules|node:internal|file:\/\//,
  /TypeError|ReferenceError/,
]
