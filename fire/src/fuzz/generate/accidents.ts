import fc from 'fast-check'
import { choose } from './choose.ts'

/** Texts that mean something to a JSON parser, in places where nothing expects them. */
const TOKENS = [
  ...'{}[],:"\\-0. \n',
  ...'null true 1e9999 \\u0000 \\ud800 /*'.split(' '),
  ...'"task": "__proto__": "job_id":"x", "deadline":0, "capability":"x", "input":{},'.split(' '),
]

/** What may happen to bytes. */
export const ACCIDENTS = [
  'a token put before',
  'a byte replaced',
  'a piece taken out',
  'a piece doubled',
  'the rest cut off',
  'a piece replaced by a token',
  'a digit changed',
] as const

/** One accident: where, as a share of the length; how many bytes; and what is put there. */
export interface Accident {
  readonly kind: (typeof ACCIDENTS)[number]
  readonly at: number
  readonly length: number
  readonly pick: number
}

/** One to four accidents. */
export const accidents: fc.Arbitrary<readonly Accident[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      ...ACCIDENTS.map(kind => ({
        weight: kind === 'the rest cut off' ? 1 : 5,
        arbitrary: fc.constant(kind),
      })),
    ),
    at: fc.noBias(fc.nat(9_999)),
    length: fc.integer({ min: 1, max: 12 }),
    pick: fc.noBias(fc.nat(9_999)),
  }),
  { minLength: 1, maxLength: 4 },
)

/** The bytes of the text after the accidents. */
export function breakBytes(text: string, happened: readonly Accident[]): Buffer {
  return happened.reduce<Buffer>(breakOnce, Buffer.from(text))
}

function breakOnce(bytes: Buffer, { kind, at: share, length, pick }: Accident): Buffer {
  const at = Math.floor((share / 10_000) * (bytes.length + 1))
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ]
  const token = Buffer.from(choose(pick, TOKENS))
  switch (kind) {
    case 'a token put before':
      return Buffer.concat([before, token, piece, after])
    case 'a byte replaced':
      return Buffer.concat([before, Buffer.from([pick % 256]), bytes.subarray(at + 1)])
    case 'a piece taken out':
      return Buffer.concat([before, after])
    case 'a piece doubled':
      return Buffer.concat([before, piece, piece, after])
    case 'the rest cut off':
      return before
    case 'a piece replaced by a token':
      return Buffer.concat([before, token, after])
    case 'a digit changed':
      return Buffer.from(
        bytes.toString('latin1').replace(/\d/, () => String(pick % 10)),
        'latin1',
      )
  }
}
