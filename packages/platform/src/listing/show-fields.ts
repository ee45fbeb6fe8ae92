import { MAX_SHOWN_FIELDS } from '@farebox/platform-api/search'
import type { FieldMap, FieldType, Side } from '@farebox/protocol/fields/field'
import { ownersText } from './owners-text.ts'

/** The fields of one side of a capability as a list shows them. */
export interface ShownFields {
  /** The first declared fields: name, type, and whether the field is required (input) or always returned (output). */
  readonly fields: readonly (readonly [name: string, type: FieldType, required: boolean])[]
  /** The number of declared fields. */
  readonly count: number
}

const MOST_NAME_CHARACTERS = 64

/** The first fields in short form, with names that are safe to show. */
export function showFields(fields: FieldMap, side: Side): ShownFields {
  const declared = Object.entries(fields)
  return {
    fields: declared.slice(0, MAX_SHOWN_FIELDS).map(([name, { type, required }]) => {
      const isRequired = side === 'input' ? required === true : required !== false
      return [ownersText(name, MOST_NAME_CHARACTERS).text, type, isRequired]
    }),
    count: declared.length,
  }
}
