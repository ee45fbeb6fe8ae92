const MAX_CHARACTERS = 500

/**
 * Makes text of a remote party safe to show in a message: at most 500 characters, without anything that moves a terminal's
 * cursor, changes its colours or reverses the text direction.
 */
export function foreignText(text: string): string {
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return shown.replace(UNSEEN, '\u{FFFD}')
}

/** Control, direction and other invisible characters; line breaks, tabs and emoji joiners are allowed. */
const UNSEEN = /(?![\n\t\u{200D}])[\p{Cc}\p{Cf}\p{Cs}]/gu

/** {@link foreignText} of any value, quoted as JSON: `"0.01"`, `null`, `undefined`. */
export function foreignValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  if (typeof value === 'string') return foreignText(JSON.stringify(value.slice(0, MAX_CHARACTERS)))
  return String(value)
}
