/**
 * JSON in the form of RFC 8785: no white space, keys sorted by their UTF-16 code units, numbers and strings written as
 * ECMAScript writes them. Values that are equal as JSON have the same text, so that hashes of it can be compared.
 *
 * Lone surrogates, for which RFC 8785 defines no form, are written as their escapes (`"\ud800"`).
 *
 * @param value a value as `JSON.parse` returns it; its nesting must not exceed the stack, which the parser has already
 * checked
 * @throws {TypeError} for values that JSON cannot represent: `undefined`, functions, bigints, `NaN`, and the `Infinity` that
 * `1e400` is parsed to
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
