/** Why a text is not a JSON object: `Not valid JSON (line 1, column 15).` Undefined when it is one. */
export function explainJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'input: must be an object'
  } catch {
    const lines = text.slice(0, findFault(text)).split('\n')
    return `Not valid JSON (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}).`
  }
}

/** A token of RFC 8259, with the white space before it. */
const TOKEN =
  /[ \t\n\r]*("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/uy

/** The tokens allowed next. `… or end`: the open bracket may also be closed. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

/** The index of the first invalid character. Error messages of browsers do not always contain it. */
function findFault(text: string): number {
  const open: string[] = []
  let expected: Expected | undefined = 'value'
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[1]
    const start =
      token === undefined
        ? at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0)
        : TOKEN.lastIndex - token.length
    if (token === undefined || expected === undefined) return start
    const end = open.at(-1) === '{' ? '}' : ']'
    if (token === end && expected.endsWith('end')) {
      open.pop()
      expected = open.length === 0 ? undefined : 'comma or end'
    } else if (token === ',' && expected === 'comma or end') expected = open.at(-1) === '{' ? 'key' : 'value'
    else if (token === ':' && expected === 'colon') expected = 'value'
    else if (token.startsWith('"') && expected.startsWith('key')) expected = 'colon'
    else if (/^[\]},:]/.test(token) || !expected.startsWith('value')) return start
    else if (token === '{' || token === '[') {
      open.push(token)
      expected = token === '{' ? 'key or end' : 'value or end'
    } else expected = open.length === 0 ? undefined : 'comma or end'
  }
}
