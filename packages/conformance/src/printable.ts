/** What moves a cursor or turns a line around, as far as JSON leaves it as it is. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** What a stranger wrote must not move the reader's cursor: control and direction characters become dots. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·')
}

/** JSON in one line that may be shown on a terminal: the same characters are escaped, so that nothing is lost. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    UNSAFE_IN_JSON,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
