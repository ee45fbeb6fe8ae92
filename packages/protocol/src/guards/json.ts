/** Is this a JSON object: neither a list nor null? */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The properties of a JSON object; none where it is no object. For untrusted input: the caller checks every value. */
export function objectOf(value: unknown): { readonly [key: string]: unknown } {
  return isObject(value) ? value : {}
}

/** Parses JSON; undefined where it is none. Does not bound its depth: for untrusted text ask `nestsDeeperThan` first. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
