import { readRunRecord, type RunRecord } from '@farebox/client/run/run-record'

/** One run of a flow as it is kept: with its payments while they may be needed, afterwards without. */
export type RunFile = OpenRunFile | EndedRunFile

/** What is kept of every run. Its token opens it for whoever has it. */
export interface RunFacts {
  readonly version: 1
  readonly runId: string
  /** The platform's URL. */
  readonly platformUrl: string
  readonly token?: string
  /** Of the flow. */
  readonly name: string
  readonly payer: string
  /** Decimal USDC. */
  readonly maxTotal: string
  /** Unix seconds. */
  readonly startedAt: number
}

/** A run whose end is not known: it can be resumed. */
export interface OpenRunFile extends RunFacts, RunRecord {
  readonly state: 'open'
}

/** A run that is over. Its payments have been wiped. */
export interface EndedRunFile extends RunFacts {
  readonly state: 'completed' | 'cancelled' | 'failed'
  /** Decimal USDC. */
  readonly paid: string
  /** Unix seconds. */
  readonly endedAt: number
}

const TOKEN = /^[\x21-\x7e]{1,128}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads a file back, every part checked.
 *
 * @throws {TypeError} that says what is wrong, never showing a payment or the token
 */
export function readRunFile(value: unknown): RunFile {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('is not a JSON object')
  const facts = value as { readonly [key: string]: unknown }
  if (facts['version'] !== 1) throw new TypeError('is not of version 1')
  for (const key of ['platformUrl', 'name', 'payer', 'maxTotal'] as const)
    if (typeof facts[key] !== 'string') throw new TypeError(`has no ${key}`)
  // It goes into a path, and the token into a header.
  if (!UUID.test(String(facts['runId']))) throw new TypeError('has no runId')
  if (facts['token'] !== undefined && !TOKEN.test(String(facts['token']))) throw new TypeError('has no token')
  if (!isTime(facts['startedAt'])) throw new TypeError('has no startedAt')
  const { state } = facts
  // Every property of the type is checked here; the casts are what that earns.
  if (state === 'open') readRunRecord(value as RunRecord)
  else if (state === 'completed' || state === 'cancelled' || state === 'failed') {
    if (typeof facts['paid'] !== 'string') throw new TypeError('has no paid')
    if (!isTime(facts['endedAt'])) throw new TypeError('has no endedAt')
  } else throw new TypeError('has no state')
  return value as RunFile
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
