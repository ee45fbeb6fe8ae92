/**
 * Is this JSON, as UTF-8 bytes, nested deeper than the limit? Counts brackets outside strings before parsing: the parser
 * itself is slow on deep bodies, and code that walks its result recurses (VAL-04). For bytes that are not JSON the result is
 * arbitrary; the parser refuses them.
 */
export function nestsDeeperThan(json: Uint8Array, limit: number): boolean {
  // Deeper nesting that is closed again needs more bytes than this.
  if (json.length <= 2 * limit) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index]
    if (inString) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      if (depth > limit) return true
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
