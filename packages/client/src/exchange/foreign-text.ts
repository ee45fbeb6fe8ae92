const MAX_CHARACTERS = 500

/**
 * A stranger's words, fit to stand in a message of ours: at most 500 characters, and nothing that moves a
 * terminal's cursor, changes its colours or turns the direction of the text around.
 */
export function foreignText(text: string): string {
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return shown.replace(UNSEEN, '\u{FFFD}')
}

/** Control, direction and other unseen characters; a line break, a tab and the joints of emoji are fine. */
const UNSEEN = /(?![\n\t\u{200D}])[\p{Cc}\p{Cf}\p{Cs}]/gu

/** {@link foreignText} of any value, quoted as JSON: `"0.01"`, `null`, `undefined`. */
export function foreignValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  if (typeof value === 'string') return foreignText(JSON.stringify(value.slice(0, MAX_CHARACTERS)))
  return String(value)
}
