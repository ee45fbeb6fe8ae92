import type { DeclarationChange } from '@farebox/platform-api/registry'
import { compatibleMaps } from '@farebox/protocol/compatibility/compatible'
import { comparableJson } from '@farebox/protocol/internal/fields/equal-json'
import type { Field, FieldMap, JsonObject, Side } from '@farebox/protocol/fields/field'
import { quoteValue, type ChangeSeverity } from './declaration-change.ts'

/** Keywords that do not affect which values are valid. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default'])
const MAX_DETAILS = 6

/**
 * Lists how the inputs of a capability changed, for callers who send them. A change is breaking when a formerly valid
 * value may be refused. Removing an input is compatible, because undeclared inputs are dropped (D20).
 */
export function diffInputs(before: FieldMap, after: FieldMap): readonly DeclarationChange[] {
  const [old, now] = [explicit(before, 'input'), explicit(after, 'input')]
  return eachName(old, now, (name, was, is) => {
    const input = `input ${quoteValue(name)}`
    if (was === undefined) {
      if (is?.required === true) return ['breaking', `needs the new ${input} (${is.type})`]
      return ['compatible', `takes the new ${input} (${is?.type}), which may be left out`]
    }
    if (is === undefined) return ['compatible', `no longer reads the ${input}`]
    if (!accepts(is, was)) return ['breaking', `${input} takes less than it did: ${detailsOf(was, is)}`]
    if (isForPeopleOnly(was, is)) return ['compatible', `${input} is described anew: ${detailsOf(was, is)}`]
    return ['compatible', `${input} takes more than it did: ${detailsOf(was, is)}`]
  })
}

/**
 * Lists how the outputs of a capability changed, for callers who read them. A change is breaking when an output was
 * removed, has another type, may now be absent, or may have values that it could not have before.
 */
export function diffOutputs(before: FieldMap, after: FieldMap): readonly DeclarationChange[] {
  const [old, now] = [explicit(before, 'output'), explicit(after, 'output')]
  return eachName(old, now, (name, was, is) => {
    const output = `output ${quoteValue(name)}`
    if (was === undefined) return ['compatible', `gives the new ${output} (${is?.type})`]
    if (is === undefined) return ['breaking', `no longer gives the ${output}`]
    if (isRetyped(was, is)) return ['breaking', `${output} has another type: ${detailsOf(was, is)}`]
    if (!accepts(was, is)) {
      return ['breaking', `${output} can have values that it could not have: ${detailsOf(was, is)}`]
    }
    if (isForPeopleOnly(was, is)) return ['compatible', `${output} is described anew: ${detailsOf(was, is)}`]
    return ['compatible', `${output} is narrower than it was: ${detailsOf(was, is)}`]
  })
}

function eachName(
  old: FieldMap,
  now: FieldMap,
  judge: (name: string, was: Field | undefined, is: Field | undefined) => [ChangeSeverity, string],
): readonly DeclarationChange[] {
  const changes: DeclarationChange[] = []
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [was, is] = [own(old, name), own(now, name)]
    if (was !== undefined && is !== undefined && textOf(was) === textOf(is)) continue
    const [severity, sentence] = judge(name, was, is)
    changes.push({ severity, sentence })
  }
  return changes
}

/** Whether every value of `produced`, including its absence, is valid for `accepted`. */
function accepts(accepted: Field, produced: Field): boolean {
  const { matches } = compatibleMaps({ field: produced }, { field: accepted })
  return matches.every(({ grade }) => grade === 'same' || grade === 'safe')
}

/**
 * Whether the type of a field changed. Coercion hides some type changes between the platform's own agents, but a
 * program that reads the JSON has no coercion.
 */
function isRetyped(was: Field, is: Field): boolean {
  if (was.type !== is.type && !(was.type === 'number' && is.type === 'integer')) return true
  if (was.items !== undefined && is.items !== undefined && isRetyped(was.items, is.items)) return true
  const { properties: now } = is
  if (was.properties === undefined || now === undefined) return false
  return Object.entries(was.properties).some(([name, property]) => {
    const other = own(now, name)
    return other === undefined || isRetyped(property, other)
  })
}

/** Returns the fields with `required` set explicitly, because its default differs between inputs and outputs (D20). */
function explicit(fields: FieldMap, side: Side): FieldMap {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, explicitField(field, side)]))
}

function explicitField(field: Field, side: Side): Field {
  const { items, properties } = field
  return {
    ...field,
    required: side === 'input' ? field.required === true : field.required !== false,
    ...(items !== undefined && { items: explicitField(items, side) }),
    ...(properties !== undefined && { properties: explicit(properties, side) }),
  }
}

function isForPeopleOnly(was: Field, is: Field): boolean {
  return differences(was, is, '').every(({ keyword }) => FOR_PEOPLE.has(keyword))
}

function detailsOf(was: Field, is: Field): string {
  const all = differences(was, is, '')
  const shown = all.slice(0, MAX_DETAILS).map(({ text }) => text)
  return [...shown, ...(all.length > MAX_DETAILS ? [`and ${all.length - MAX_DETAILS} more`] : [])].join(', ')
}

interface Difference {
  readonly keyword: string
  readonly text: string
}

function differences(was: Field, is: Field, path: string): readonly Difference[] {
  const [old, now] = [asJson(was), asJson(is)]
  const found: Difference[] = []
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (keyword === 'items' && was.items !== undefined && is.items !== undefined) {
      found.push(...differences(was.items, is.items, `${path}items `))
    } else if (keyword === 'properties' && was.properties !== undefined && is.properties !== undefined) {
      found.push(...propertyDifferences(was.properties, is.properties, path))
    } else if (quoteWhole(old[keyword]) !== quoteWhole(now[keyword])) {
      const values = FOR_PEOPLE.has(keyword)
        ? ''
        : ` ${quoteValue(old[keyword])} → ${quoteValue(now[keyword])}`
      found.push({ keyword, text: `${path}${keyword}${values}` })
    }
  }
  return found
}

function propertyDifferences(was: FieldMap, is: FieldMap, path: string): readonly Difference[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap(name => {
    const [old, now] = [own(was, name), own(is, name)]
    if (old !== undefined && now !== undefined) return differences(old, now, `${path}${quoteValue(name)} `)
    return [
      {
        keyword: 'properties',
        text: `${path}${quoteValue(name)} ${old === undefined ? 'is new' : 'is gone'}`,
      },
    ]
  })
}

function own(fields: FieldMap, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** A field was parsed from JSON, but TypeScript cannot convert its type to a JSON object. */
function asJson(field: Field): JsonObject {
  return field as unknown as JsonObject
}

function textOf(field: Field): string {
  return comparableJson(asJson(field))
}

function quoteWhole(value: JsonObject[string] | undefined): string | undefined {
  return value === undefined ? undefined : comparableJson(value)
}
