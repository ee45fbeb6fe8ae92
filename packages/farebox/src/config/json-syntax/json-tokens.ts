/** What a piece of a text that should be JSON is. */
export interface JsonToken {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

export type TokenKind =
  | '{'
  | '}'
  | '['
  | ']'
  | ','
  | ':'
  /** In double quotes, closed or not. */
  | 'text'
  /** In quotes that JSON does not have: 'single', `back`, “curly”. */
  | 'quoted'
  | 'comment'
  /** A number, true, false, null, or whatever else stands without quotes. */
  | 'word'
  /** White space that is none in JSON, and control characters. */
  | 'odd'
  | 'end'

/**
 * Cuts a text into the pieces its author meant, also where JSON knows no such piece. Whatever the text, each piece is
 * longer than nothing and they follow each other, until one of kind `end`.
 */
export function* readTokens(text: string): Generator<JsonToken, undefined> {
  let start = 0
  while (start < text.length) {
    const token = readToken(text, start)
    if (token !== undefined) yield token
    start = token?.end ?? start + match(WHITE_SPACE, text, start)
  }
  yield { kind: 'end', start, end: start }
}

/** Undefined for white space. */
function readToken(text: string, start: number): JsonToken | undefined {
  const character = text[start] ?? ''
  if (isPunctuation(character)) return { kind: character, start, end: start + 1 }
  for (const [kind, pattern] of PIECES) {
    const length = match(pattern, text, start)
    if (length > 0) return { kind, start, end: start + length }
  }
  return undefined
}

function isPunctuation(character: string): character is '{' | '}' | '[' | ']' | ',' | ':' {
  return character !== '' && '{}[],:'.includes(character)
}

function match(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(text)?.[0].length ?? 0
}

const WHITE_SPACE = /[ \t\r\n]+/y

/** In this order; texts end at the end of their line where nothing closes them. */
const PIECES: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ['text', /"[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*(?:"|\\?)/y],
  ['quoted', /'(?:[^'\\\r\n]|\\[^\r\n])*'?|`[^`]*`?|[“„«”][^”“»"\r\n]*[”“»"]?/y],
  ['comment', /\/\/[^\r\n]*|#[^\r\n]*|\/\*[^]*?(?:\*\/|$)/y],
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  ['odd', /(?:(?![ \t\r\n])[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060\ufeff])+/y],
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  ['word', /;|(?:(?!\/[/*])[^\s{}[\],:;"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060\ufeff])+/y],
]
