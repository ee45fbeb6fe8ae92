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
import { branded, CANARY, HOSTILE_VALUES, raise, WRONG_JSON } from './hostile-values.ts'

/** What a handler can work with. */
export interface HandlerScene {
  /** An output that the schema takes. */
  readonly output: JsonObject
  readonly input: JsonObject
  readonly context: Pick<JobContext, 'signal' | 'remainingMs' | 'log'>
}

/** A failure in the handler's own words. */
interface Reported {
  readonly status: number
  readonly errorType: ErrorType
  readonly error: string
}

/**
 * How the answer must turn out, where nothing before the handler was wrong: 200 with the valid output; 200 with
 * what JSON makes of the output, or 500 where it makes nothing of it (dev mode's rule, D20); 500 `Internal error`;
 * either; 408; or a failure in the handler's own words.
 */
export type Outcome = 'done' | 'as JSON' | 'broken' | 'done or broken' | 'late' | Reported

/** Something a handler may do. */
export interface Behaviour {
  /** With payments on. */
  readonly paid: Outcome
  readonly dev: Outcome
  /** Returns a new value at each call; thrown errors and promises are part of it. */
  readonly run: (scene: HandlerScene) => unknown
}

/** What a handler of good will does. */
export const QUIET = 'returns at once'

/** Objects whose trouble is at a key: where the schema does not name it, it is dropped, and nothing is wrong. */
const AT_A_KEY: ReadonlySet<string> = new Set(['object without prototype', 'cycle', 'throwing getter'])

/** The typed errors, which a handler throws for its caller to read, and the answers they become (D26). */
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

/** Everything a handler may do, by name. */
export const BEHAVIOURS: { readonly [name: string]: Behaviour } = {
  ...both('done', {
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
  ...both('late', {
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
  ...both('broken', {
    'returns a thenable that rejects': () => thenable((_, reject) => reject(new Error(CANARY))),
    'returns a thenable that throws': () => thenable(raise),
  }),
  ...wrongOutputs({
    'a class instance': ({ output }) => Object.assign(new Map(), output),
    'an output with toJSON': ({ output }) => ({ ...output, toJSON: () => ({ canary: CANARY }) }),
    'an output with a throwing getter': ({ output }) =>
      Object.defineProperty({ ...output }, 'result', { enumerable: true, get: raise }),
    'a proxy that throws on keys': ({ output }) =>
      new Proxy(output, { ownKeys: raise, getOwnPropertyDescriptor: raise }),
  }),
  ...hostileBehaviours(),
  ...reportedErrors(),
}

/** The behaviour of a name out of a recipe. Throws where there is none. */
export function behaviourOf(name: string): Behaviour {
  const behaviour = BEHAVIOURS[name]
  if (behaviour === undefined) throw new RangeError(`no behaviour called ${name}`)
  return behaviour
}

type Runs = { readonly [name: string]: Behaviour['run'] }

/** Behaviours that end the same in both modes. */
function both(outcome: Outcome, runs: Runs): { readonly [name: string]: Behaviour } {
  const entries = Object.entries(runs).map(([name, run]) => [name, { paid: outcome, dev: outcome, run }])
  return Object.fromEntries(entries) as { readonly [name: string]: Behaviour }
}

function wrongOutputs(runs: Runs): { readonly [name: string]: Behaviour } {
  const behaviours: { [name: string]: Behaviour } = {}
  for (const [name, run] of Object.entries(runs))
    behaviours[`returns ${name}`] = { paid: 'broken', dev: 'as JSON', run }
  return behaviours
}

/** Each hostile value in each place: as the output, as a declared field, as one more field, thrown, and rejected with. */
function hostileBehaviours(): { readonly [name: string]: Behaviour } {
  const behaviours: { [name: string]: Behaviour } = {}
  for (const [name, make] of Object.entries({ ...HOSTILE_VALUES, ...WRONG_JSON })) {
    // A promise is waited for, and its text is then the output.
    if (name !== 'promise') Object.assign(behaviours, wrongOutputs({ [name]: make }))
    const rejects = (): unknown => Promise.reject(make())
    const throws = (): never => {
      throw make()
    }
    Object.assign(
      behaviours,
      both('broken', { [`throws ${name}`]: throws, [`rejects with ${name}`]: rejects }),
    )
  }
  for (const [name, make] of Object.entries(HOSTILE_VALUES)) {
    behaviours[`field ${name}`] = {
      paid: AT_A_KEY.has(name) ? 'done or broken' : 'broken',
      dev: 'as JSON',
      run: ({ output }) => ({ ...output, result: make() }),
    }
    behaviours[`undeclared field ${name}`] = {
      paid: 'done',
      dev: 'as JSON',
      run: ({ output }) => ({ ...output, 'nobody asked': make() }),
    }
  }
  return behaviours
}

/** Whether a message is one that a handler threw for its caller to read. */
export function isOfHandler(error: string): boolean {
  return TYPED_ERRORS.some(([, , , message]) => message === error)
}

function reportedErrors(): { readonly [name: string]: Behaviour } {
  const behaviours = TYPED_ERRORS.map(([make, status, errorType, error]) => {
    const run = (): never => {
      throw make()
    }
    return both({ status, errorType, error }, { [`throws typed ${errorType}: ${error}`]: run })
  })
  return Object.assign({}, ...behaviours) as { readonly [name: string]: Behaviour }
}

type Settle = (value: unknown) => void

function thenable(act: (resolve: Settle, reject: Settle) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  return { then: act }
}

/** Looks like a plain output when `then` is first read, and never again: it must not be read again. */
function changingThenable(output: JsonObject, later: () => unknown): object {
  let reads = 0
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  return Object.defineProperty({ ...output }, 'then', { get: () => (reads++ === 0 ? undefined : later()) })
}
