import { quoteText } from '@farebox/protocol/internal/fields/describe-value'

/** What is wrong with the form of a text that should be JSON, and how to fix it. */
export interface SyntaxFault {
  readonly reason: string
  readonly fix: string
}

/** Faults that need no words of their own from the text. */
export const SYNTAX = {
  empty: {
    reason: 'the file is empty',
    fix: 'write a declaration; npx farebox init makes one to begin with',
  },
  twoCommas: { reason: 'two commas stand in a row', fix: 'remove one' },
  firstComma: { reason: 'nothing stands before this comma', fix: 'remove the comma' },
  noComma: { reason: 'a comma is missing after this', fix: 'write a comma here' },
  noColon: { reason: 'a colon is missing after this key', fix: 'write a colon here' },
  noKey: {
    reason: 'a key is missing before this',
    fix: 'write a key in double quotes and a colon, or remove this',
  },
  noValue: { reason: 'a value is missing after the colon', fix: 'write a value, or remove the key' },
  onlyKey: { reason: 'this key has no value', fix: 'write a colon and a value, or remove it' },
  secondColon: { reason: 'a colon stands where none belongs', fix: 'remove it' },
  semicolon: { reason: 'a comma belongs here, not ;', fix: 'write a comma' },
  equalSign: { reason: 'a colon belongs here, not =', fix: 'write a colon' },
  noBraces: {
    reason: 'the braces around the declaration are missing',
    fix: 'begin the file with { and end it with }',
  },
  moreFollows: { reason: 'the declaration has ended before this', fix: 'remove what follows its last }' },
  quoteInText: {
    reason: 'the text ends at this quotation mark, but goes on behind it',
    fix: 'write \\" for a quotation mark within a text',
  },
  noFirstQuote: { reason: 'the quotation mark before this is missing', fix: 'write " before it' },
  unclosedText: {
    reason: 'this text is not closed on its line',
    fix: 'end it with "; a line break within a text is written \\n',
  },
  unclosedComment: { reason: 'JSON has no comments, and this one never ends', fix: 'remove it' },
  leftOut: {
    reason: 'three dots stand for something that was left out',
    fix: 'write it out, or remove them',
  },
} as const satisfies { readonly [name: string]: SyntaxFault }

/** A comma right before a closing bracket. */
export function trailingComma(bracket: string): SyntaxFault {
  return { reason: `no comma may stand before the closing ${bracket}`, fix: 'remove the comma' }
}

/**
 * An object or array that the end of the file leaves open.
 *
 * @param line after which it seems to end; undefined where only the end of the file is left
 */
export function unclosed(bracket: string, line: number | undefined): SyntaxFault {
  const closing = closingOf(bracket)
  const fix = line === undefined ? `write ${closing} where it ends` : `write "${closing}," after line ${line}`
  return { reason: `this ${bracket} is never closed`, fix }
}

function closingOf(bracket: string): string {
  return bracket === '{' ? '}' : ']'
}

/** A closing bracket of the wrong kind. */
export function wrongBracket(closing: string, opened: { bracket: string; line: number }): SyntaxFault {
  return {
    reason: `${closing} cannot close the ${opened.bracket} of line ${opened.line}`,
    fix: `write ${closingOf(opened.bracket)} instead, or before it`,
  }
}

/** A closing bracket with nothing left to close. */
export function extraBracket(bracket: string): SyntaxFault {
  return { reason: `there is one ${bracket} too many`, fix: 'remove it' }
}

/** What the file begins with instead of an object. */
export function notAnObject(text: string): SyntaxFault {
  return {
    reason: `the file must begin with {, got ${quoteText(text)}`,
    fix: 'write the declaration as one JSON object',
  }
}

/** A key without quotes. */
export function bareKey(key: string): SyntaxFault {
  return { reason: 'a key must stand in double quotes', fix: `write ${inQuotes(key)}` }
}

