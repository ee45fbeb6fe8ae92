import type { Random } from '../../simulator/seeded-random.ts'

/** Texts that have broken somebody's server before: each is legal JSON, and none may mean anything to ours. */
const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udfffb',
  '\u202eevil',
  '\ufeffbom',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e400',
  '0x10',
  '-0',
  '<script>alert(1)</script>',
  '${AGENT_WALLET_ADDRESS}',
  '../../etc/passwd',
  "'; drop table jobs; --",
  '\r\nset-cookie: a=b',
  '"\\',
  'é漢字👩‍👩‍👧‍👦',
  '%00%2e%2e',
  '{"a":1}',
]

const WORDS: readonly string[] = [
  'fare',
  'box',
  'count',
  'the',
  'words',
  'of',
  'a',
  'text',
  'München',
  '漢字',
  '🚕',
]

/** A text as callers send it: mostly words, sometimes something odd. */
export function makeText(random: Random): string {
  if (random.chance(0.25)) return random.pick(ODD_TEXTS)
  const words: string[] = []
  for (let left = random.between(0, 4); left >= 0; left -= 1) words.push(random.pick(WORDS))
  return words.join(' ')
}

/** A text of so many code points. */
export function makeTextOf(random: Random, codePoints: number): string {
  let text = ''
  for (let left = codePoints; left > 0; left -= 1)
    text += random.pick(['a', 'b', 'é', '漢', '🚕', ' ', '"', '\u0001'])
  return text
}
