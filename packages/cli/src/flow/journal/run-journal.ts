import { join } from 'node:path'
import { readRunRecord, type RunRecord } from '@farebox/client/run/run-record'
import type { Clock } from '@farebox/protocol/time/clock'
import { openRecordFolder, readFields, type RecordFolder } from '../../home/record-folder.ts'

/** The runs that were started on this machine, in `<home>/runs`. */
export type RunJournal = RecordFolder<RunFile>

export function openRunJournal(home: string, clock: Clock): RunJournal {
  return openRecordFolder<RunFile>(join(home, 'runs'), clock, {
    what: 'run',
    read: readRunFile,
    idOf: ({ runId }) => runId,
    isEnded: ({ state }) => state !== 'open',
  })
}

/** The record of a run: including its payments while they may be needed, afterwards without them. */
export type RunFile = OpenRunFile | EndedRunFile

/** The facts that are stored for every run. The token gives its holder access to the run. */
export interface StartedRunFacts {
  readonly version: 1
  readonly runId: string
  readonly platformUrl: string
  readonly token?: string
  readonly name: string
  readonly payer: string
  /** Decimal USDC. */
  readonly maxTotal: string
  /** Unix seconds. */
  readonly startedAt: number
}

/** A run whose end is not known; it can be resumed. */
interface OpenRunFile extends StartedRunFacts, RunRecord {
  readonly state: 'open'
}

/** A run that has ended. Its payments have been deleted. */
interface EndedRunFile extends StartedRunFacts {
  readonly state: 'completed' | 'cancelled' | 'failed'
  /** Decimal USDC. */
  readonly paid: string
  /** Unix seconds. */
  readonly endedAt: number
}

const TOKEN = /^[\x21-\x7e]{1,128}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads a record and validates every part of it.
 *
 * @throws {TypeError} describing the fault, without showing a payment or the token
 */
function readRunFile(value: unknown): RunFile {
  const facts = readFields(value, ['platformUrl', 'name', 'payer', 'maxTotal'], ['startedAt'])
  // The id becomes part of a path, and the token part of a header.
  if (!UUID.test(String(facts['runId']))) throw new TypeError('has no runId')
  if (facts['token'] !== undefined && !TOKEN.test(String(facts['token']))) throw new TypeError('has no token')
  const { state } = facts
  // Every property of the type is checked here, which justifies the casts.
  if (state === 'open') readRunRecord(value as RunRecord)
  else if (state === 'completed' || state === 'cancelled' || state === 'failed')
    readFields(value, ['paid'], ['endedAt'])
  else throw new TypeError('has no state')
  return value as RunFile
}
