import type { Capability, Declaration, Field, FieldMap, FieldType } from 'farebox'
import type { Random } from '../../simulator/seeded-random.ts'
import { TEXT_FORMS } from './text-forms.ts'

/** Names a schema may hold that would be trouble in a careless object. */
const FIELD_NAMES = [
  'text',
  'count',
  'toString',
  'constructor',
  'items',
  'hasOwnProperty',
  'a b',
  'é',
  'valueOf',
  'x',
]
const CAPABILITY_NAMES = ['work', 'toString', 'count words', 'constructor', 'résumé', 'a/b', 'x'.repeat(64)]
const TYPES: readonly FieldType[] = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** A declaration without a fault: one to four capabilities, each with fields of every kind. */
export function makeDeclaration(random: Random): Declaration {
  const names = shuffled(random, CAPABILITY_NAMES).slice(0, random.between(1, 4))
  return {
    service_version: '1.0',
    name: random.pick(['Fuzzed', 'é漢🚕', 'An agent/with a slash']),
    description: random.pick(['', 'Says it back.', '🚕'.repeat(1_024)]),
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: random.pick([0.5, 5, 30, 30, 3_600]),
    capabilities: Object.fromEntries(names.map((name, index) => [name, makeCapability(random, index)])),
  }
}

function makeCapability(random: Random, index: number): Capability {
  return {
    description: random.pick(['', 'Works.', 'Zählt Wörter 漢']),
    // Different for each, so that a payment for one is never right for another.
    pricing: { model: 'per_job', amount: `0.0${index + 1}`, currency: 'USDC' },
    input_schema: random.chance(0.1) ? {} : makeFields(random, 'input', 3),
    output_schema: { result: makeField(random, 'output', 3), ...makeFields(random, 'output', 2) },
    ...(random.chance(0.2) && { permissions: [PERMISSION] }),
  }
}

const PERMISSION = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'Buys the ticket',
  token: 'USDC',
  max_per_transaction: '5.00',
} as const

type Side = 'input' | 'output'

function makeFields(random: Random, side: Side, depth: number): FieldMap {
  const names = shuffled(random, FIELD_NAMES).slice(0, random.between(1, 5))
  return Object.fromEntries(
    names.map(name => [name, { ...makeField(random, side, depth), ...makeRequired(random, side) }]),
  )
}

function makeRequired(random: Random, side: Side): { readonly required?: boolean } {
  if (side === 'input') return random.chance(0.5) ? { required: true } : {}
  return random.chance(0.3) ? { required: false } : {}
}

function makeField(random: Random, side: Side, depth: number): Field {
  const type = random.pick(depth <= 1 ? TYPES.slice(0, 4) : TYPES)
  const described = random.chance(0.2) ? { description: 'A field.', title: 'Field' } : {}
  return { type, ...described, ...makeKeywords(random, type, side, depth) }
}

function makeKeywords(random: Random, type: FieldType, side: Side, depth: number): Partial<Field> {
  const fallback = <T extends Field['default']>(value: T) =>
    side === 'input' && value !== undefined && random.chance(0.2) ? { default: value } : {}
  const least = random.between(0, 3)
  switch (type) {
    case 'string':
      return makeStringKeywords(random, least, fallback)
    case 'number':
    case 'integer':
      if (random.chance(0.2)) return { enum: [1, 2, 3], ...fallback(2) }
      return random.chance(0.5) ? { minimum: -least, maximum: 10, ...fallback(1) } : fallback(0)
    case 'boolean':
      return fallback(true)
    case 'array': {
      if (random.chance(0.2)) return {}
      return {
        items: makeField(random, side, depth - 1),
        ...(random.chance(0.5) && { minItems: least, maxItems: 4 }),
      }
    }
    case 'object':
      return random.chance(0.2) ? {} : { properties: makeFields(random, side, depth - 1) }
  }
}

function makeStringKeywords(
  random: Random,
  least: number,
  fallback: (value: string) => Partial<Field>,
): Partial<Field> {
  const form = random.pick(TEXT_FORMS)
  if (random.chance(0.3)) return { ...form.keywords, ...fallback(form.good[0] ?? '') }
  if (random.chance(0.2)) return { enum: ['red', 'green', '🚕'], ...fallback('red') }
  return random.chance(0.5) ? { minLength: least, maxLength: 12, ...fallback('word') } : fallback('')
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map(item => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
