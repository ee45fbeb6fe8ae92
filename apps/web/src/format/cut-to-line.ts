/** Control and direction characters, and others that are not seen; the joints of emoji are fine. */
const UNSEEN = /(?!\u{200D})[\p{Cc}\p{Cf}\p{Cs}]/gu

/** A stranger's words as one line of so many characters at most, with nothing in it that turns the text around it. */
export function cutToLine(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, '\u{FFFD}')
    .trim()
  const characters = Array.from(line)
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}
