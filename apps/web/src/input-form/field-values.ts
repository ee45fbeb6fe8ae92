import type { Violation } from '@farebox/protocol/fields/compile'
import type { Field, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import type { Control } from '../fields/choose-control.ts'
import { describeRule } from '../fields/describe-rule.ts'
import { formatCount } from '../format/share.ts'
import { formatIsoDay } from '../format/time.ts'
import { cutText } from '../format/cut-text.ts'

/** The path of a value in an input: `['items', 2, 'name']`. */
export type FieldPath = readonly (string | number)[]

/** Undefined when nothing has been filled in. */
export type Value = JsonValue | undefined

/** Formats a path as the check does: `items[2].name`. */
export function writeFieldPath(path: FieldPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
}

/** Controls whose inner fields have controls of their own. */
const OF_OTHERS: readonly Control[] = ['group', 'rows']

/** The refusal of this field, or of an inner value without a control of its own, such as `tags[1]` of a list. */
export function refusalAt(
  refusal: Violation | undefined,
  path: FieldPath,
  control: Control,
): Violation | undefined {
  const own = writeFieldPath(path)
  if (refusal === undefined || refusal.field === own) return refusal
  const isInside = refusal.field.startsWith(`${own}[`) || refusal.field.startsWith(`${own}.`)
  return isInside && !OF_OTHERS.includes(control) ? refusal : undefined
}

/** The index of the entry that a field path names, in the list at this path. */
export function entryAt(field: string, path: FieldPath): number | undefined {
  const [, at] = /^\[(\d+)\]/.exec(field.slice(writeFieldPath(path).length)) ?? []
  return at === undefined ? undefined : Number(at)
}

/** The value at a path such as `items[2].name`. The path `input` is the whole input, unless it has a field of that name. */
export function readField(input: JsonObject, path: string): Value {
  const [first = '', ...rest] = path.split(/[.[\]]+/).filter(part => part !== '')
  if (first === 'input' && rest.length === 0 && !Object.hasOwn(input, first)) return input
  return [first, ...rest].reduce<Value>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as { readonly [part: string]: JsonValue })[part]
        : undefined,
    input,
  )
}

/** The owner's description of a field, and the default that applies when it is left empty. */
export function fieldHelp({ description = '', default: standard, type, ...field }: Field): string {
  // A description that the empty control displays is not repeated.
  const isShownInside =
    placeholderOf({ ...field, type, description, default: standard } as Field) === description
  const said =
    description === '' || isShownInside ? '' : /[.!?…]$/.test(description) ? description : `${description}.`
  const isShown =
    standard !== undefined &&
    type !== 'boolean' &&
    (typeof standard === 'string' || typeof standard === 'number')
  return [said, isShown ? `Default: ${String(standard)}.` : ''].filter(one => one !== '').join(' ')
}

/** The placeholder of an empty control. */
export function placeholderOf({ default: standard, examples, description = '' }: Field): string {
  const shown = standard ?? examples?.[0]
  if (typeof shown === 'string' || typeof shown === 'number') return cutText(String(shown), 200)
  return cutText(description, 200)
}

/** The length of a text with its maximum, or else the rule of the field. */
export function countRule(field: Field, value: Value): string {
  // The native date control uses the reader's language; the text next to it shows the day in the format of these pages.
  const day = field.format === 'date' && typeof value === 'string' ? formatIsoDay(value) : undefined
  if (day !== undefined) return day
  const most = field.maxLength
  const length = typeof value === 'string' ? Array.from(value).length : 0
  if (most !== undefined) return `${formatCount(length)} / ${formatCount(most)}`
  return describeRule(field)
}

/** The values of an enum, each with a unique label, so that `1` and `"1"` differ. */
export function choicesOf({
  enum: values = [],
}: Field): readonly (readonly [value: JsonValue, words: string])[] {
  return values.map(value => {
    const words = String(value)
    const isShared = values.some(other => other !== value && String(other) === words)
    return [value, words === '' ? 'Empty' : isShared ? JSON.stringify(value) : words] as const
  })
}

/** The value of a text control; undefined when it is empty. */
export function filled(text: string): Value {
  return text === '' ? undefined : text
}

/** A value as text for a one-line control. */
export function asText(value: Value): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value if it is an object, or else an empty object. */
export function fieldsOf(value: Value): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** A copy of an object with one field changed. */
export function withField(value: JsonObject, name: string, changed: Value): JsonObject {
  const kept = Object.entries(value).filter(([key]) => key !== name)
  return Object.fromEntries(changed === undefined ? kept : [...kept, [name, changed] as const])
}

/** Parses JSON; undefined when the text is not valid JSON. */
export function parseJsonValue(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}
