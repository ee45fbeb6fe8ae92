import type { Field, FieldMap, JsonObject, JsonValue } from 'farebox'
import type { Random } from '../../simulator/seeded-random.ts'
import { makeText, makeTextOf } from './make-text.ts'
import { textFormOf } from './text-forms.ts'

/** What a caller sends, and what the handler must then be given: coerced, defaulted, the undeclared left out. */
export interface SentValue {
  readonly sent: JsonObject
  readonly seen: JsonObject
}

/** An input that the schema takes, by construction, and what D19 and D20 make of it. */
export function makeInput(random: Random, fields: FieldMap): SentValue {
  return makeMap(random, fields, { coerced: true, isRequired: field => field.required === true })
}

/** An output that the schema takes, by construction. */
export function makeOutput(random: Random, fields: FieldMap): JsonObject {
  return makeMap(random, fields, { coerced: false, isRequired: field => field.required !== false }).seen
}

interface Rules {
  /** Whether values may be sent in a form that has to be coerced, and with undeclared fields beside them. */
  readonly coerced: boolean
  readonly isRequired: (field: Field) => boolean
}

function makeMap(random: Random, fields: FieldMap, rules: Rules): SentValue {
  const sent: JsonObject = {}
  const seen: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) {
    if (rules.isRequired(field) || random.chance(0.6)) {
      const value = makeValue(random, field, rules)
      sent[name] = value.sent
      seen[name] = value.seen
    } else if (field.default !== undefined && rules.coerced) seen[name] = structuredClone(field.default)
  }
  if (rules.coerced && random.chance(0.2))
    sent[random.pick(['zz', 'undeclared', 'isPrototypeOf'])] = makeAnything(random, 2)
  return { sent, seen }
}

function makeValue(random: Random, field: Field, rules: Rules): { sent: JsonValue; seen: JsonValue } {
  if (field.enum !== undefined) return same(random.pick(field.enum))
  switch (field.type) {
    case 'string':
      return makeString(random, field, rules)
    case 'number':
    case 'integer': {
      const number = makeNumber(random, field)
      return rules.coerced && random.chance(0.2) ? { sent: String(number), seen: number } : same(number)
    }
    case 'boolean': {
      const truth = random.chance(0.5)
      return rules.coerced && random.chance(0.2) ? { sent: String(truth), seen: truth } : same(truth)
    }
    case 'array': {
      const { items, minItems = 0, maxItems = 4 } = field
      const made = Array.from({ length: random.between(minItems, maxItems) }, () =>
        items === undefined ? same(makeAnything(random, 2)) : makeValue(random, items, rules),
      )
      return { sent: made.map(({ sent }) => sent), seen: made.map(({ seen }) => seen) }
    }
    case 'object':
      return field.properties === undefined
        ? same({ any: makeAnything(random, 2) })
        : makeMap(random, field.properties, rules)
  }
}

function makeString(random: Random, field: Field, rules: Rules): { sent: JsonValue; seen: JsonValue } {
  const form = textFormOf(field)
  if (form !== undefined) return same(random.pick(form.good))
  const { minLength, maxLength } = field
  if (minLength !== undefined || maxLength !== undefined)
    return same(makeTextOf(random, random.between(minLength ?? 0, maxLength ?? 20)))
  if (!rules.coerced || random.chance(0.85)) return same(makeText(random))
  const plain = random.pick([7, -1.5, 1e21, true, false])
  return { sent: plain, seen: String(plain) }
}

function makeNumber(random: Random, { type, minimum = -1e6, maximum = 1e6 }: Field): number {
  const whole = random.between(Math.ceil(minimum), Math.floor(maximum))
  if (type === 'integer' || whole >= maximum) return whole
  return random.chance(0.5) ? whole : whole + 0.25
}

/** Any JSON at all, so many levels deep at most. */
export function makeAnything(random: Random, depth: number): JsonValue {
  const kind = random.between(0, depth > 0 ? 7 : 5)
  switch (kind) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.pick([0, 1, -1, 1.5, 2 ** 53, 1e308, 5e-324, -1e21])
    case 6:
      return Array.from({ length: random.between(0, 3) }, () => makeAnything(random, depth - 1))
    case 7:
      return { [random.pick(['a', 'toString', 'é', ''])]: makeAnything(random, depth - 1) }
    default:
      return makeText(random)
  }
}

function same(value: JsonValue): { sent: JsonValue; seen: JsonValue } {
  return { sent: value, seen: value }
}
