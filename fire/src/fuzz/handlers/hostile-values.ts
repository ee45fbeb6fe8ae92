/** Planted in all handler data that is not meant for callers: it must never be revealed. */
export const CANARY = 'CANARY-7f3a-secret-of-the-handler'

/** One more than the maximum in an output; created once, because creating it is slow. */
const ENDLESS: readonly number[] = Array.from({ length: 1_000_001 }, () => 1)

/** Factories of values, by name. */
export type Makes = { readonly [name: string]: () => unknown }

/**
 * Objects with a hostile value at one key: if the schema does not name the key, it is dropped, and the output is valid.
 */
export const AT_A_KEY: Makes = {
  'object without prototype': () => Object.create(null) as unknown,
  cycle: () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    return cycle
  },
  'throwing getter': () => Object.defineProperty({}, 'x', { enumerable: true, get: raise }),
}

/** Other values that JSON cannot represent unchanged, and that are not text. */
export const HOSTILE_VALUES: Makes = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => Number.NaN,
  BigInt: () => 1n,
  symbol: () => Symbol(CANARY),
  function: () => () => CANARY,
  promise: () => Promise.resolve(CANARY),
  date: () => new Date(0),
  'invalid date': () => new Date(Number.NaN),
  map: () => new Map([[CANARY, 1]]),
  set: () => new Set([1]),
  'typed array': () => new Uint8Array(8),
  'boxed string': () => new String('x'),
  'class instance': () =>
    new (class Secret {
      canary = CANARY
    })(),
  regexp: () => /x/,
  'sparse array': () => Array.from({ length: 3 }).fill(undefined),
  'endless array': () => ENDLESS,
  'deep array': () => JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown,
  toJSON: () => ({ toJSON: () => CANARY }),
  'toJSON that throws': () => ({ toJSON: raise }),
  'evil proxy': evilProxy,
  'proxy of an array that throws': () => new Proxy([], { get: raise }),
  'revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  error: () => new Error(CANARY),
  'error with a cause': () => new TypeError(`Cannot read ${CANARY}`, { cause: new Error(CANARY) }),
  'aggregate error': () => new AggregateError([new Error(CANARY)], CANARY),
  'abort error': () => new DOMException(CANARY, 'AbortError'),
  'error with a huge message': () => new Error(CANARY.repeat(20_000)),
  'error with a symbol for a message': () => Object.assign(new Error('x'), { message: Symbol(CANARY) }),
  'error with an object for a message': () => Object.assign(new Error('x'), { message: { toString: raise } }),
  'error whose stack throws': () => Object.defineProperty(new Error(CANARY), 'stack', { get: raiseEvil }),
  'error whose name throws': () => Object.defineProperty(new Error(CANARY), 'name', { get: raiseEvil }),
  'error of an unknown type': () => branded({ errorType: 'teapot', message: CANARY }),
  'error of a type without a message': () => branded({ errorType: 'payment', message: undefined }),
  'error of an inherited type': () => branded({ errorType: 'toString', message: CANARY }),
  'error that changes when it is read': changing,
}

/** Values that JSON can represent: invalid as a whole output, and as a thrown value. */
export const WRONG_JSON: Makes = {
  text: () => CANARY,
  number: () => 402,
  array: () => [CANARY],
  'empty object': () => ({}),
  'object with a status': () => ({ status: 402, httpStatus: 402, errorType: 'payment', message: CANARY }),
}

/** An error of another installed copy of the package. */
export function branded(properties: object): Error {
  return Object.defineProperties(Object.assign(new Error('x'), properties), {
    [Symbol.for('farebox.service-error')]: { value: true },
  })
}

export function raise(): never {
  throw new Error(CANARY)
}

/** Throws itself at every access, also when the thrown value is accessed. */
function evilProxy(): object {
  const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor']
  const evil: object = new Proxy({}, Object.fromEntries(traps.map(trap => [trap, rethrow])))
  function rethrow(): never {
    // oxlint-disable-next-line typescript/only-throw-error -- what is tested is that anything can be thrown
    throw evil
  }
  return evil
}

function raiseEvil(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- what is tested is that anything can be thrown
  throw evilProxy()
}

/** Its type is correct at the first read, and never again. */
function changing(): Error {
  let reads = 0
  return Object.defineProperties(branded({}), {
    errorType: { get: () => (reads++ === 0 ? 'payment' : raiseEvil()) },
    message: { get: () => 'changed' },
  })
}
