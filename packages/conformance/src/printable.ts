/** What moves a cursor or turns a line around and `JSON.stringify` leaves as it is: it escapes what is below the space. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** What a stranger wrote must not move the reader's cursor: control and direction characters become dots. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·')
}

/**
 * JSON that may be shown on a terminal: the characters that {@link printable} takes out are escaped, as JSON allows, so
 * that nothing is lost and nothing moves a cursor or turns a line around.
 *
 * @param indent spaces of each level; absent: one line
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    UNSAFE_IN_JSON,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
