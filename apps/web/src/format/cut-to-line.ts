/** Control, direction and other invisible characters, except the joiners within emoji. */
const UNSEEN = /(?!\u{200D})[\p{Cc}\p{Cf}\p{Cs}]/gu

/** Untrusted text as one line of limited length, without characters that change the direction of the text around it. */
export function cutToLine(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, '\u{FFFD}')
    .trim()
  const characters = Array.from(line)
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}
