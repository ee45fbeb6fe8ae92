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

/** The bytes with one to four accidents: something flipped, put in, taken out, doubled, cut off or swapped. */
export function breakBytes(random: Random, text: string): Buffer {
  let bytes: Buffer = Buffer.from(text)
  for (let left = random.between(1, 4); left > 0; left -= 1) bytes = breakOnce(random, bytes)
  return bytes
}

function breakOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.between(0, bytes.length)
  const to = Math.min(bytes.length, at + random.between(1, 12))
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
  switch (random.between(0, 6)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.between(0, 255)]), bytes.subarray(at + 1)])
    case 1:
      return Buffer.concat([before, Buffer.from(random.pick(TOKENS)), piece, after])
    case 2:
      return Buffer.concat([before, after])
    case 3:
      return Buffer.concat([before, piece, piece, after])
    case 4:
      return random.chance(0.2) ? before : bytes
    case 5:
      return Buffer.concat([before, Buffer.from(random.pick(TOKENS)), after])
    default:
      return Buffer.from(
        bytes.toString('latin1').replace(/\d/, () => String(random.between(0, 9))),
        'latin1',
      )
  }
}
