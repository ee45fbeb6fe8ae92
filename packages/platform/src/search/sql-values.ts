/** Collects the parameters of a statement, so that no untrusted text becomes part of its SQL. */
export interface Values {
  readonly all: readonly unknown[]
  /** Adds a value; returns its `$number` with its type. */
  bind(value: unknown, type: string): string
}

/** Creates the parameters of a new statement. */
export function createValues(): Values {
  const all: unknown[] = []
  return {
    all,
    bind(value, type) {
      all.push(value)
      return `$${all.length}::${type}`
    },
  }
}

/** A `tsquery` for words that must all be present, each in one of its readings. */
export function wordQuery(readings: readonly (readonly string[])[]): string {
  return readings.map(words => `(${words.map(word => `'${word}'`).join(' | ')})`).join(' & ')
}
