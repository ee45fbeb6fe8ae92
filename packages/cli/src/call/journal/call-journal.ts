import { join } from 'node:path'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { type JournalEntry, readJournalEntry } from '@farebox/client/attempt/journal-entry'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readPrice } from '@farebox/protocol/money/usdc'
import { isJobId } from '@farebox/protocol/job/job-request'
import type { Clock } from '@farebox/protocol/time/clock'
import { notWritten, openRecordFolder, readFields, type RecordFolder } from '../../home/record-folder.ts'
import type { World } from '../../world.ts'

/** A paid call as the journal stores it: before it is sent including its payment, afterwards without it. */
export type CallRecord = SentCall | EndedCall

/** The facts that are stored for every call. They contain nothing of monetary value. */
export interface CallFacts {
  readonly version: 1
  readonly jobId: string
  readonly agentUrl: string
  readonly capability: string
  /** The declaration that `/about` served when the price was agreed, reduced to this capability. */
  readonly declaration: Declaration
  /** Decimal USDC. */
  readonly price: string
  /** `eip155:<chain id>` */
  readonly network: string
  readonly payer: string
  readonly payTo: string
  /** Whether `--allow-http` was given; a call that was sent over http may be repeated over http. */
  readonly allowHttp?: boolean
  /** Unix seconds. */
  readonly startedAt: number
}

/** A call with an unknown outcome; it can be repeated. */
export interface SentCall extends CallFacts {
  readonly state: 'sent'
  /** The job and its signed payment, which can be charged until it expires. */
  readonly entry: JournalEntry
}

/** A call with a known outcome. Its payment has been deleted. */
export interface EndedCall extends CallFacts {
  readonly state: 'completed' | 'failed'
  /** Unix seconds. */
  readonly endedAt: number
  /** The document that `--json` printed for the call. */
  readonly document: { readonly [key: string]: unknown }
}

/**
 * Reads a record and validates every part of it.
 *
 * @throws {TypeError} describing the fault, without showing the payment
 */
function readCallRecord(value: unknown): CallRecord {
  const texts = ['agentUrl', 'capability', 'price', 'network', 'payer', 'payTo']
  const { declaration, ...facts } = readFields(value, texts, ['startedAt'])
  const checked = checkDeclaration(declaration)
  if (!checked.ok) throw new TypeError('has no declaration')
  if (!isJobId(facts['jobId'])) throw new TypeError('has no jobId')
  if (!['undefined', 'boolean'].includes(typeof facts['allowHttp'])) throw new TypeError('has no allowHttp')
  if (facts['state'] === 'sent') checkEntry(facts)
  else if (facts['state'] === 'completed' || facts['state'] === 'failed') {
    if (!isObject(facts['document'])) throw new TypeError('its document is not a JSON object')
    readFields(value, [], ['endedAt'])
  } else throw new TypeError('has no state')
  // Every property of the type was checked above, which justifies the cast.
  return { ...facts, declaration: checked.declaration } as unknown as CallRecord
}

/** Checks that the displayed facts match the payment: a record that was edited to show less is damaged. */
function checkEntry(facts: { readonly [key: string]: unknown }): void {
  if (!isObject(facts['entry'])) throw new TypeError('its entry is not a JSON object')
  // The reader of entries accepts any object and describes its faults.
  const { entry, network, authorization } = readJournalEntry(facts['entry'] as unknown as JournalEntry)
  for (const key of ['jobId', 'agentUrl', 'capability'] as const) {
    const what = key === 'jobId' ? 'job' : key
    if (entry[key] !== facts[key]) throw new TypeError(`its entry is of another ${what}`)
  }
  const price = readPrice(facts['price'])
  if (!price.ok || price.atomic !== BigInt(authorization.value)) {
    throw new TypeError('its price is not what its payment is for')
  }
  if (network.id !== facts['network']) throw new TypeError('its network is not that of its payment')
  for (const [key, paid] of [
    ['payer', authorization.from],
    ['payTo', authorization.to],
  ] as const) {
    if (String(facts[key]).toLowerCase() !== paid.toLowerCase()) {
      throw new TypeError(`its ${key} is not that of its payment`)
    }
  }
}

/**
 * The journal of this person's calls, in `<home>/calls`: before a call is sent including its payment, afterwards without
 * it.
 */
export type CallJournal = RecordFolder<CallRecord>

export function openCallJournal(home: string, clock: Clock): CallJournal {
  return openRecordFolder<CallRecord>(join(home, 'calls'), clock, {
    what: 'job',
    read: readCallRecord,
    idOf: ({ jobId }) => jobId,
    isEnded: ({ state }) => state !== 'sent',
    // When two commands request the same job, the later one may receive a failure.
    isFinal: ({ state }) => state === 'completed',
  })
}

/**
 * Writes a call to the journal before it is sent.
 *
 * @throws {CommandError} when the write fails; no record that `--resume` could send remains then
 */
export async function journalCall(world: World, journal: CallJournal, call: SentCall): Promise<SentCall> {
  try {
    await journal.write(call)
    return call
  } catch (cause) {
    // The file may already be in place when only the flush of its folder failed.
    await journal.remove(call.jobId).catch(() => undefined)
    throw notWritten(world, 'the call cannot be journalled', 'nothing was sent', cause)
  }
}
