import { z, type ZodObject, type ZodType } from 'zod'
import { findUnstorable } from '../unstorable.ts'
import { Refusal } from './refusal.ts'

type Issue = z.core.$ZodIssue

/**
 * Validates one part of a request with its schema. Unknown keys are refused even if the schema would ignore them; a route
 * without a schema for the part accepts nothing there.
 *
 * Throws a {@link Refusal} `validation` with the first violation: `<field>: <reason>`, nested as `items[2].name`.
 *
 * @param part the name used in the message when the part as a whole is wrong
 */
export function checkPart(
  part: 'body' | 'query' | 'path',
  schema: ZodType | undefined,
  value: unknown,
): unknown {
  if (schema === undefined) return checkNothing(part, value)
  if (part === 'path') refuseUnstorable(part, value)
  const result = closed(schema).safeParse(value)
  if (result.success) return result.data
  throw new Refusal('validation', explainIssues(result.error.issues, part))
}

/**
 * Validates the headers that a route's schema names; other headers are ignored.
 *
 * Throws a {@link Refusal} `validation`: `<header>: <reason>`.
 */
export function checkHeaders(
  schema: ZodObject | undefined,
  headers: { readonly [name: string]: unknown },
): unknown {
  if (schema === undefined) return undefined
  const named = Object.keys(schema.shape).flatMap(name =>
    headers[name] === undefined ? [] : [[name, headers[name]] as const],
  )
  const result = schema.safeParse(Object.fromEntries(named))
  if (result.success) return result.data
  throw new Refusal('validation', explainIssues(result.error.issues, 'headers'))
}

/**
 * Throws a {@link Refusal} `validation` when a value has a character that the database cannot store, before the value is
 * used in a query. Applies to bodies and paths; a search query may contain any text.
 */
export function refuseUnstorable(part: 'body' | 'path', value: unknown): void {
  const found = findUnstorable(value)
  if (found === undefined) return
  const path = found.path.map(key => (typeof key === 'number' ? key : shownKey(key)))
  throw new Refusal(
    'validation',
    `${fieldName(path, part)}: has a character that cannot be kept (${found.character})`,
  )
}

/** The first issue as a message with the path of its field. */
function explainIssues(issues: readonly Issue[], whole: string): string {
  const [first] = issues
  if (first === undefined) return `${whole}: is not as documented`
  return explain(first, [], whole)
}

/** The schema, made strict when it is an object schema that would ignore unknown keys. */
export function closed(schema: ZodType): ZodType {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema
}

function checkNothing(part: string, value: unknown): undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Refusal('validation', `${part}: nothing is taken here`)
  }
  const [key] = Object.keys(value)
  if (key !== undefined) throw new Refusal('validation', `${shownKey(key)}: is not known here`)
  return undefined
}

function explain(issue: Issue, before: readonly PropertyKey[], whole: string): string {
  const path = [...before, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return `${fieldName([...path, shownKey(key)], whole)}: is not known here`
  }
  if (issue.code === 'invalid_union') {
    // Of the alternatives, the one with the deepest issue was probably meant.
    const [nearest] = issue.errors.flat().toSorted((one, other) => other.path.length - one.path.length)
    if (nearest !== undefined && nearest.path.length > 0) return explain(nearest, path, whole)
  }
  return `${fieldName(path, whole)}: ${reasonOf(issue)}`
}

function reasonOf(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is required'
  return issue.message
    .replace(/^Invalid (?:input|option): expected /, 'must be ')
    .replace(/^Too (?:small|big): expected \w+ to /, 'must ')
    .replace('>=', 'at least ')
    .replace('<=', 'at most ')
    .replace('>', 'more than ')
    .replace('<', 'less than ')
    .replace(/, received .*/, '')
}

function fieldName(path: readonly PropertyKey[], whole: string): string {
  if (path.length === 0) return whole
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
}

const MAX_KEY_CHARACTERS = 64

/** A caller's key, shortened and in printable ASCII. */
function shownKey(key: string): string {
  const plain = key.replaceAll(/[^\x20-\x7e]/g, '?')
  return plain.length <= MAX_KEY_CHARACTERS ? plain : `${plain.slice(0, MAX_KEY_CHARACTERS)}…`
}
