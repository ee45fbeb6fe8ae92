/** Is this a JSON object, neither an array nor null? */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The properties of a JSON object; empty for any other value. For untrusted input: the caller checks every value. */
export function objectOf(value: unknown): { readonly [key: string]: unknown } {
  return isObject(value) ? value : {}
}

/** Parses JSON; undefined for invalid JSON. Does not limit the depth: for untrusted text call `nestsDeeperThan` first. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
