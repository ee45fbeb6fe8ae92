import fc from 'fast-check'
import type { Field, FieldMap, JsonObject, JsonValue } from 'farebox'
import { textFormOf } from './text-forms.ts'

/** A sent input, and the handler's expected input: coerced, with defaults, without undeclared fields. */
export interface SentValue<Value extends JsonValue = JsonValue> {
  readonly sent: Value
  readonly seen: Value
}

/** Texts that have broken other servers: each is valid JSON, and none may have a special meaning here. */
const ODD_TEXTS = ['\u0000', '\ud800', '\u202eevil', '1e400', '-0', '${AGENT_WALLET_ADDRESS}', '\r\na: b']

const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...ODD_TEXTS))

/** Any JSON, without keys that a body must not have, and without -0, which JSON does not preserve. */
const anyJson: fc.Arbitrary<JsonValue> = fc
  .oneof(fc.jsonValue({ maxDepth: 2 }), texts)
  .map(value => JSON.stringify(value))
  .filter(text => !/__proto__|constructor|prototype/.test(text))
  .map(text => JSON.parse(text) as JsonValue)

/** Inputs that are valid by construction, and their form after D19 and D20. */
export function inputsOf(fields: FieldMap): fc.Arbitrary<SentValue<JsonObject>> {
  return mapsOf(fields, 'input')
}

/** Outputs that are valid by construction. */
export function outputsOf(fields: FieldMap): fc.Arbitrary<JsonObject> {
  return mapsOf(fields, 'output').map(({ seen }) => seen)
}

/** Inputs may be sent in a form that is coerced, and with undeclared fields. */
type Side = 'input' | 'output'

/** A field of an object; undefined if it is absent. */
interface Member {
  readonly sent: JsonValue | undefined
  readonly seen: JsonValue | undefined
}

function mapsOf(fields: FieldMap, side: Side): fc.Arbitrary<SentValue<JsonObject>> {
  const isInput = side === 'input'
  const members = Object.entries(fields).map(([name, field]): [string, fc.Arbitrary<Member>] => {
    const present = valuesOf(field, side)
    const absent = { sent: undefined, seen: isInput ? field.default : undefined }
    const isRequired = field.required ?? !isInput
    return [name, isRequired ? present : either(3, present, fc.constant(absent))]
  })
  const undeclared = fc.dictionary(
    fc.constantFrom('zz', 'undeclared', 'isPrototypeOf'),
    anyJson.map((sent): Member => ({ sent, seen: undefined })),
    { maxKeys: 1, noNullPrototype: true },
  )
  return fc
    .tuple(fc.record(Object.fromEntries(members)), isInput ? undeclared : fc.constant({}))
    .map(([declared, more]) => {
      const all = Object.entries<Member>({ ...declared, ...more })
      return {
        sent: objectOf(all.map(([name, { sent }]) => [name, sent])),
        seen: objectOf(all.map(([name, { seen }]) => [name, seen])),
      }
    })
}

function objectOf(members: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function valuesOf(field: Field, side: Side): fc.Arbitrary<SentValue> {
  if (field.enum !== undefined) return fc.constantFrom(...field.enum).map(same)
  const asText = (values: fc.Arbitrary<JsonValue>): fc.Arbitrary<SentValue> => {
    const texts = values.map(seen => ({ sent: String(seen), seen }))
    return side === 'output' ? values.map(same) : either(4, values.map(same), texts)
  }
  switch (field.type) {
    case 'string':
      return stringsOf(field, side)
    case 'number':
    case 'integer':
      return asText(numbersOf(field))
    case 'boolean':
      return asText(fc.boolean())
    case 'array': {
      const { items, minItems = 0, maxItems = 4 } = field
      const item = items === undefined ? anyJson.map(same) : valuesOf(items, side)
      return fc
        .array(item, { minLength: minItems, maxLength: maxItems })
        .map(made => ({ sent: made.map(({ sent }) => sent), seen: made.map(({ seen }) => seen) }))
    }
    case 'object':
      return field.properties === undefined
        ? anyJson.map(any => same({ any }))
        : mapsOf(field.properties, side)
  }
}

function stringsOf(field: Field, side: Side): fc.Arbitrary<SentValue> {
  const form = textFormOf(field)
  if (form !== undefined) return fc.constantFrom(...form.good).map(same)
  const { minLength, maxLength } = field
  if (minLength !== undefined || maxLength !== undefined)
    return fc.string({ unit: 'binary', minLength: minLength ?? 0, maxLength: maxLength ?? 20 }).map(same)
  if (side === 'output') return texts.map(same)
  const plain = fc.constantFrom(7, -1.5, 1e21, true, false).map(sent => ({ sent, seen: String(sent) }))
  return either(6, texts.map(same), plain)
}

function numbersOf({ type, minimum = -1e6, maximum = 1e6 }: Field): fc.Arbitrary<number> {
  const whole = fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) })
  return type === 'integer'
    ? whole
    : either(
        1,
        whole,
        whole.map(number => Math.min(number + 0.25, maximum)),
      )
}

/** The first is chosen this many times as often as the second. */
export function either<A, B>(
  times: number,
  often: fc.Arbitrary<A>,
  seldom: fc.Arbitrary<B>,
): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: times, arbitrary: often }, { weight: 1, arbitrary: seldom })
}

function same<Value extends JsonValue>(value: Value): SentValue<Value> {
  return { sent: value, seen: value }
}
