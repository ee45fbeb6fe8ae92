/** Characters that PostgreSQL cannot store in text: NUL, and half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Surrogate}/u
const ALL_UNSTORABLE = new RegExp(UNSTORABLE, 'gu')

/** A character that cannot be stored, and its position. */
export interface Unstorable {
  /**
   * Property names and list indexes, from the outermost to the innermost; the last one may be the name that contains the
   * character.
   */
  readonly path: readonly (string | number)[]
  /** For example `U+0000`. */
  readonly character: string
}

/** A quick test whether JSON text may contain a character that cannot be stored. Only an escape sequence can encode one. */
export function mayHoldUnstorable(json: string): boolean {
  return /\\u(?:0000|d[89a-f])/i.test(json)
}

/**
 * The first character in a value, including its property names, that cannot be stored; `undefined` when there is none.
 *
 * @param value JSON, of moderate depth
 */
export function findUnstorable(value: unknown): Unstorable | undefined {
  if (typeof value === 'string') {
    const [character] = UNSTORABLE.exec(value) ?? []
    return character === undefined ? undefined : { path: [], character: nameOf(character) }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  for (const [key, inner] of Object.entries(value)) {
    const found = findUnstorable(key) ?? findUnstorable(inner)
    if (found !== undefined) return { ...found, path: [isList ? Number(key) : key, ...found.path] }
  }
  return undefined
}

/**
 * The same value with U+FFFD in place of every character that cannot be stored. When two property names become equal, the
 * last one is kept.
 *
 * @param value JSON, of moderate depth
 */
export function replaceUnstorable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(ALL_UNSTORABLE, '\uFFFD')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(replaceUnstorable)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(ALL_UNSTORABLE, '\uFFFD'),
      replaceUnstorable(inner),
    ]),
  )
}

function nameOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