/** A text in quotes of another kind. */
export function otherQuotes(text: string): SyntaxFault {
  const inner = text.slice(1).replace(/['`”“»"]$/, '')
  return {
    reason: 'JSON takes double quotes only',
    fix: `write ${inQuotes(inner.replace(/\\(['`])/g, '$1'))}`,
  }
}

/** `1,5` and `1,000`, which JSON takes for two values. */
export function commaInNumber(whole: string, rest: string): SyntaxFault {
  const isThousands = rest.length === 3 && !/^-?0$/.test(whole)
  const fix = isThousands ? `write ${whole}${rest}` : `write ${whole}.${rest}`
  return { reason: 'a comma may not stand within a number', fix }
}

/** Any comment. */
export function commentFault(comment: string): SyntaxFault {
  if (comment.startsWith('/*') && !comment.slice(2).endsWith('*/')) return SYNTAX.unclosedComment
  return { reason: 'JSON has no comments', fix: 'remove it; a "description" may say it' }
}

/** White space and control characters outside texts. */
export function oddFault(text: string): SyntaxFault {
  const code = (text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return /^\s/.test(text)
    ? { reason: `this is no space to JSON (U+${code})`, fix: 'write an ordinary space' }
    : { reason: `an invisible character stands here (U+${code})`, fix: 'remove it' }
}

/** The first thing wrong within a closed text, and where in it; undefined where it is as it should be. */
export function textFault(
  text: string,
): { readonly start: number; readonly end: number; readonly fault: SyntaxFault } | undefined {
  for (const { 0: piece, index } of text.matchAll(SUSPICIOUS)) {
    if (/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(piece)) continue
    return { start: index, end: index + piece.length, fault: pieceFault(piece) }
  }
  return undefined
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const SUSPICIOUS = /\\u[\da-f]{4}|\\[^]|[\u0000-\u001f]/gi

function pieceFault(piece: string): SyntaxFault {
  if (piece === '\t') return { reason: 'a tab may not stand in a text', fix: 'write \\t, or a space' }
  if (!piece.startsWith('\\'))
    return { ...oddFault(piece), reason: 'a control character may not stand in a text' }
  if (piece === '\\u')
    return { reason: '\\u is followed by four hex digits', fix: 'write them, like \\u00e9' }
  return { reason: `${piece} is no escape that JSON knows`, fix: `write \\${piece} for the backslash itself` }
}

/** Why a word that stands as a value is none, or undefined for a number, true, false or null. */
export function wordFault(word: string): SyntaxFault | undefined {
  if (JSON_NUMBER.test(word) || /^(?:true|false|null)$/.test(word)) return undefined
  const other = OTHER_LANGUAGES.get(word.toLowerCase())
  if (other !== undefined) return { reason: `JSON has no ${word}`, fix: other }
  if (/^[+-]?(?:nan|infinity)$/i.test(word)) return { reason: `JSON has no ${word}`, fix: 'write a number' }
  if (/^(?:\.{3}|…)$/.test(word)) return SYNTAX.leftOut
  const number = meantNumber(word)
  if (number !== undefined)
    return { reason: `${word.slice(0, 40)} is not how JSON writes a number`, fix: `write ${number}` }
  return { reason: 'a text must stand in double quotes', fix: `write ${inQuotes(word)}` }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

const OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['undefined', 'remove the key'],
  ['none', 'remove the key'],
  ['nil', 'remove the key'],
  ['null', 'write null'],
  ['true', 'write true'],
  ['yes', 'write true'],
  ['false', 'write false'],
  ['no', 'write false'],
])

/** `0x10`, `+1`, `05`, `.5`, `5.`, `1_000` as JSON writes them. */
function meantNumber(word: string): string | undefined {
  if (/^0x[\da-f]{1,12}$/i.test(word)) return String(Number(word))
  const plain = word
    .replaceAll('_', '')
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|e)/i, '')
  return JSON_NUMBER.test(plain) ? plain : undefined
}

const MAX_QUOTED_CHARACTERS = 60

function inQuotes(text: string): string {
  return text.length <= MAX_QUOTED_CHARACTERS ? JSON.stringify(text) : 'it in double quotes'
}
