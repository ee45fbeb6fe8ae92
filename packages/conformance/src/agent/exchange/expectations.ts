import { isDeepStrictEqual } from 'node:util'
import { ERROR_STATUS, type ErrorType } from '@farebox/protocol/errors/error-types'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { Mismatch } from './verdicts.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Reply } from './send-request.ts'

/** Longer values are cut, because people read the report. */
const MAX_SHOWN_CHARACTERS = 160

/** Throws a {@link Mismatch} unless the condition holds. */
export function expectThat(condition: boolean, expected: string, got: unknown): asserts condition {
  if (!condition) throw new Mismatch(expected, show(got))
}

/** Throws a {@link Mismatch} unless both are the same JSON value; `what` names it. */
export function expectEqual(got: unknown, expected: unknown, what: string): void {
  expectThat(isDeepStrictEqual(got, expected), `${what} ${show(expected)}`, got)
}

/** Throws a {@link Mismatch} unless the response has this status. */
export function expectStatus(reply: Reply, status: number): void {
  expectThat(reply.status === status, `status ${status}`, describeReply(reply))
}

/** Returns the value as an object with exactly these keys; throws a {@link Mismatch} for any other value. */
export function expectKeys(
  value: unknown,
  keys: readonly string[],
  what: string,
): { readonly [key: string]: unknown } {
  const object = expectObject(value, what)
  const missing = keys.filter(key => !Object.hasOwn(object, key))
  const further = Object.keys(object).filter(key => !keys.includes(key))
  const got = [
    ...(missing.length > 0 ? [`no ${missing.join(', no ')}`] : []),
    ...(further.length > 0 ? [`also ${further.join(', ')}`] : []),
  ]
  expectThat(got.length === 0, `${what} with exactly the keys ${keys.join(', ')}`, got.join('; '))
  return object
}

/** Returns the body as JSON; throws a {@link Mismatch} with the received text when it is not JSON. */
export function expectJson(reply: Reply): unknown {
  expectThat(reply.json !== undefined, 'a body in JSON', describeReply(reply))
  return reply.json
}

/** Returns the value as an object; throws a {@link Mismatch} for any other value. */
export function expectObject(value: unknown, what: string): { readonly [key: string]: unknown } {
  expectThat(isObject(value), `${what} to be an object`, value)
  return value
}

/**
 * Throws a {@link Mismatch} unless the response is a failure of the interface: this status, this `error_type`, and the
 * envelope with exactly its four keys (D15). Returns the message, which must match `message` when that is given.
 */
export function expectFailure(reply: Reply, status: number, errorType: ErrorType, message?: RegExp): string {
  const isOfType = isObject(reply.json) && reply.json['error_type'] === errorType
  if (!isOfType || reply.status !== status) {
    const isStatusAlone = isOfType && status === ERROR_STATUS[errorType]
    throw new Mismatch(
      `${status} with error_type "${errorType}"`,
      describeReply(reply),
      isStatusAlone
        ? `Answer error_type "${errorType}" with status ${status}, whatever it is about.`
        : undefined,
    )
  }
  const { error } = expectEnvelope(reply.json)
  if (message !== undefined) expectThat(message.test(error), describePattern(message), error)
  return error
}

const ENVELOPE_KEYS = ['status', 'error_type', 'error', 'service_version']
const ENVELOPE_FIX =
  'Answer every failure with {"status": "failed", "error_type", "error", "service_version": "1.0"} and no further key.'

/** Checks the four keys of a failure. A fault is reported as a general one, because all checks of failures find it (D15). */
function expectEnvelope(json: unknown): { readonly error: string } {
  try {
    const body = expectKeys(json, ENVELOPE_KEYS, 'the failure body')
    expectEqual(body['status'], 'failed', 'status')
    expectEqual(body['service_version'], SERVICE_VERSION, 'service_version')
    const { error } = body
    expectThat(typeof error === 'string' && error !== '', 'error to be a message', error)
    return { error }
  } catch (error) {
    throw error instanceof Mismatch ? new Mismatch(error.expected, error.got, ENVELOPE_FIX) : error
  }
}

/** Throws a {@link Mismatch} unless the response is a completed job. Returns its output. */
export function expectCompleted(reply: Reply): { readonly [key: string]: unknown } {
  const completed = reply.status === 200 && isObject(reply.json) && reply.json['status'] === 'completed'
  expectThat(completed, '200 with status "completed"', describeReply(reply))
  return expectObject(expectObject(reply.json, 'the body')['output'], 'output')
}

/** Describes a pattern for people if it is simple enough. */
function describePattern({ source }: RegExp): string {
  const plain = source.replaceAll(/\\([.*+?^${}()|[\]\\/])/g, '$1')
  const isPlain = (inner: string): boolean => !/(?<!\\)[.*+?^${}()|[\]]/.test(inner)
  if (/^\^.*\$$/.test(source) && isPlain(source.slice(1, -1))) return `the message ${plain.slice(1, -1)}`
  if (source.startsWith('^') && isPlain(source.slice(1)))
    return `a message that begins with "${plain.slice(1)}"`
  if (isPlain(source)) return `a message with ${plain}`
  return `a message that matches ${source}`
}

/** Formats a response in one line: its status and the beginning of its body. */
export function describeReply(reply: Reply): string {
  return `${reply.status} ${reply.text === '' ? '(no body)' : shorten(reply.text)}`
}

/** Formats any value in one short line. */
export function show(value: unknown): string {
  if (typeof value === 'string') return shorten(value)
  if (value === undefined) return 'nothing'
  return shorten(JSON.stringify(value) ?? String(value))
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line
}
