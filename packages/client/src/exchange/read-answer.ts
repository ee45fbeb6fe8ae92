/** The check of a response: any schema of `@farebox/platform-api`. */
export interface AnswerSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

interface Issue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Present for `unrecognized_keys`. */
  readonly keys?: readonly string[]
}

/** Newer platforms may send more keys, at this many levels of nesting. */
const MAX_ROUNDS = 8

/**
 * Reads a response by its schema. Additional keys of a newer platform are removed; undefined when something is missing or
 * has another form.
 */
export function readAnswer<T>(schema: AnswerSchema<T>, answer: unknown): T | undefined {
  const copy: unknown = structuredClone(answer)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const read = schema.safeParse(copy)
    if (read.success) return read.data
    const { issues } = read.error
    if (!issues.every(({ code }) => code === 'unrecognized_keys')) return undefined
    for (const { path, keys = [] } of issues) removeKeys(copy, path, keys)
  }
  return undefined
}

function removeKeys(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  let at = value
  // The path of an issue leads through the parsed value.
  for (const key of path) at = (at as { readonly [key: PropertyKey]: unknown })[key]
  for (const key of keys) delete (at as { [key: string]: unknown })[key]
}
