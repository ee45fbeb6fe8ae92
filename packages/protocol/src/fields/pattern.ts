import { RE2JS } from 're2js'
import { MAX_PATTERN_CHARACTERS } from '../limits.ts'
import { countCodePoints } from './code-points.ts'

/** A compiled `pattern`: whether the text holds a match anywhere. */
export interface PatternTest {
  (text: string): boolean
  /**
   * Length in UTF-16 units from which on matching would take too long; longer texts are to be refused unseen.
   */
  readonly maxTextLength: number
}

/**
 * Compiles a `pattern` for the linear-time engine: RE2 syntax, unanchored, by code point (D18). No lookaround
 * and no back-references; those are what makes other engines hang.
 *
 * @param source at most 256 characters
 * @throws {SyntaxError} whose message says what is wrong, to be shown after the field's name
 */
export function compilePattern(source: string): PatternTest {
  const length = countCodePoints(source)
  if (length > MAX_PATTERN_CHARACTERS) {
    throw new SyntaxError(`must be at most ${MAX_PATTERN_CHARACTERS} characters, got ${length}`)
  }
  const pattern = compile(source)
  const maxTextLength = Math.floor(MAX_STEPS / Math.max(1, pattern.programSize()))
  return Object.assign((text: string) => text.length <= maxTextLength && pattern.test(text), {
    maxTextLength,
  })
}

/**
 * Linear in the text still means steps ≈ text × program, and `[ab]*a[ab]{900}` takes 10 s for a body of 1
 * MiB. This bound keeps the worst pattern at about 0.1 s and lets small ones read whole bodies.
 */
const MAX_STEPS = 8_000_000

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SyntaxError(
      `must be a regular expression in RE2 syntax: ${reason.replace('error parsing regexp: ', '')}`,
      { cause: error },
    )
  }
}
