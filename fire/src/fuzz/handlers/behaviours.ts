import {
  CapabilityError,
  DeadlineError,
  InternalError,
  PaymentError,
  ValidationError,
  type JobContext,
  type JsonObject,
} from 'farebox'
import type { ErrorType } from '../oracle/answer-table.ts'
import { AT_A_KEY, branded, CANARY, HOSTILE_VALUES, raise, WRONG_JSON, type Makes } from './hostile-values.ts'

/** The context of a handler. */
export interface HandlerScene {
  /** A valid output. */
  readonly output: JsonObject
  readonly input: JsonObject
  readonly context: Pick<JobContext, 'signal' | 'remainingMs' | 'log'>
}

/** A failure with the handler's own message. */
interface Reported {
  readonly status: number
  readonly errorType: ErrorType
  readonly error: string
}

/**
 * The expected answer if every check before the handler passes: 200 with the valid output; 200 with the output after
 * JSON serialization, or 500 if it cannot be serialized (dev mode's rule, D20); 500 `Internal error`; either; 408; or a
 * failure with the handler's own message.
 */
export type Outcome = 'done' | 'as JSON' | 'broken' | 'done or broken' | 'late' | Reported

/** A behaviour of a handler. */
export interface Behaviour {
  /** With payments on. */
  readonly paid: Outcome
  readonly dev: Outcome
  /** Returns a new value at each call, possibly a thrown error or a promise. */
  readonly run: (scene: HandlerScene) => unknown
}

/** The behaviour of a valid handler. */
export const QUIET = 'returns at once'

const ANYTHING: Makes = { ...HOSTILE_VALUES, ...AT_A_KEY, ...WRONG_JSON }
// A promise is waited for, and its text is then the output.
const { promise: _, ...RETURNED } = ANYTHING

/** The typed errors that a handler throws for its caller, and the resulting answers (D26). */
const TYPED_ERRORS: readonly (readonly [make: () => unknown, ...answer: [number, ErrorType, string]])[] = [
  [() => new ValidationError('text', 'is too rude'), 400, 'validation', 'text: is too rude'],
  [() => new ValidationError('\ud800"\n\u2028'), 400, 'validation', '\ud800"\n\u2028'],
  [() => new PaymentError('your limit is used up'), 402, 'payment', 'your limit is used up'],
  [() => new DeadlineError('upstream was slow'), 408, 'deadline', 'upstream was slow'],
  [() => new CapabilityError('not on Sundays'), 400, 'capability', 'not on Sundays'],
  [() => new InternalError(''), 500, 'internal', ''],
  [() => new InternalError('down', { cause: new Error(CANARY) }), 500, 'internal', 'down'],
  [() => branded({ errorType: 'payment', message: 'copied' }), 402, 'payment', 'copied'],
]

