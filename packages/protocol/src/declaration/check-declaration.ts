import { checkFields } from '../fields/check-fields.ts'
import { countCodePoints } from '../fields/code-points.ts'
import { MAX_AGENT_NAME_CHARACTERS, MAX_DESCRIPTION_CHARACTERS, MAX_MAX_DEADLINE_SECONDS } from '../limits.ts'
import { readPrice } from '../money/usdc.ts'
import { SERVICE_VERSION } from '../version.ts'
import { WALLET_PLACEHOLDER, type Declaration } from './declaration.ts'
import { nearest } from './nearest.ts'
import type { Problem } from './problem.ts'

type Path = Problem['path']

/**
 * Checks a whole declaration from outside: a config file, a served `/about` (D1, D18, D28).
 *
 * Returns it typed, or every problem found: unknown keys of an object first, then the rest in the order of this page. Addresses are checked for their form here; their
 * checksum by the payments layer, which has the hash.
 */
export function checkDeclaration(
  value: unknown,
):
  | { readonly ok: true; readonly declaration: Declaration }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  if (!isObject(value))
    return { ok: false, problems: [{ path: [], reason: `must be a JSON object, got ${nameOf(value)}` }] }
  const problems = [
    ...unknownKeys(value, [], [...Object.keys(TOP_LEVEL), '$schema']),
    ...checkEach(value, [], TOP_LEVEL),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const { $schema: _editorOnly, ...declaration } = value
  // Every property of the type was checked above; the cast is what that check earns.
  return { ok: true, declaration: declaration as unknown as Declaration }
}

type Check = (value: unknown, path: Path) => readonly Problem[]

const TOP_LEVEL: { readonly [key in keyof Declaration]: Check } = {
  service_version: exactly(SERVICE_VERSION),
  name: text({ min: 1, max: MAX_AGENT_NAME_CHARACTERS }),
  description: text({ min: 0, max: MAX_DESCRIPTION_CHARACTERS }),
  wallet: checkWallet,
  max_deadline_seconds: checkMaxDeadline,
  capabilities: checkCapabilities,
}

const CAPABILITY: { readonly [key: string]: Check } = {
  description: text({ min: 0, max: MAX_DESCRIPTION_CHARACTERS }),
  pricing: object({ model: exactly('per_job'), amount: checkPrice, currency: exactly('USDC') }),
  input_schema: (value, path) => checkFields(value, path, { side: 'input' }),
  output_schema: (value, path) => checkFields(value, path, { side: 'output' }),
}

const PERMISSION = object({
  type: exactly('EXECUTE_TRANSACTIONS'),
  reason: text({ min: 1, max: MAX_DESCRIPTION_CHARACTERS }),
  token: text({ min: 1, max: MAX_AGENT_NAME_CHARACTERS }),
  max_per_transaction: checkPrice,
})

/** Names that objects reorder (D28). */
const INTEGER_LIKE = /^(?:0|[1-9]\d*)$/

function checkCapabilities(value: unknown, path: Path): readonly Problem[] {
  if (!isObject(value))
    return [{ path, reason: `must be an object from capability name to capability, got ${nameOf(value)}` }]
  const names = Object.keys(value)
  if (names.length === 0) return [{ path, reason: 'must declare at least one capability' }]
  return names.flatMap(name => checkCapability(value[name], [...path, name], name))
}

function checkCapability(value: unknown, path: Path, name: string): readonly Problem[] {
  if (name === '' || countCodePoints(name) > MAX_AGENT_NAME_CHARACTERS) {
    return [{ path, reason: `a capability name has 1 to ${MAX_AGENT_NAME_CHARACTERS} characters` }]
  }
  if (name === '__proto__')
    return [{ path, reason: 'must have another name: JavaScript takes __proto__ for something else' }]
  if (INTEGER_LIKE.test(name))
    return [{ path, reason: 'must not have a number as its name: objects put such names first (D28)' }]
  if (!isObject(value)) return [{ path, reason: `must be an object, got ${nameOf(value)}` }]
  return [
    ...unknownKeys(value, path, [...Object.keys(CAPABILITY), 'permissions']),
    ...checkEach(value, path, CAPABILITY),
    ...(Object.hasOwn(value, 'permissions')
      ? checkPermissions(value['permissions'], [...path, 'permissions'])
      : []),
  ]
}

function checkPermissions(value: unknown, path: Path): readonly Problem[] {
  if (!Array.isArray(value))
    return [{ path, reason: `must be an array of permissions, got ${nameOf(value)}` }]
  return value.flatMap((permission, index) => PERMISSION(permission, [...path, index]))
}

function checkWallet(value: unknown, path: Path): readonly Problem[] {
  if (value === WALLET_PLACEHOLDER) return []
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) {
    return /^0x0{40}$/.test(value) ? [{ path, reason: 'must not be the zero address' }] : []
  }
  return [{ path, reason: `must be "${WALLET_PLACEHOLDER}" or an address of 0x and 40 hex digits` }]
}

function checkMaxDeadline(value: unknown, path: Path): readonly Problem[] {
  if (typeof value === 'number' && value > 0 && value <= MAX_MAX_DEADLINE_SECONDS) return []
  return [
    { path, reason: `must be a number of seconds, more than 0 and at most ${MAX_MAX_DEADLINE_SECONDS}` },
  ]
}

function checkPrice(value: unknown, path: Path): readonly Problem[] {
  const price = readPrice(value)
  return price.ok ? [] : [{ path, reason: price.reason }]
}

function text(characters: { readonly min: number; readonly max: number }): Check {
  return (value, path) => {
    if (typeof value !== 'string') return [{ path, reason: `must be a string, got ${nameOf(value)}` }]
    const count = countCodePoints(value)
    if (count > characters.max)
      return [{ path, reason: `must be at most ${characters.max} characters, got ${count}` }]
    return value.trim().length < characters.min ? [{ path, reason: 'must not be empty' }] : []
  }
}

function exactly(expected: string): Check {
  return (value, path) => {
    if (value === expected) return []
    const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : nameOf(value)
    return [{ path, reason: `must be "${expected}", got ${got}` }]
  }
}

function object(checks: { readonly [key: string]: Check }): Check {
  return (value, path) => {
    if (!isObject(value)) return [{ path, reason: `must be an object, got ${nameOf(value)}` }]
    return [...unknownKeys(value, path, Object.keys(checks)), ...checkEach(value, path, checks)]
  }
}

function checkEach(
  value: { [key: string]: unknown },
  path: Path,
  checks: { readonly [key: string]: Check },
): readonly Problem[] {
  return Object.entries(checks).flatMap(([key, check]) =>
    Object.hasOwn(value, key)
      ? check(value[key], [...path, key])
      : [{ path: [...path, key], reason: 'is required' }],
  )
}

function unknownKeys(value: object, path: Path, known: readonly string[]): readonly Problem[] {
  return Object.keys(value)
    .filter(key => !known.includes(key))
    .map(key => {
      const suggestion = nearest(key, known)
      return {
        path: [...path, key],
        reason:
          suggestion === undefined
            ? 'is not a known key'
            : `is not a known key, did you mean "${suggestion}"?`,
      }
    })
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
