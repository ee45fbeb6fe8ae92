import type { JsonObject } from '../fields/field.ts'
import type { Fault } from '../problems/problem.ts'

/** Names that objects reorder: a capability or field with such a name would not keep its declared position (D28). */
const INTEGER_LIKE = '(?:0|[1-9]\\d*)'

const INTEGER_LIKE_NAME = new RegExp(`^${INTEGER_LIKE}$`)

/**
 * Why a capability or a field may not have this name, or undefined when it may. Empty and overlong names are reported by the
 * caller, which knows what the name is for.
 *
 * @param kind the first word of the better name that is proposed: `field` for `field_7`
 */
export function refuseName(name: string, kind: string): Fault | undefined {
  if (name === '__proto__') {
    return {
      reason: 'must have another name: JavaScript takes __proto__ for something else',
      fix: `rename it, for example to "${kind}_proto"`,
      at: 'key',
    }
  }
  if (INTEGER_LIKE_NAME.test(name)) {
    return {
      reason: 'must not have a number as its name: objects put such names first (D28)',
      fix: `begin it with a letter, for example "${kind}_${name.slice(0, MAX_REPEATED_CHARACTERS)}"`,
      at: 'key',
    }
  }
  return undefined
}

const MAX_REPEATED_CHARACTERS = 20

/** {@link refuseName} in JSON Schema, for `propertyNames`; an empty name is refused too. */
export function nameSchema(maxCharacters?: number): JsonObject {
  const pattern = `^(?!${INTEGER_LIKE}$)(?!__proto__$)[\\s\\S]+$`
  const patternErrorMessage = 'must be a name: not empty, not a number, not __proto__'
  return maxCharacters === undefined
    ? { pattern, patternErrorMessage }
    : { maxLength: maxCharacters, pattern, patternErrorMessage }
}
