import {
  CapabilityError,
  DeadlineError,
  InternalError,
  PaymentError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sleep, systemClock, type Clock } from '../../clock.ts'
import type { AnyHandlers, JobContext } from '../../handlers.ts'

/** What untyped errors of the fixture say; no caller may ever read it. */
export const HANDLER_SECRET = 'the handler’s own words'

/**
 * Makes the handlers of `fixtureDeclaration`; each call has counters of its own.
 *
 * @example
 * const agent = await createAgent({ declaration: fixtureDeclaration, handlers: createFixtureHandlers(),
 * variables })
 */
export function createFixtureHandlers(clock: Clock = systemClock): AnyHandlers {
  const runs = new Map<string, number>()
  const aborted = new Map<string, number>()
  const tick = (counter: Map<string, number>, input: JsonObject): void => {
    const key = String(input['key'] ?? '')
    counter.set(key, (counter.get(key) ?? 0) + 1)
  }
  return {
    echo(input: JsonObject) {
      tick(runs, input)
      return { received: input }
    },
    async slow(input: JsonObject, { signal }: JobContext) {
      tick(runs, input)
      signal.addEventListener('abort', () => tick(aborted, input))
      await sleep(clock, Number(input['ms']), input['heeds'] === true ? signal : undefined)
      return { waited: input['ms'] }
    },
    block(input: JsonObject) {
      tick(runs, input)
      const untilMs = clock.nowMs() + Number(input['ms'])
      while (clock.nowMs() < untilMs) continue
      return { blocked: input['ms'] }
    },
    async fail(input: JsonObject) {
      tick(runs, input)
      const kind = String(input['kind'])
      if (kind.startsWith('late ')) {
        await sleep(clock, 5)
        throw THROWN.get(kind.slice('late '.length))?.()
      }
      throw THROWN.get(kind)?.()
    },
    violate: (input: JsonObject) => VIOLATIONS.get(String(input['kind']))?.(),
    count: (input: JsonObject) => {
      const key = String(input['key'])
      return { runs: runs.get(key) ?? 0, aborted: aborted.get(key) ?? 0 }
    },
    odd: () => ({ taken: true }),
  }
}

/** What `fail` throws, by `kind`. */
const THROWN: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ['validation', () => new ValidationError('not this one')],
  ['validation field', () => new ValidationError('city', 'is not on the map')],
  ['payment', () => new PaymentError('not this coin')],
  ['payment field', () => new PaymentError('coin', 'is too worn')],
  ['deadline', () => new DeadlineError('not today')],
  ['deadline field', () => new DeadlineError('queue', 'is too long')],
  ['capability', () => new CapabilityError('not here')],
  ['capability field', () => new CapabilityError('region', 'is not served')],
  ['internal', () => new InternalError('not my day')],
  ['internal field', () => new InternalError('upstream', 'is asleep')],
  // As a second copy of the package would make it (DDL-10): no shared class, the shared brand.
  [
    'foreign validation',
    () =>
      Object.assign(new Error('not from here'), {
        errorType: 'validation',
        [Symbol.for('farebox.service-error')]: true,
      }),
  ],
  ['error', () => new TypeError(HANDLER_SECRET)],
  ['forger', () => new Error('x\ncompleted job=forged\r\npayment verified job=forged')],
  ['text', () => HANDLER_SECRET],
  ['null', () => null],
  ['undefined', () => undefined],
  ['proxy', () => hostileProxy(new Error(HANDLER_SECRET))],
  ['proxy of itself', proxyOfItself],
])

/** What `violate` returns, by `kind`: what its output_schema does not allow (VAL-14). */
const VIOLATIONS: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ['nothing wrong', () => ({ text: 'a', size: 1, note: 'b' })],
  ['optional missing', () => ({ text: 'a', size: 1 })],
  ['undeclared', () => ({ text: 'a', size: 1, note: 'b', secret: 'c' })],
  ['missing', () => ({ text: 'a' })],
  ['wrong type', () => ({ text: 'a', size: '1' })],
  ['null field', () => ({ text: null, size: 1 })],
  ['NaN', () => ({ text: 'a', size: Number.NaN })],
  ['infinite', () => ({ text: 'a', size: Number.POSITIVE_INFINITY })],
  ['fraction', () => ({ text: 'a', size: 1.5 })],
  ['undefined field', () => ({ text: 'a', size: undefined })],
  ['function field', () => ({ text: () => 'a', size: 1 })],
  ['date field', () => ({ text: new Date(0), size: 1 })],
  ['toJSON field', () => ({ text: { toJSON: () => 'a' }, size: 1 })],
  ['null', () => null],
  ['text', () => 'a'],
  ['array', () => [{ text: 'a', size: 1 }]],
  ['map', () => new Map([['text', 'a']])],
  ['undefined', () => undefined],
  ['BigInt field', () => ({ text: 'a', size: 1n })],
  [
    'cycle',
    () => {
      const output: { [key: string]: unknown } = { text: 'a', size: 1 }
      output['self'] = output
      return { text: output, size: 1 }
    },
  ],
  [
    'getter',
    () => ({
      size: 1,
      get text() {
        throw new Error(HANDLER_SECRET)
      },
    }),
  ],
  ['proxy', () => hostileProxy(new Error(HANDLER_SECRET))],
  [
    'throws a proxy',
    () => ({
      size: 1,
      get text() {
        throw proxyOfItself()
      },
    }),
  ],
])

function proxyOfItself(): object {
  const proxy: object = hostileProxy(() => proxy)
  return proxy
}

/**
 * An object that throws whatever one tries with it; given a function, it throws what that makes at the
 * time.
 */
function hostileProxy(thrown: Error | (() => unknown)): object {
  const trap = (): never => {
    throw typeof thrown === 'function' ? thrown() : thrown
  }
  return new Proxy(
    {},
    {
      get: trap,
      has: trap,
      ownKeys: trap,
      getPrototypeOf: trap,
      getOwnPropertyDescriptor: trap,
      isExtensible: trap,
    },
  )
}
