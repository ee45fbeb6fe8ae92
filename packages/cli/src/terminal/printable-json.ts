/**
 * JSON that may be shown on a terminal: the characters that `printable` takes out are escaped, as JSON allows, so
 * that nothing is lost and nothing moves a cursor or turns a line around.
 *
 * @param indent spaces of each level; absent: one line
 */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent)
  // `JSON.stringify` escapes what is below the space, in strings; what it adds itself is line breaks.
  return json.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
