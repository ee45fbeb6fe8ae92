import { quoteText } from '@farebox/protocol/internal/fields/describe-value'

/** A syntax fault of a text that should be JSON: the reason, and the fix. */
export interface SyntaxFault {
  readonly reason: string
  readonly fix: string
}

/** Faults whose wording does not depend on the text. */
export const SYNTAX = {
  empty: {
    reason: 'the file is empty',
    fix: 'write a declaration; npx farebox init makes one to begin with',
  },
  extraComma: { reason: 'nothing stands before this comma', fix: 'remove the comma' },
  noComma: { reason: 'a comma is missing after this', fix: 'write a comma here' },
  noColon: { reason: 'a colon is missing after this key', fix: 'write a colon here' },
  noKey: {
    reason: 'a key is missing before this',
    fix: 'write a key in double quotes and a colon, or remove this',
  },
  noValue: { reason: 'a value is missing after the colon', fix: 'write a value, or remove the key' },
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
  controlInText: { reason: 'a control character may not stand in a text', fix: 'remove it' },
  invisible: { reason: 'an invisible character stands here', fix: 'remove it, or write an ordinary space' },
} as const satisfies { readonly [name: string]: SyntaxFault }

/** A comma directly before a closing bracket. */
export function trailingComma(bracket: string): SyntaxFault {
  return { reason: `no comma may stand before the closing ${bracket}`, fix: 'remove the comma' }
}

/**
 * An object or array that is still open at the end of the file.
 *
 * @param line the line after which it seems to end; undefined when that is only the end of the file
 */
export function unclosed(bracket: string, line: number | undefined): SyntaxFault {
  const closing = closingOf(bracket)
  const fix = line === undefined ? `write ${closing} where it ends` : `write "${closing}," after line ${line}`
  return { reason: `this ${bracket} is never closed`, fix }
}

/** The bracket that closes this one. */
export function closingOf(bracket: string): string {
  return bracket === '{' ? '}' : ']'
}

/** A closing bracket of the wrong kind. */
export function wrongBracket(closing: string, opening: string, line: number): SyntaxFault {
  return {
    reason: `${closing} cannot close the ${opening} of line ${line}`,
    fix: `write ${closingOf(opening)} instead, or before it`,
  }
}

/** An object or array that is nested too deeply. */
export function tooDeep(depth: number): SyntaxFault {
  return { reason: `is nested more than ${depth} deep`, fix: 'flatten it: a declaration needs far less' }
}

/** A file that does not begin with an object. */
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

/** A text in quotes of another kind; `inner` is the text without them. */
export function otherQuotes(inner: string): SyntaxFault {
  return {
    reason: 'JSON takes double quotes only',
    fix: `write ${inQuotes(inner.replace(/\\(['`])/g, '$1'))}`,
  }
}

/** A comment, closed or not. */
export function commentFault(comment: string): SyntaxFault {
  return comment.startsWith('/*') && !comment.slice(2).endsWith('*/')
    ? { reason: 'JSON has no comments, and this one never ends', fix: 'remove it' }
    : { reason: 'JSON has no comments', fix: 'remove it; a "description" may say it' }
}

/** The first fault within a closed text, with its index and length; undefined when there is none. */
export function escapeFault(
  text: string,
): (SyntaxFault & { readonly index: number; readonly length: number }) | undefined {
  for (const { 0: piece, index } of text.matchAll(SUSPICIOUS)) {
    if (/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(piece)) continue
    const fault = piece.startsWith('\\')
      ? { reason: `${piece} is no escape that JSON knows`, fix: `write \\${piece} for the backslash itself` }
      : SYNTAX.controlInText
    return { ...fault, index, length: piece.length }
  }
  return undefined
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const SUSPICIOUS = /\\u[\da-f]{4}|\\[^]|[\u0000-\u001f]/gi

/** A value that is neither in quotes nor a JSON literal. */
export function wordFault(word: string): SyntaxFault {
  const other = OTHER_LANGUAGES.get(word.toLowerCase().replace(/^[+-]/, ''))
  if (other !== undefined) return { reason: `JSON has no ${word}`, fix: other }
  return /^[+-]?\.?\d[\d._]*$/.test(word)
    ? { reason: `${word.slice(0, 40)} is not how JSON writes a number`, fix: 'write it like 10 or 0.5' }
    : { reason: 'a text must stand in double quotes', fix: `write ${inQuotes(word)}` }
}

const OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['undefined', 'remove the key'],
  ['none', 'remove the key'],
  ['null', 'write null'],
  ['true', 'write true'],
  ['yes', 'write true'],
  ['false', 'write false'],
  ['no', 'write false'],
  ['nan', 'write a number'],
  ['infinity', 'write a number'],
])

const MAX_QUOTED_CHARACTERS = 60

function inQuotes(text: string): string {
  return text.length <= MAX_QUOTED_CHARACTERS ? JSON.stringify(text) : 'it in double quotes'
}
