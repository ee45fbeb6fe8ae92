import { isObject, type OpenObject } from '../generate/put-at.ts'
import type { Check } from './expected-answer.ts'

/** The demands of a request apart from its payment, parsed a second time and independently of the agent's code. */
export interface ReadBody {
  /** The checks that it fails. */
  readonly refusals: readonly Check[]
  /** Whether it names an undeclared capability. */
  readonly namesUnknown: boolean
  /** Undefined if it selects no declared capability. */
  readonly capability: string | undefined
  readonly jobId: unknown
  readonly input: OpenObject | undefined
}

const MIB = 1_048_576

/** Reads it by D14, D15 and D16. `names` are the declared capabilities, the first one being the default. */
export function readBody(
  contentType: string | undefined,
  bytes: Buffer,
  names: readonly string[],
  nowMs: number,
): ReadBody {
  const body = asObject(readJson(bytes))
  const task = asObject(body?.['task'])
  const named = task !== undefined && Object.hasOwn(task, 'capability') ? task['capability'] : names[0]
  const capability = names.find(name => name === named)
  const { service_version, job_id, deadline } = body ?? {}
  const input = asObject(task?.['input'])
  const endsAt =
    typeof deadline === 'number' && Number.isFinite(deadline) && deadline < 1e11 ? deadline : undefined
  const passed: Partial<Record<Check, boolean>> = {
    size: bytes.length <= MIB,
    body: body !== undefined && contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json',
    service_version: service_version === '1.0',
    job_id: typeof job_id === 'string' && isUuid4(job_id),
    task: input !== undefined,
    deadline: endsAt !== undefined,
    capability: capability !== undefined,
    lateness: endsAt === undefined || endsAt * 1_000 > nowMs,
  }
  return {
    refusals: (Object.keys(passed) as Check[]).filter(check => passed[check] === false),
    namesUnknown: task !== undefined && capability === undefined,
    capability,
    jobId: job_id,
    input,
  }
}

function readJson(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    return depthOf(value) > 64 || reachesPrototype(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The nesting depth of a JSON value. */
export function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, inner) => Math.max(most, depthOf(inner)), 0)
}

function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.hasOwn(value, '__proto__')) return true
  const maker = Object.hasOwn(value, 'constructor') ? value.constructor : undefined
  return (isObject(maker) && Object.hasOwn(maker, 'prototype')) || Object.values(value).some(reachesPrototype)
}

function asObject(value: unknown): OpenObject | undefined {
  return isObject(value) ? value : undefined
}

/** Character by character, where the agent uses a regular expression. */
function isUuid4(text: string): boolean {
  if (text.length !== 36 || text[14] !== '4' || !'89abAB'.includes(text[19] ?? 'x')) return false
  return [...text].every((character, at) =>
    [8, 13, 18, 23].includes(at) ? character === '-' : '0123456789abcdefABCDEF'.includes(character),
  )
}
