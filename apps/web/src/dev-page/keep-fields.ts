import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'

/** The input of a capability, kept from save to save. */
export interface KeptInput {
  readonly value: JsonObject
  /** Of fields that a save took away: back in place when a save brings the field back. */
  readonly parked: JsonObject
}

/** Nothing typed. */
export const NO_INPUT: KeptInput = { value: {}, parked: {} }

/**
 * Moves an input to changed fields: values of fields that remain stay, values of removed fields are put aside. A value that
 * never had a field, typed as JSON to see it refused, stays too.
 */
export function keepFields({ value, parked }: KeptInput, before: FieldMap, after: FieldMap): KeptInput {
  const isGone = (name: string): boolean => Object.hasOwn(before, name) && !Object.hasOwn(after, name)
  const entries = Object.entries(value)
  const returned = Object.entries(parked).filter(([name]) => Object.hasOwn(after, name))
  return {
    value: Object.fromEntries([...returned, ...entries.filter(([name]) => !isGone(name))]),
    parked: Object.fromEntries([
      ...Object.entries(parked).filter(([name]) => !Object.hasOwn(after, name)),
      ...entries.filter(([name]) => isGone(name)),
    ]),
  }
}
