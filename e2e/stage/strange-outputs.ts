import * as fc from 'fast-check'

/** A handler's output, created for each call, because it may answer differently once it was read. */
export interface StrangeOutput {
  readonly name: string
  make(): unknown
}

const MIB_5 = 5 * 1_048_576
/** The envelope takes about this much of the 5 MiB, so that sizes around it are on both sides of the limit. */
const ENVELOPE_BYTES = 160

/** One unit of a large text, and its bytes in JSON: plain, escaped, of several bytes, half a character. */
const UNITS: readonly (readonly [string, number])[] = [
  ['a', 1],
  ['é', 2],
  ['"', 2],
  ['\u2028', 3],
  ['😀', 4],
  ['\u0000', 6],
  ['\ud800', 6],
]

const sized: fc.Arbitrary<StrangeOutput> = fc
  .tuple(fc.constantFrom(...UNITS), fc.integer({ min: -200, max: 200 }))
  .map(([[unit, bytes], beside]) => ({
    name: `about 5 MiB of ${JSON.stringify(unit)}, ${beside} bytes beside the limit`,
    make: () => ({ value: { text: unit.repeat(Math.floor((MIB_5 - ENVELOPE_BYTES + beside) / bytes)) } }),
  }))

const nested: fc.Arbitrary<StrangeOutput> = fc
  .tuple(fc.integer({ min: 58, max: 68 }), fc.boolean(), fc.boolean())
  .map(([levels, ofArrays, isLong]) => ({
    name: `${levels} ${ofArrays ? 'arrays' : 'objects'} in each other`,
    make: () => {
      let value: unknown = isLong ? 'x'.repeat(500) : 1
      for (let level = 0; level < levels; level += 1) value = ofArrays ? [value] : { a: value }
      return { value: { value } }
    },
  }))

const texts: fc.Arbitrary<StrangeOutput> = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map(codes => String.fromCharCode(...codes))
  .map(text => ({
    name: `the text ${JSON.stringify(text)}`,
    make: () => ({ value: { [text]: text, text } }),
  }))

const numbers: fc.Arbitrary<StrangeOutput> = fc
  .oneof(
    fc.double(),
    fc.bigInt(),
    fc.constantFrom(
      -0,
      1e308,
      5e-324,
      2 ** 53 + 2,
      1e21,
      Number.NaN,
      Infinity,
      JSON.parse('1e400') as number,
    ),
  )
  .map(number => ({
    name: `the number ${String(number)}`,
    make: () => ({ value: { number, list: [number] } }),
  }))

const json: fc.Arbitrary<StrangeOutput> = fc
  .jsonValue({ maxDepth: 8 })
  .map(value => ({ name: `JSON ${JSON.stringify(value).slice(0, 60)}`, make: () => ({ value: { value } }) }))

/** Objects with misleading behaviour. */
const TREACHEROUS: readonly StrangeOutput[] = [
  {
    name: 'a key __proto__',
    make: () => JSON.parse('{"value":{"__proto__":{"a":1},"constructor":{"prototype":1}}}'),
  },
  { name: 'toJSON', make: () => ({ value: { a: 1, toJSON: () => ({ text: 'x'.repeat(2 * MIB_5) }) } }) },
  { name: 'toJSON as data', make: () => ({ value: { toJSON: 'no function' } }) },
  {
    name: 'a getter that grows',
    make: () => {
      let reads = 0
      return {
        get value() {
          reads += 1
          return { text: 'x'.repeat(reads > 1 ? 2 * MIB_5 : 10), reads }
        },
      }
    },
  },
  {
    name: 'a getter that throws at its second reading',
    make: () => {
      let reads = 0
      return {
        value: {
          get a() {
            reads += 1
            if (reads > 1) throw new Error('read twice')
            return 1
          },
        },
      }
    },
  },
  {
    name: 'a proxy with other keys each time',
    make: () => {
      let reads = 0
      return {
        value: new Proxy(
          {},
          {
            ownKeys: () => [`key${(reads += 1)}`],
            getOwnPropertyDescriptor: () => ({ value: reads, enumerable: true, configurable: true }),
            get: () => reads,
          },
        ),
      }
    },
  },
  { name: 'a revoked proxy', make: () => ({ value: revoked() }) },
  {
    name: 'a sparse array',
    make: () => ({ value: { list: Array.from({ length: 3 }).fill(1, 2), holes: Array(3) } }),
  },
  { name: 'an array of a hundred million', make: () => ({ value: { list: Array(100_000_000) } }) },
  { name: 'undefined and a symbol', make: () => ({ value: { a: undefined, [Symbol('b')]: 1 } }) },
  { name: 'a date and a map', make: () => ({ value: { date: new Date(), map: new Map([[1, 2]]) } }) },
  { name: 'itself', make: itself },
  { name: 'a promise', make: () => ({ value: Promise.resolve({ a: 1 }) }) },
  { name: 'nothing', make: () => undefined },
]

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function itself(): unknown {
  const value: { self?: unknown } = {}
  value.self = value
  return { value }
}

/**
 * Outputs of every kind that could be charged for and not be read: sizes, depths, texts, numbers, misleading objects.
 */
export const strangeOutputs: fc.Arbitrary<StrangeOutput> = fc.oneof(
  { weight: 3, arbitrary: sized },
  { weight: 3, arbitrary: nested },
  { weight: 3, arbitrary: texts },
  { weight: 2, arbitrary: numbers },
  { weight: 2, arbitrary: json },
  { weight: 3, arbitrary: fc.constantFrom(...TREACHEROUS) },
)

/** Each misleading object, and both sides of each limit. */
export const onceEach: readonly StrangeOutput[] = [
  ...TREACHEROUS,
  { name: '9 MB', make: () => ({ value: { text: 'x'.repeat(9_000_000) } }) },
  { name: 'just below 5 MiB', make: () => ({ value: { text: '"'.repeat((MIB_5 - 1_000) / 2) } }) },
  {
    name: 'just below 5 MiB in NUL characters',
    make: () => ({ value: { text: '\u0000'.repeat(Math.floor((MIB_5 - 1_000) / 6)) } }),
  },
]
