import { CapabilityError, DeadlineError, InternalError, PaymentError, ValidationError } from 'farebox'
import type { ErrorType } from '../oracle/answer-table.ts'
import { BROKEN, CANARY, type Behaviour, type Outcome } from './behaviour.ts'
import { evilProxy } from './returned-values.ts'

/** What is not one of the typed errors: `Internal error` outside, the rest in the log (D26). */
const UNTYPED: { readonly [name: string]: () => unknown } = {
  error: () => new Error(CANARY),
  'type error': () => new TypeError(`Cannot read ${CANARY}`, { cause: new Error(CANARY) }),
  'aggregate error': () => new AggregateError([new Error(CANARY)], CANARY),
  'abort error': () => new DOMException(CANARY, 'AbortError'),
  'huge message': () => new Error(CANARY.repeat(20_000)),
  text: () => CANARY,
  null: () => null,
  undefined: () => undefined,
  number: () => 402,
  symbol: () => Symbol(CANARY),
  BigInt: () => 500n,
  function: () => () => CANARY,
  promise: () => Promise.resolve(CANARY),
  'plain object with a status': () => ({
    status: 402,
    httpStatus: 402,
    errorType: 'payment',
    message: CANARY,
  }),
  'object without text': () => Object.create(null) as unknown,
  'evil proxy': evilProxy,
  'error with a symbol for a message': () => Object.assign(new Error('x'), { message: Symbol(CANARY) }),
  'error with an object for a message': () =>
    Object.assign(new Error('x'), { message: Object.create(null) as unknown }),
  'error whose message cannot be told': () =>
    Object.assign(new Error('x'), { message: { toString: raiseEvil } }),
  'error whose stack throws': () => Object.defineProperty(new Error(CANARY), 'stack', { get: raiseEvil }),
  'error whose name throws': () => Object.defineProperty(new Error(CANARY), 'name', { get: raiseEvil }),
  'error with a foreign brand': () => branded({ errorType: 'teapot', message: CANARY }),
  'error with a brand and no message': () => branded({ errorType: 'payment', message: undefined }),
  'error with a prototype for a type': () => branded({ errorType: 'toString', message: CANARY }),
}

/** Throws each of the untyped values, at once and later, and each of the typed errors, by whatever copy of the package. */
export function thrownValues(): { readonly [name: string]: Behaviour } {
  const behaviours: { [name: string]: Behaviour } = {}
  for (const [name, make] of Object.entries(UNTYPED)) {
    behaviours[`throws ${name}`] = thrower(BROKEN, make)
    behaviours[`rejects with ${name}`] = { paid: BROKEN, dev: BROKEN, run: () => Promise.reject(make()) }
  }
  for (const [name, make, outcome] of typedErrors())
    behaviours[`throws typed ${name}`] = thrower(outcome, make)
  behaviours['throws an error that changes when looked at'] = thrower(BROKEN, changing)
  return behaviours
}

function typedErrors(): readonly (readonly [string, () => unknown, Outcome])[] {
  return [
    [
      'validation',
      () => new ValidationError('text', 'is too rude'),
      told(400, 'validation', 'text: is too rude'),
    ],
    [
      'payment',
      () => new PaymentError('your limit is used up'),
      told(402, 'payment', 'your limit is used up'),
    ],
    ['deadline', () => new DeadlineError('upstream was slow'), told(408, 'deadline', 'upstream was slow')],
    ['capability', () => new CapabilityError('not on Sundays'), told(400, 'capability', 'not on Sundays')],
    ['internal', () => new InternalError('the model is down'), told(500, 'internal', 'the model is down')],
    ['with nothing to say', () => new InternalError(''), told(500, 'internal', '')],
    [
      'with odd words',
      () => new ValidationError('\ud800"\n\u2028'),
      told(400, 'validation', '\ud800"\n\u2028'),
    ],
    [
      'of another copy',
      () => branded({ errorType: 'payment', message: 'copied' }),
      told(402, 'payment', 'copied'),
    ],
    [
      'with a cause',
      () => new InternalError('down', { cause: new Error(CANARY) }),
      told(500, 'internal', 'down'),
    ],
  ]
}

function thrower(outcome: Outcome, make: () => unknown): Behaviour {
  return {
    paid: outcome,
    dev: outcome,
    run() {
      throw make()
    },
  }
}

function told(status: number, errorType: ErrorType, error: string): Outcome {
  return { kind: 'told', status, errorType, error }
}

/** As an error of another installed copy of the package looks to ours. */
function branded(properties: object): Error {
  return Object.defineProperties(Object.assign(new Error('x'), properties), {
    [Symbol.for('farebox.service-error')]: { value: true },
  })
}

/** Its type is right when it is first asked for, and never again. */
function changing(): Error {
  let asked = 0
  return Object.defineProperties(branded({}), {
    errorType: { get: () => (asked++ === 0 ? 'payment' : raiseEvil()) },
    message: { get: () => 'changed' },
  })
}

function raiseEvil(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- what is tested is that anything can be thrown
  throw evilProxy()
}
