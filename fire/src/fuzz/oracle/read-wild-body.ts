import type { ExpectedRefusal } from './expected-answer.ts'

/** What bytes nobody made on purpose ask for, read a second time and by other means than the agent's own. */
export type WildBody =
  | {
      readonly refusal: ExpectedRefusal
      readonly named: 'unknown' | 'known' | 'none'
      readonly capability?: string | undefined
    }
  | {
      readonly refusal: undefined
      readonly capability: string
      readonly jobId: string
      readonly deadline: number
      readonly input: { readonly [key: string]: unknown }
    }

interface Keyed {
  readonly [key: string]: unknown
}

/** Reads a body as D14, D15 and D16 say. `names` are the declared capabilities, the first the one meant by none. */
export function readWildBody(bytes: Buffer, names: readonly string[]): WildBody {
  const value = readJson(bytes)
  if (value === undefined) return { refusal: { check: 'body' }, named: 'none' }
  const body = keyed(value)
  const task = keyed(body?.['task'])
  const name = task !== undefined && Object.hasOwn(task, 'capability') ? task['capability'] : undefined
  const isKnown = name === undefined || (typeof name === 'string' && names.includes(name))
  const capability = typeof name === 'string' ? name : names[0]
  const named =
    task === undefined || !Object.hasOwn(task, 'capability') ? 'none' : isKnown ? 'known' : 'unknown'
  const refuse = (check: ExpectedRefusal['check']): WildBody => ({
    refusal: { check },
    named,
    capability: isKnown ? capability : undefined,
  })
  if (body === undefined) return refuse('body')
  const { service_version, job_id, deadline } = body
  if (service_version !== '1.0') return refuse('service_version')
  if (typeof job_id !== 'string' || !isUuid4(job_id)) return refuse('job_id')
  const input = keyed(task?.['input'])
  if (task === undefined || input === undefined) return refuse('task')
  if (typeof deadline !== 'number' || !Number.isFinite(deadline) || deadline >= 1e11)
    return refuse('deadline')
  if (!isKnown || capability === undefined) return refuse('capability')
  return { refusal: undefined, capability, jobId: job_id, deadline, input }
}

function readJson(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    )
    return depthOf(value) > 64 || reaches(value) ? undefined : value
  } catch {
    return undefined
  }
}

function depthOf(value: unknown): number {
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

/** By looking at each character, where the agent uses an expression. */
function isUuid4(text: string): boolean {
  if (text.length !== 36 || text[14] !== '4' || !'89abAB'.includes(text[19] ?? 'x')) return false
  return [...text].every((character, at) =>
    [8, 13, 18, 23].includes(at) ? character === '-' : '0123456789abcdefABCDEF'.includes(character),
  )
}
