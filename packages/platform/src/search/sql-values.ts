/** Collects the values of a statement under their numbers, so that no untrusted text is ever part of it. */
export interface Values {
  readonly all: readonly unknown[]
  /** Adds one; returns its `$number` with its type. */
  bind(value: unknown, type: string): string
}

/** Begins a statement's values. */
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

/** Words that must all be there, each in one of its readings, as a `tsquery`. */
export function wordQuery(readings: readonly (readonly string[])[]): string {
  return readings.map(words => `(${words.map(word => `'${word}'`).join(' | ')})`).join(' & ')
}
