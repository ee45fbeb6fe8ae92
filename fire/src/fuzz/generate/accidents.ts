import fc from 'fast-check'
import { choose } from './wrong-values.ts'

/** Texts that mean something to a JSON parser, in places where nothing expects them. */
const TOKENS = [
  ...'{}[],:"\\-0. \n',
  ...'null true 1e9999 \\u0000 \\ud800 /*'.split(' '),
  ...'"task": "__proto__": "job_id":"x", "deadline":0, "capability":"x", "input":{},'.split(' '),
]

/** What may happen to bytes: `piece` is at the place, and `pick` chooses the token and the new byte. */
const ACCIDENTS: {
  readonly [kind: string]: (parts: {
    readonly before: Buffer
    readonly piece: Buffer
    readonly after: Buffer
    readonly token: Buffer
    readonly pick: number
  }) => readonly Buffer[]
} = {
  'a token put before': ({ before, piece, after, token }) => [before, token, piece, after],
  'a piece taken out': ({ before, after }) => [before, after],
  'a piece doubled': ({ before, piece, after }) => [before, piece, piece, after],
  'a piece replaced by a token': ({ before, after, token }) => [before, token, after],
  'a byte replaced': ({ before, piece, after, pick }) => [
    before,
    Buffer.from([pick]),
    piece.subarray(1),
    after,
  ],
  'a digit changed': ({ before, piece, after, pick }) => {
    const changed = piece.toString('latin1').replace(/\d/, String(pick % 10))
    return [before, Buffer.from(changed, 'latin1'), after]
  },
  'the rest cut off': ({ before }) => [before],
}

/** One accident: where, as a share of the length; how many bytes; and which token. */
export interface Accident {
  readonly kind: string
  readonly at: number
  readonly length: number
  readonly pick: number
}

/** One to four accidents. */
export const accidents: fc.Arbitrary<readonly Accident[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.keys(ACCIDENTS)),
    at: fc.noBias(fc.nat(9_999)),
    length: fc.integer({ min: 1, max: 12 }),
    pick: fc.noBias(fc.nat(9_999)),
  }),
  { minLength: 1, maxLength: 4 },
)

/** The bytes of the text after the accidents. */
export function breakBytes(text: string, happened: readonly Accident[]): Buffer {
  return happened.reduce<Buffer>((bytes, { kind, at: share, length, pick }) => {
    const at = Math.floor((share / 10_000) * (bytes.length + 1))
    const parts = {
      before: bytes.subarray(0, at),
      piece: bytes.subarray(at, at + length),
      after: bytes.subarray(at + length),
      token: Buffer.from(choose(pick, TOKENS)),
      pick,
    }
    return Buffer.concat(ACCIDENTS[kind]?.(parts) ?? [bytes])
  }, Buffer.from(text))
}
