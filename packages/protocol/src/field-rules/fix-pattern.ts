import { MAX_PATTERN_CHARACTERS } from '../limits.ts'
import { countCodePoints } from '../fields/code-points.ts'

/**
 * Suggests a fix for a pattern that `compilePattern` refused.
 *
 * @param reason the message of the error
 */
export function fixPattern(pattern: string, reason: string): string {
  const over = countCodePoints(pattern) - MAX_PATTERN_CHARACTERS
  if (over > 0)
    return `shorten it by ${over} ${over === 1 ? 'character' : 'characters'}, or check it in the handler`
  return MENDS.find(([sign]) => sign.test(reason))?.[1] ?? 'write it in RE2 syntax, and each backslash twice'
}

/** Fixes by the engine's message; a backslash is written twice, as in JSON. */
const MENDS: readonly (readonly [sign: RegExp, fix: string])[] = [
  [/missing closing \)/, 'close the group with ), or write \\\\( for a parenthesis itself'],
  [/unexpected \)/, 'remove it, or write \\\\) for a parenthesis itself'],
  [/missing closing \]/, 'close the set with ], or write \\\\[ for a bracket itself'],
  [
    /Perl syntax: `\(\?<?[=!]/,
    'write it without lookahead and lookbehind, or check that part in the handler',
  ],
  [/escape sequence: `\\[1-9]/, 'write it without back-references, or check that part in the handler'],
  [/escape sequence: `\\u/, 'write \\\\x{…} for a character by its number, or the character itself'],
  [/escape sequence/, 'write \\\\\\\\ for a backslash itself, or remove it'],
  [/repetition operator/, 'put what repeats before it, or a \\\\ for the character itself'],
  [/repeat count/, 'repeat at most 1000 times, the smaller count first'],
  [/character class range/, 'put the lower end of the range first'],
  [/trailing backslash/, 'write \\\\\\\\ for a backslash itself, or remove it'],
]
