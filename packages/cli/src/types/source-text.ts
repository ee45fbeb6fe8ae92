/** Generated lines are kept within this width when possible. */
export const MAX_COLUMNS = 100

/**
 * Formats a text as a string literal. Invisible characters are escaped: line separators, control and direction characters,
 * unpaired surrogates.
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

/** Formats a text for a comment on one line: invisible characters are removed, and a comment end is made harmless. */
export function commentText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, unseen => (JOINERS.includes(unseen) ? unseen : ''))
    .trim()
    .replaceAll('*/', String.raw`*\/`)
}

/** Unicode categories: control, format, line and paragraph separators, unpaired surrogates, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

/** Needed in Persian words and in emoji sequences. */
const JOINERS = '\u200c\u200d'

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
