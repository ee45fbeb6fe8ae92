import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'

/** The input of a capability, kept from save to save. */
export interface KeptInput {
  readonly value: JsonObject
  /** The values of fields that a save removed; restored when a save brings the field back. */
  readonly parked: JsonObject
}

/** An empty input. */
export const NO_INPUT: KeptInput = { value: {}, parked: {} }

/**
 * Adapts an input to changed fields: values of remaining fields stay, and values of removed fields are set aside. A value
 * that never had a field, typed as JSON to see it refused, stays too.
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
