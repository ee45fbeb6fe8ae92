/** What PostgreSQL keeps in no text: a NUL character, and half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Surrogate}/u
const ALL_UNSTORABLE = new RegExp(UNSTORABLE, 'gu')

/** A character that cannot be kept, and where it is. */
export interface Unstorable {
  /** Names of properties and places in lists, from the outside in; the last may be the name that has it. */
  readonly path: readonly (string | number)[]
  /** As `U+0000`. */
  readonly character: string
}

/** Whether JSON can hold a character that cannot be kept, at a glance: only an escape can say one. */
export function mayHoldUnstorable(json: string): boolean {
  return /\\u(?:0000|d[89a-f])/i.test(json)
}

/**
 * The first character that cannot be kept in a value, its names included.
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
 * The same value with U+FFFD for every character that cannot be kept; of names that become the same the last one stays.
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
