import {
  AS_JSON,
  BROKEN,
  CANARY,
  DONE,
  DONE_OR_BROKEN,
  type Behaviour,
  type HandlerScene,
} from './behaviour.ts'

/** One more than may be in an output; made once, because making it is slow. */
const ENDLESS: readonly number[] = Array.from({ length: 1_000_001 }, () => 1)

/** Values a JSON answer cannot carry, each put where the schema wants something else. */
const WRONG_FIELDS: { readonly [name: string]: () => unknown } = {
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  null: () => null,
  undefined: () => undefined,
  BigInt: () => 1n,
  symbol: () => Symbol(CANARY),
  function: () => () => CANARY,
  date: () => new Date(0),
  'invalid date': () => new Date(Number.NaN),
  map: () => new Map([[CANARY, 1]]),
  set: () => new Set([1]),
  'typed array': () => new Uint8Array(8),
  'boxed string': () => new String('x'),
  'class instance': () => new Secret(),
  error: () => new Error(CANARY),
  promise: () => Promise.resolve(1),
  regexp: () => /x/,
  cycle() {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    return cycle
  },
  'cyclic array'() {
    const cycle: unknown[] = []
    cycle.push(cycle)
    return cycle
  },
  'sparse array': () => Array.from({ length: 3 }).fill(undefined),
  'endless array': () => ENDLESS,
  'deep array': () => nested(200),
  toJSON: () => ({ toJSON: () => CANARY }),
  'toJSON that throws'() {
    return {
      toJSON() {
        throw new Error(CANARY)
      },
    }
  },
  'throwing getter': () => Object.defineProperty({}, 'x', { enumerable: true, get: raise }),
  'proxy that throws': () => evilProxy(),
  'proxy of an array that throws': () => new Proxy([], { get: raise }),
  'revoked proxy': revokedProxy,
}

/** An object of somebody's own making. */
class Secret {
  canary = CANARY
}

/** Whole outputs that are none. */
const WRONG_OUTPUTS: { readonly [name: string]: (scene: HandlerScene) => unknown } = {
  undefined: () => undefined,
  null: () => null,
  number: () => 5,
  text: () => CANARY,
  array: () => [CANARY],
  function: () => () => CANARY,
  symbol: () => Symbol(CANARY),
  BigInt: () => 5n,
  date: () => new Date(0),
  map: ({ output }) => new Map(Object.entries(output)),
  empty: () => ({}),
  'class instance': ({ output }) => Object.assign(new Secret(), output),
  'with toJSON': ({ output }) => ({ ...output, toJSON: () => ({ canary: CANARY }) }),
  'throwing getter': ({ output }) =>
    Object.defineProperty({ ...output }, 'result', { enumerable: true, get: raise }),
  'proxy that throws on keys': ({ output }) =>
    new Proxy(output, { ownKeys: raise, getOwnPropertyDescriptor: raise }),
}

const RIGHT_OUTPUTS: { readonly [name: string]: (scene: HandlerScene) => unknown } = {
  'at once': ({ output }) => output,
  soon: async ({ output }) => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    return output
  },
  'after a turn': ({ output }) => new Promise(resolve => void setImmediate(() => resolve(output))),
  frozen: ({ output }) => Object.freeze({ ...output }),
  'without prototype': ({ output }) => Object.assign(Object.create(null), output) as unknown,
  'behind a quiet proxy': ({ output }) => new Proxy({ ...output }, {}),
  'with its input scribbled over': ({ output, input }) => {
    for (const key of Object.keys(input)) delete input[key]
    return output
  },
  'with all of its context used': ({ output, context }) => {
    context.log('working\nforged line job=x')
    if (context.remainingMs() < 0 || context.signal.aborted) throw new Error(CANARY)
    return output
  },
}

/** Objects whose trouble is at a key: where the schema does not name it, it is dropped, and nothing is wrong. */
const AT_AN_UNDECLARED_KEY: ReadonlySet<string> = new Set(['cycle', 'throwing getter'])

/** Everything a handler may return. */
export function returnedValues(): { readonly [name: string]: Behaviour } {
  const behaviours: { [name: string]: Behaviour } = {}
  for (const [name, run] of Object.entries(RIGHT_OUTPUTS))
    behaviours[`right output ${name}`] = { paid: DONE, dev: DONE, run }
  for (const [name, run] of Object.entries(WRONG_OUTPUTS))
    behaviours[`output ${name}`] = { paid: BROKEN, dev: AS_JSON, run }
  for (const [name, make] of Object.entries(WRONG_FIELDS)) {
    const run = ({ output }: HandlerScene): unknown => ({ ...output, result: make() })
    behaviours[`field ${name}`] = {
      paid: AT_AN_UNDECLARED_KEY.has(name) ? DONE_OR_BROKEN : BROKEN,
      dev: AS_JSON,
      run,
    }
    const surplus = ({ output }: HandlerScene): unknown => ({ ...output, 'nobody asked': make() })
    behaviours[`surplus field ${name}`] = { paid: DONE, dev: AS_JSON, run: surplus }
  }
  return behaviours
}

/** Throws itself whenever it is touched, and throws that again when what was thrown is touched. */
export function evilProxy(): object {
  const evil: object = new Proxy(
    {},
    {
      get: rethrow,
      has: rethrow,
      ownKeys: rethrow,
      getPrototypeOf: rethrow,
      getOwnPropertyDescriptor: rethrow,
    },
  )
  function rethrow(): never {
    // oxlint-disable-next-line typescript/only-throw-error -- what is tested is that anything can be thrown
    throw evil
  }
  return evil
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function raise(): never {
  throw new Error(CANARY)
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let left = depth; left > 0; left -= 1) value = [value]
  return value
}
