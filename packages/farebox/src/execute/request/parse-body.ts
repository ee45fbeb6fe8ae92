import { isUtf8 } from 'node:buffer'
import { ValidationError } from '@farebox/protocol/errors/service-errors'
import { isCompressed } from '@farebox/protocol/internal/body/is-compressed'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'
import type { ArrivedRequest } from './arrived-request.ts'
import { withoutStack } from './without-stack.ts'

/** Only the media type counts (D15): a body is read as UTF-8, whatever its parameters say. */
const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i

/**
 * Parses the body: `application/json`, UTF-8, at most 64 levels deep, and without keys that could change a prototype
 * (D15, VAL-01, VAL-04, VAL-16, VAL-17). Throws a `ValidationError` on the field `body`.
 */
export function parseBody(arrived: ArrivedRequest): unknown {
  if (!JSON_TYPE.test(arrived.contentType ?? ''))
    throw refuse('must be sent as Content-Type: application/json')
  const value = parseBodyJson(arrived.body)
  if (value === undefined) throw refuse(explain(arrived.body))
  return value
}

function refuse(reason: string): ValidationError {
  return withoutStack(() => new ValidationError('body', reason))
}

/** Parses the body by every rule except the content type; undefined when it breaks one. */
export function parseBodyJson(body: Buffer): unknown {
  if (!isUtf8(body) || nestsDeeperThan(body, MAX_BODY_DEPTH)) return undefined
  try {
    const text = body.toString('utf8')
    const value: unknown = JSON.parse(text)
    return mayReachPrototype(text) && reachesPrototype(value) ? undefined : value
  } catch {
    return undefined
  }
}

function explain(body: Buffer): string {
  if (body.length === 0) return 'must not be empty'
  if (isCompressed(body)) return 'must not be compressed'
  if (!isUtf8(body)) return 'must be UTF-8'
  if (nestsDeeperThan(body, MAX_BODY_DEPTH)) return `must be nested at most ${MAX_BODY_DEPTH} deep`
  try {
    JSON.parse(body.toString('utf8'))
  } catch {
    return body.toString('utf8', 0, 3) === '\uFEFF'
      ? 'must be JSON without a byte order mark'
      : 'must be JSON'
  }
  return 'must not have a key __proto__, nor constructor with prototype'
}

/** A cheap test of the text that saves most bodies the recursive check. An escape sequence could hide either word. */
function mayReachPrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('"constructor"') || text.includes('\\u')
}

function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(reachesPrototype)
  return Object.entries(value).some(
    ([key, inner]) =>
      key === '__proto__' ||
      (key === 'constructor' &&
        typeof inner === 'object' &&
        inner !== null &&
        Object.hasOwn(inner, 'prototype')) ||
      reachesPrototype(inner),
  )
}
