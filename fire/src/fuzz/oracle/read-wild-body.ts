import type { Check } from './expected-answer.ts'

/** What bytes nobody made on purpose ask for, read a second time and by other means than the agent's own. */
export type WildBody =
  | {
      readonly refusal: Check
      /** Whether it names a capability that nobody declares. */
      readonly namesUnknown: boolean
    }
  | {
      readonly refusal: undefined
      readonly namesUnknown: false
      readonly capability: string
      readonly deadline: number
      readonly input: Keyed
    }

interface Keyed {
  readonly [key: string]: unknown
}

/** Reads a body as D14, D15 and D16 say. `names` are the declared capabilities, the first the one meant by none. */
export function readWildBody(bytes: Buffer, names: readonly string[]): WildBody {
  const body = keyed(readJson(bytes))
  const task = keyed(body?.['task'])
  const named = task !== undefined && Object.hasOwn(task, 'capability') ? task['capability'] : names[0]
  const capability = typeof named === 'string' && names.includes(named) ? named : undefined
  const namesUnknown = task !== undefined && capability === undefined
  const refuse = (refusal: Check): WildBody => ({ refusal, namesUnknown })
  if (body === undefined) return refuse('body')
  const { service_version, job_id, deadline } = body
  if (service_version !== '1.0') return refuse('service_version')
  if (typeof job_id !== 'string' || !isUuid4(job_id)) return refuse('job_id')
  const input = keyed(task?.['input'])
  if (input === undefined) return refuse('task')
  if (typeof deadline !== 'number' || !Number.isFinite(deadline) || deadline >= 1e11)
    return refuse('deadline')
  if (capability === undefined) return refuse('capability')
  return { refusal: undefined, namesUnknown: false, capability, deadline, input }
}

function readJson(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    return depthOf(value) > 64 || reaches(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** How deep a value of JSON is nested. */
export function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, inner) => Math.max(most, depthOf(inner)), 0)
}

function reaches(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.hasOwn(value, '__proto__')) return true
  const maker = keyed(Object.hasOwn(value, 'constructor') ? (value as Keyed)['constructor'] : undefined)
  return (maker !== undefined && Object.hasOwn(maker, 'prototype')) || Object.values(value).some(reaches)
}

function keyed(value: unknown): Keyed | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Keyed) : undefined
}

/** By each of its characters, where the agent uses an expression. */
function isUuid4(text: string): boolean {
  if (text.length !== 36 || text[14] !== '4' || !'89abAB'.includes(text[19] ?? 'x')) return false
  return [...text].every((character, at) =>
    [8, 13, 18, 23].includes(at) ? character === '-' : '0123456789abcdefABCDEF'.includes(character),
  )
}
