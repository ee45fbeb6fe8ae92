import { countCodePoints } from './code-points.ts'

/**
 * Describes a value at the end of a message: `"abc"`, `12`, `null`, `an array of 3 items`, `an instance of Map`. At most
 * about 60 characters; never throws, whatever the value is.
 */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoteText(value)
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value)
    case 'bigint':
      return 'a BigInt'
    case 'symbol':
      return value === UNREADABLE ? 'a property that throws when it is read' : 'a symbol'
    case 'function':
      return 'a function'
    case 'object':
      return value === null ? 'null' : describeObject(value)
  }
}

/** Stands for the value of a throwing getter or Proxy; not a JSON value, so every check refuses it. */
export const UNREADABLE: unique symbol = Symbol('unreadable')

/** `1 item`, `3 items`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

/** The text in JSON quotes, with control characters escaped, truncated after 40 characters. */
export function quoteText(text: string): string {
  if (text.length <= MAX_SHOWN_CHARACTERS) return JSON.stringify(text)
  const shown = Array.from(text.slice(0, 2 * MAX_SHOWN_CHARACTERS))
    .slice(0, MAX_SHOWN_CHARACTERS)
    .join('')
  return `${JSON.stringify(shown)}… (${countCodePoints(text)} characters)`
}

const MAX_SHOWN_CHARACTERS = 40

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`
    const name: unknown = value.constructor?.name
    if (typeof name !== 'string' || name === '' || name === 'Object') return 'an object'
    return `an instance of ${name.slice(0, MAX_SHOWN_CHARACTERS)}`
  } catch {
    return 'an object that cannot be read'
  }
}
