import fc from 'fast-check'

/** Bytes of a text are removed at a place, and others inserted. */
export interface Accident {
  /** The place, in ten-thousandths of the length. */
  readonly at: number
  /** The number of bytes removed. */
  readonly removed: number
  /** Each character is one byte. */
  readonly put: string
}

/** Texts with a meaning to a JSON parser, in unexpected places. */
const TOKENS = [
  ...'{}[],:"\\-07. \n',
  ...'null true 1e9999 \\u0000 \\ud800 /*'.split(' '),
  ...'"task": "__proto__": "job_id":"x", "deadline":0, "capability":"x", "input":{},'.split(' '),
]

/** All following bytes. */
export const THE_REST = Number.MAX_SAFE_INTEGER

/** One to four mutations. */
export const accidents: fc.Arbitrary<readonly Accident[]> = fc.array(
  fc.record({
    at: fc.noBias(fc.nat(9_999)),
    removed: fc.oneof(fc.constantFrom(0, 1, THE_REST), fc.nat(12)),
    put: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...TOKENS),
      fc.nat(255).map(byte => String.fromCharCode(byte)),
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

/** The bytes of the text after the mutations. */
export function breakBytes(text: string, happened: readonly Accident[]): Buffer {
  return happened.reduce<Buffer>((bytes, { at: share, removed, put }) => {
    const at = Math.floor((share / 10_000) * (bytes.length + 1))
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(put, 'latin1'), bytes.subarray(at + removed)])
  }, Buffer.from(text))
}
