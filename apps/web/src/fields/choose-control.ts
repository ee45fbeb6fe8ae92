import type { Field, FieldMap } from '@farebox/protocol/fields/field'

/** The kind of control that edits a field. */
export type Control =
  | 'line'
  | 'area'
  | 'choice'
  | 'list'
  | 'number'
  | 'truth'
  | 'lines'
  | 'rows'
  | 'group'
  | 'json'

const MOST_CHOICES = 4
const LONG_TEXT = 120
const DEEPEST = 3
const MOST_COLUMNS = 5
/** A form with more fields is offered as JSON only: a schema can be too large for a form that people can use. */
const MOST_FIELDS = 200

/** Chooses the control for a field at this depth of the form; top-level fields have depth 1. */
export function chooseControl(field: Field, depth: number): Control {
  if (field.enum !== undefined && field.enum.every(isScalar)) {
    const isShort = field.enum.length <= MOST_CHOICES && field.enum.every(value => String(value).length <= 24)
    return isShort ? 'choice' : 'list'
  }
  switch (field.type) {
    case 'string':
      return field.maxLength !== undefined && field.maxLength <= LONG_TEXT
        ? 'line'
        : isOneLine(field)
          ? 'line'
          : 'area'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'truth'
    case 'array':
      return depth > DEEPEST ? 'json' : chooseForItems(field.items)
    case 'object':
      return depth > DEEPEST || field.properties === undefined ? 'json' : 'group'
  }
}

/** Whether people can fill in a form of these fields. */
export function isFillable(fields: FieldMap): boolean {
  return countFields(fields, 0) <= MOST_FIELDS
}

function countFields(fields: FieldMap, before: number): number {
  let count = before
  for (const field of Object.values(fields)) {
    count += 1
    if (count > MOST_FIELDS) return count
    const inner = field.properties ?? field.items?.properties
    if (inner !== undefined) count = countFields(inner, count)
  }
  return count
}

function chooseForItems(items: Field | undefined): Control {
  if (items === undefined) return 'json'
  if (items.type === 'string' || items.type === 'number' || items.type === 'integer')
    return items.enum === undefined ? 'lines' : 'json'
  const columns = items.properties === undefined ? [] : Object.values(items.properties)
  const isFlat = columns.length > 0 && columns.length <= MOST_COLUMNS && columns.every(isFlatField)
  return items.type === 'object' && isFlat ? 'rows' : 'json'
}

function isFlatField(field: Field): boolean {
  return field.type !== 'array' && field.type !== 'object'
}

/** Whether a value has no line breaks: formats have none, and neither have anchored patterns of plain characters. */
function isOneLine({ format, pattern }: Field): boolean {
  if (format !== undefined) return true
  return pattern !== undefined && /^\^.*\$$/s.test(pattern) && !/\\[sWDSnr]|\[\^|[\n\r]/.test(pattern)
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