/** All behaviours of a handler, by name. */
export const BEHAVIOURS: { readonly [name: string]: Behaviour } = {
  ...ending('done', 'done', {
    [QUIET]: ({ output }) => output,
    'returns after a turn': ({ output }) => new Promise(resolve => void setImmediate(() => resolve(output))),
    'returns a frozen output': ({ output }) => Object.freeze({ ...output }),
    'returns an output without prototype': ({ output }) =>
      Object.assign(Object.create(null), output) as unknown,
    'returns a quiet proxy': ({ output }) => new Proxy({ ...output }, {}),
    'deletes its input': ({ output, input }) => {
      for (const key of Object.keys(input)) delete input[key]
      return output
    },
    'uses its context': ({ output, context }) => {
      context.log('working\nforged line job=x')
      return context.remainingMs() < 0 || context.signal.aborted ? raise() : output
    },
    'returns a thenable': ({ output }) => thenable(resolve => resolve(output)),
    'returns a thenable that answers twice': ({ output }) =>
      thenable((resolve, reject) => {
        resolve(output)
        reject(new Error(CANARY))
        resolve({ canary: CANARY })
      }),
    'throws when then is read again': ({ output }) => changingThenable(output, raise),
    'hangs when then is read again': ({ output }) => changingThenable(output, () => () => undefined),
  }),
  ...ending('late', 'late', {
    'never ends': () => new Promise(() => undefined),
    'ends when it is aborted': ({ context, output }) =>
      new Promise(resolve => context.signal.addEventListener('abort', () => resolve(output))),
    'rejects when it is aborted': ({ context }) =>
      new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(new Error(CANARY)))),
    'stops the event of its abort': ({ context }) => {
      context.signal.addEventListener('abort', event => event.stopImmediatePropagation())
      return new Promise(() => undefined)
    },
    'returns a thenable that never answers': () => thenable(() => undefined),
    'returns a function for every property': () => new Proxy({}, { get: () => () => undefined }),
  }),
  ...ending('broken', 'broken', {
    'returns a thenable that rejects': () => thenable((_, reject) => reject(new Error(CANARY))),
    'returns a thenable that throws': () => thenable(raise),
    ...placed('throws', ANYTHING, thrower),
    ...placed('rejects with', ANYTHING, make => () => Promise.reject(make())),
  }),
  ...ending('broken', 'as JSON', {
    'returns a class instance': ({ output }) => Object.assign(new Map(), output),
    'returns an output with toJSON': ({ output }) => ({ ...output, toJSON: () => ({ canary: CANARY }) }),
    'returns an output with a throwing getter': ({ output }) =>
      Object.defineProperty({ ...output }, 'result', { enumerable: true, get: raise }),
    'returns a proxy that throws on keys': ({ output }) =>
      new Proxy(output, { ownKeys: raise, getOwnPropertyDescriptor: raise }),
    ...placed('returns', RETURNED, make => make),
    ...placed('field', HOSTILE_VALUES, atResult),
  }),
  ...ending('done or broken', 'as JSON', placed('field', AT_A_KEY, atResult)),
  ...ending('done', 'as JSON', {
    ...placed('undeclared field', { ...HOSTILE_VALUES, ...AT_A_KEY }, make => ({ output }) => ({
      ...output,
      'nobody asked': make(),
    })),
  }),
  ...Object.assign(
    {},
    ...TYPED_ERRORS.map(([make, status, errorType, error]) => {
      const outcome = { status, errorType, error }
      return ending(outcome, outcome, { [`throws typed ${errorType}: ${error}`]: thrower(make) })
    }),
  ),
}

/** The behaviour with a name from a recipe. Throws if there is none. */
export function behaviourOf(name: string): Behaviour {
  const behaviour = BEHAVIOURS[name]
  if (behaviour === undefined) throw new RangeError(`no behaviour called ${name}`)
  return behaviour
}

/** Whether a message was thrown by a handler for its caller. */
export function isOfHandler(error: string): boolean {
  return TYPED_ERRORS.some(([, , , message]) => message === error)
}

type Run = Behaviour['run']
type Runs = { readonly [name: string]: Run }

/** Behaviours by their results in the two modes. */
function ending(paid: Outcome, dev: Outcome, runs: Runs): { readonly [name: string]: Behaviour } {
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { paid, dev, run }]))
}

/** Each value at each place of an output. */
function placed(place: string, makes: Makes, put: (make: () => unknown) => Run): Runs {
  return Object.fromEntries(Object.entries(makes).map(([name, make]) => [`${place} ${name}`, put(make)]))
}

function thrower(make: () => unknown): Run {
  return () => {
    throw make()
  }
}

function atResult(make: () => unknown): Run {
  return ({ output }) => ({ ...output, result: make() })
}

type Settle = (value: unknown) => void

function thenable(act: (resolve: Settle, reject: Settle) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  return { then: act }
}

/** Looks like a plain output when `then` is first read, and never again: it must be read only once. */
function changingThenable(output: JsonObject, later: () => unknown): object {
  let reads = 0
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  return Object.defineProperty({ ...output }, 'then', { get: () => (reads++ === 0 ? undefined : later()) })
}
