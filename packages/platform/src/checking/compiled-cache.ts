import type { FieldMap } from '@farebox/protocol/fields/field'

/** Compiled schemas that were used last. */
export interface CompiledCache<T> {
  /** What a schema, as JSON, compiles to. */
  get(fields: string): T
}

/** With the characters a schema has, and the at most 100,000 instructions of its patterns, about 100 MB at worst. */
const MOST_SCHEMAS = 100
const MOST_CHARACTERS = 4_000_000

/** Makes a cache by the schema's own text: a changed declaration is compiled again. */
export function createCompiledCache<T>(compile: (fields: FieldMap) => T): CompiledCache<T> {
  const compiled = new Map<string, T>()
  let characters = 0
  return {
    get(fields) {
      const known = compiled.get(fields)
      // What was checked when the agent was listed is what is compiled here.
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
