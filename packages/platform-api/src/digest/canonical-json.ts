/**
 * JSON as RFC 8785 writes it: no blanks, keys sorted by their UTF-16 code units, numbers and strings as ECMAScript
 * writes them. Two values that are equal as JSON have one spelling, so that a hash of it can be compared.
 *
 * Lone surrogates, which RFC 8785 leaves without a form, are written as their escapes (`"\ud800"`).
 *
 * @param value what `JSON.parse` gives; nested no deeper than the stack allows, which its parser has checked
 * @throws {TypeError} for what JSON has no form for: `undefined`, functions, bigints, `NaN`,
 *   and the `Infinity` that `1e400` is parsed to
 * @example canonicalJson({ b: 1, a: 'ä' }) // '{"a":"ä","b":1}'
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
  }
  const isJson = typeof value === 'number' ? Number.isFinite(value) : value === null || isText(value)
  if (!isJson) throw new TypeError(`JSON has no form for ${typeof value === 'number' ? value : typeof value}`)
  return JSON.stringify(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean'
}
