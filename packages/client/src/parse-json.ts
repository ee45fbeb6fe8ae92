/**
 * Levels of nesting that are read. An output may have 64 of its own (D15) and stands in an envelope; this is
 * far above that, because what was paid for should not be thrown away, and far below what crashes
 * `JSON.stringify`.
 */
const MAX_ANSWER_DEPTH = 256

/**
 * Parses a stranger's JSON; undefined where it is none, or nests too deeply. Depth is counted before parsing:
 * a megabyte of brackets would hold up the parser for half a second.
 */
export function parseJson(text: string): unknown {
  if (nestsDeeperThan(text, MAX_ANSWER_DEPTH)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Is this a JSON object: neither an array nor null? */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (inString) {
      if (character === BACKSLASH) index += 1
      else if (character === QUOTE) inString = false
    } else if (character === QUOTE) inString = true
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      depth += 1
      if (depth > limit) return true
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
