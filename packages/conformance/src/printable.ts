/**
 * Characters that move a cursor or change the text direction and that `JSON.stringify` does not escape; it escapes those
 * below the space.
 */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces control and direction characters by dots, so that untrusted text cannot move the reader's cursor. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·')
}

/**
 * Formats JSON for a terminal: the characters that {@link printable} replaces are escaped, as JSON allows. No information
 * is lost, and nothing moves a cursor or changes the text direction.
 *
 * @param indent the number of spaces of each level; by default everything is on one line
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    UNSAFE_IN_JSON,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
