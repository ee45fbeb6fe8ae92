import type { FieldMap } from '@farebox/protocol/fields/field'

/** A cache of the most recently used compiled schemas. */
export interface CompiledCache<T> {
  /** Returns the compiled form of a schema given as JSON text. */
  get(fields: string): T
}

/**
 * The limits keep the cache within about 100 MB, given the size of a schema and the at most 100,000 instructions of its
 * patterns.
 */
const MOST_SCHEMAS = 100
const MOST_CHARACTERS = 4_000_000

/** Creates a cache whose key is the schema's text, so a changed declaration is compiled again. */
export function createCompiledCache<T>(compile: (fields: FieldMap) => T): CompiledCache<T> {
  const compiled = new Map<string, T>()
  let characters = 0
  return {
    get(fields) {
      const known = compiled.get(fields)
      // Safe: the schema was checked when the agent was listed.
      const entry = known ?? compile(JSON.parse(fields) as FieldMap)
      if (known === undefined) characters += fields.length
      else compiled.delete(fields)
      compiled.set(fields, entry)
      for (const oldest of compiled.keys()) {
        if (compiled.size <= MOST_SCHEMAS && characters <= MOST_CHARACTERS) break
        compiled.delete(oldest)
        characters -= oldest.length
      }
      return entry
    },
  }
}
