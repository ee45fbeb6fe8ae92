import { MAX_SHOWN_FIELDS } from '@farebox/platform-api/search'
import type { FieldMap, FieldType, Side } from '@farebox/protocol/fields/field'
import { ownersText } from './owners-text.ts'

/** What a list shows of the fields of one side of a capability. */
export interface ShownFields {
  /** The first ones declared: name, type, and whether it has to be given or is always given. */
  readonly fields: readonly (readonly [name: string, type: FieldType, required: boolean])[]
  /** How many are declared. */
  readonly count: number
}

const MOST_NAME_CHARACTERS = 64

/** The first fields in short; their names as others may be shown them. */
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
