import { join } from 'node:path'
import type { Clock } from '@farebox/client/internal/exchange/clock'
import { type DamagedFile, openRecordFolder } from '../../home/record-folder.ts'
import { readRunRecord, type RunRecord } from '@farebox/client/run/run-record'

/** The runs that were started here, a file each, in `<home>/runs`. */
export interface RunJournal {
  /** Writes a run down before anything of it is sent: when this resolves, a crash does not lose it. */
  keep(run: OpenRunFile): Promise<void>
  /** Puts what became of it in its place: the payments are gone from the file. Removes old files of ended runs. */
  end(run: EndedRunFile): Promise<void>
  /** Forgets a run that was never started. */
  discard(runId: string): Promise<void>
  /** Every run, open ones first, then the newest first; and the files that cannot be read. */
  list(): Promise<RunList>
}

/** What is in the journal. */
export interface RunList {
  readonly runs: readonly RunFile[]
  readonly damaged: readonly DamagedFile[]
}

/** Opens the journal of a home; its folder is made when it is first written. */
export function openRunJournal(home: string, clock: Clock): RunJournal {
  const folder = openRecordFolder<RunFile>(join(home, 'runs'), clock, {
    what: 'run',
    read: readRunFile,
    idOf: ({ runId }) => runId,
    isEnded: ({ state }) => state !== 'open',
  })
  return {
    keep: run => folder.write(run),
    async end(run) {
      await folder.write(run)
      await folder.prune()
    },
    discard: runId => folder.remove(runId),
    async list() {
      const { records, damaged } = await folder.list()
      const rank = ({ state }: RunFile): number => (state === 'open' ? 0 : 1)
      const runs = records.toSorted(
        (one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt,
      )
      return { runs, damaged }
    },
  }
}

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
interface OpenRunFile extends RunFacts, RunRecord {
  readonly state: 'open'
}

/** A run that is over. Its payments have been wiped. */
interface EndedRunFile extends RunFacts {
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
function readRunFile(value: unknown): RunFile {
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
