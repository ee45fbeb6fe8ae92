import type { TextWarning } from '@farebox/platform-api/search'

/** Untrusted text that is safe to show on one line, with warnings about what was changed or looks deceptive. */
export interface OwnersText {
  readonly text: string
  readonly warnings: readonly TextWarning[]
}

/**
 * Makes untrusted text safe to show (WEB-02): one line, without control characters, invisible characters, characters that
 * change the reading direction, or stacked accents, and with at most `most` code points.
 *
 * The result is still untrusted: a page must escape it, and a prompt must quote it.
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
 * Control and format characters (including bidirectional and zero-width ones, except a joiner between two pictographs),
 * unpaired surrogates, private-use and unassigned characters, and letters that are blank.
 */
const NOT_SEEN_CHARACTER =
  '(?!\\u200D(?<=\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}\\uFE0F]*\\u200D)(?=\\p{Extended_Pictographic}))' +
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2800\\u3164\\uFFA0]'
const NOT_SEEN = new RegExp(NOT_SEEN_CHARACTER, 'gu')
const NOT_SEEN_ONCE = new RegExp(NOT_SEEN_CHARACTER, 'u')

/** Every character that JavaScript treats as white space, except the invisible U+FEFF. */
const SPACE = /[^\S\ufeff]+/gu

/** Nearly all texts are plain and need no processing. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text) && !text.includes('  ') && text.trim() === text
}

/** More combining marks on one letter than any language uses. */
const TOWER = /(\p{M}{4})\p{M}+/gu

function hasMixedWord(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  return words.some(word => ALPHABETS.filter(alphabet => alphabet.test(word)).length > 1)
}

/** Alphabets with letters that look alike. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]
