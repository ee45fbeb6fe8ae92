import type { TextWarning } from '@farebox/platform-api/search'

/** Untrusted text in a form that can be shown on one line, and what was not as it seemed. */
export interface OwnersText {
  readonly text: string
  readonly warnings: readonly TextWarning[]
}

/**
 * Makes untrusted text safe to show (WEB-02): one line, no control characters, nothing invisible, nothing that
 * turns the direction of reading, no towers of accents, at most `most` code points.
 *
 * It is still untrusted text: a page escapes it, and a prompt quotes it.
 */
export function ownersText(original: string, most: number): OwnersText {
  if (original.length <= most && isPlain(original)) return { text: original, warnings: [] }
  const spaced = original
    .slice(0, most * 8)
    .replace(SPACE, ' ')
    .normalize('NFC')
  const seen = spaced.replace(NOT_SEEN, '').replace(TOWER, '$1').replace(/ {2,}/g, ' ').trim()
  const characters = [...seen]
  const isLonger = characters.length > most || original.length > most * 8
  const text = isLonger ? `${characters.slice(0, most - 1).join('')}…` : seen
  const warnings: readonly (TextWarning | undefined)[] = [
    NOT_SEEN_ONCE.test(spaced) ? 'hidden-characters' : undefined,
    hasMixedWord(text) ? 'mixed-alphabets' : undefined,
    isLonger ? 'shortened' : undefined,
  ]
  return { text, warnings: warnings.filter(warning => warning !== undefined) }
}

/**
 * Controls, formats (bidirectional and zero-width ones among them; a joiner between two pictures stays), halves of
 * characters, private and unassigned ones, and letters that are blank.
 */
const NOT_SEEN_CHARACTER =
  '(?!\\u200D(?<=\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}\\uFE0F]*\\u200D)(?=\\p{Extended_Pictographic}))' +
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2800\\u3164\\uFFA0]'
const NOT_SEEN = new RegExp(NOT_SEEN_CHARACTER, 'gu')
const NOT_SEEN_ONCE = new RegExp(NOT_SEEN_CHARACTER, 'u')

/** All that JavaScript takes for white space but the one that is not seen. */
const SPACE = /[^\S\ufeff]+/gu

/** Nearly all texts are so, and nothing has to be done to them. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text) && !text.includes('  ') && text.trim() === text
}

/** More marks on one letter than any language puts there. */
const TOWER = /(\p{M}{4})\p{M}+/gu

function hasMixedWord(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  return words.some(word => ALPHABETS.filter(alphabet => alphabet.test(word)).length > 1)
}

/** Those whose letters pass for one another's. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]
