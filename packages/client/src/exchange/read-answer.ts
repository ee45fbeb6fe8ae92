/** What checks an answer: any schema of `@farebox/platform-api`. */
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
  /** Of `unrecognized_keys`. */
  readonly keys?: readonly string[]
}

/** Newer platforms may say more, at as many levels as there are. */
const MAX_ROUNDS = 8

/**
 * An answer as its schema has it. What a newer platform says beside it is left out; what is missing or of another
 * form makes it undefined.
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
  // The path of an issue leads through what was parsed.
  for (const key of path) at = (at as { readonly [key: PropertyKey]: unknown })[key]
  for (const key of keys) delete (at as { [key: string]: unknown })[key]
}
