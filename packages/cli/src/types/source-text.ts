/** A generated line is no longer, where it can be helped. */
export const MAX_COLUMNS = 100

/**
 * A text as a string literal. What cannot be seen is escaped: line separators, control and direction characters,
 * halves of surrogate pairs.
 */
export function stringLiteral(text: string): string {
  const inner = text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(UNSEEN, escapeUnits)
  return `'${inner}'`
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name)
}

/** A text for a comment, on one line: what cannot be seen is left out, what would end the comment is disarmed. */
export function commentText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, unseen => (JOINERS.includes(unseen) ? unseen : ''))
    .trim()
    .replaceAll('*/', String.raw`*\/`)
}

/** Categories of Unicode: control, format, line and paragraph separators, halves of pairs, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

/** Persian words and families of emoji are written with them. */
const JOINERS = '\u200c\u200d'

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
