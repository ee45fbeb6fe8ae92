import type { Random } from '../../simulator/seeded-random.ts'

/** Texts that mean something to a JSON parser, in places where nobody wants them. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'null',
  'true',
  '-',
  '1e9999',
  '0',
  '.',
  '\\u0000',
  '\\ud800',
  '/*',
  ' ',
  '\n',
  '"task":',
  '"__proto__":',
  '"job_id":"x",',
  '"deadline":0,',
  '"capability":"x",',
  '"input":{},',
]

/** What may happen to bytes. */
export const ACCIDENTS = [
  'a byte replaced',
  'a token put before',
  'a piece taken out',
  'a piece doubled',
  'the rest cut off',
  'a piece replaced by a token',
  'a digit changed',
] as const

/** The bytes with one to four accidents; `onAccident` hears which. */
export function breakBytes(
  random: Random,
  text: string,
  onAccident: (name: string) => void = () => undefined,
): Buffer {
  let bytes: Buffer = Buffer.from(text)
  for (let left = random.between(1, 4); left > 0; left -= 1) bytes = breakOnce(random, bytes, onAccident)
  return bytes
}

function breakOnce(random: Random, bytes: Buffer, onAccident: (name: string) => void): Buffer {
  const at = random.between(0, bytes.length)
  const to = Math.min(bytes.length, at + random.between(1, 12))
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
  const kind = random.pick(ACCIDENTS)
  onAccident(kind)
  switch (kind) {
    case 'a byte replaced':
      return Buffer.concat([before, Buffer.from([random.between(0, 255)]), bytes.subarray(at + 1)])
    case 'a token put before':
      return Buffer.concat([before, Buffer.from(random.pick(TOKENS)), piece, after])
    case 'a piece taken out':
      return Buffer.concat([before, after])
    case 'a piece doubled':
      return Buffer.concat([before, piece, piece, after])
    case 'the rest cut off':
      return random.chance(0.2) ? before : bytes
    case 'a piece replaced by a token':
      return Buffer.concat([before, Buffer.from(random.pick(TOKENS)), after])
    case 'a digit changed':
      return Buffer.from(
        bytes.toString('latin1').replace(/\d/, () => String(random.between(0, 9))),
        'latin1',
      )
  }
}
