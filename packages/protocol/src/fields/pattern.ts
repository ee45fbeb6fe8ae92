import { RE2JS } from 're2js'
import { MAX_INPUT_CHECK_STEPS, MAX_PATTERN_CHARACTERS, PATTERN_BASE_INSTRUCTIONS } from '../limits.ts'
import { countCodePoints } from './code-points.ts'

/** A compiled `pattern`: does the text contain a match? */
export interface PatternTest {
  (text: string): boolean
  /** Instructions of the compiled program: matching takes at most this times the length of the text in steps. */
  readonly instructions: number
  /** The cost of compiling it, in instructions (D42). */
  readonly compileCost: number
  /** Length in UTF-16 units from which a text alone would take more steps than a whole input may. */
  readonly maxTextLength: number
}

/**
 * Compiles a `pattern` for the linear-time engine: RE2 syntax, unanchored, by code point (D18). Lookaround and
 * back-references are not supported; they make other engines hang.
 *
 * The time is linear in the text, but proportional to text × program: the caller counts these steps.
 *
 * @param source at most 256 characters
 * @throws {SyntaxError} with a message that describes the error, to be shown after the field's name
 */
export function compilePattern(source: string): PatternTest {
  const length = countCodePoints(source)
  if (length > MAX_PATTERN_CHARACTERS) {
    throw new SyntaxError(`must be at most ${MAX_PATTERN_CHARACTERS} characters, got ${length}`)
  }
  const pattern = compile(source)
  const instructions = Math.max(1, pattern.programSize())
  const maxTextLength = Math.floor(MAX_INPUT_CHECK_STEPS / instructions) - 1
  return Object.assign((text: string) => text.length <= maxTextLength && pattern.test(text), {
    instructions,
    compileCost: PATTERN_BASE_INSTRUCTIONS + instructions + tableCost(source),
    maxTextLength,
  })
}

/**
 * The cost of the engine's character tables while it parses a pattern, even if a single instruction is left: each Unicode
 * class is copied, and in case-insensitive patterns a range beyond ASCII is folded character by character.
 */
function tableCost(source: string): number {
  const classes = source.match(/\\[pP]|\[:/g)?.length ?? 0
  const foldsCase = /\(\?[a-zA-Z]*i/.test(source)
  const wideRanges = foldsCase ? (source.match(/-(?:\\|[^\0-\x7f])/g)?.length ?? 0) : 0
  return classes * (foldsCase ? 2 : 1) * INSTRUCTIONS_PER_CLASS + wideRanges * INSTRUCTIONS_PER_WIDE_RANGE
}

const INSTRUCTIONS_PER_CLASS = 200
const INSTRUCTIONS_PER_WIDE_RANGE = 5_000

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
