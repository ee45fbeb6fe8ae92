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

/** One paid call as it is kept in the journal: before it is sent with its payment, afterwards without it. */
export type CallRecord = SentCall | EndedCall

/** What is kept of every call. No part of it is worth money. */
export interface CallFacts {
  readonly version: 1
  readonly jobId: string
  readonly agentUrl: string
  readonly capability: string
  /** As `/about` served it when the price was agreed, this capability alone. */
  readonly declaration: Declaration
  /** Decimal USDC. */
  readonly price: string
  /** `eip155:<chain id>` */
  readonly network: string
  readonly payer: string
  readonly payTo: string
  /** Whether `--allow-http` was given: what was sent that way is asked for that way. */
  readonly allowHttp?: boolean
  /** Unix seconds. */
  readonly startedAt: number
}

/** A call whose outcome is not known: it can be asked for again. */
export interface SentCall extends CallFacts {
  readonly state: 'sent'
  /** The job and its signed payment, as good as a cheque until it expires. */
  readonly entry: JournalEntry
}

/** A call whose outcome is known. The payment has been wiped. */
export interface EndedCall extends CallFacts {
  readonly state: 'completed' | 'failed'
  /** Unix seconds. */
  readonly endedAt: number
  /** What `--json` said of it, JSON. */
  readonly document: { readonly [key: string]: unknown }
}

/**
 * Reads a record back, every part checked.
 *
 * @throws {TypeError} that says what is wrong, never showing the payment
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
  // Every property of the type was checked above; the cast is what that check earns.
  return { ...facts, declaration: checked.declaration } as unknown as CallRecord
}

/** What is shown of a call is what its payment says: a record that was edited to say less is damaged. */
function checkEntry(facts: { readonly [key: string]: unknown }): void {
  if (!isObject(facts['entry'])) throw new TypeError('its entry is not a JSON object')
  // The reader of entries takes any object, and says what is wrong with it.
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

/** The calls of this person, in `<home>/calls`: before a call is sent with its payment, afterwards without it. */
export type CallJournal = RecordFolder<CallRecord>

export function openCallJournal(home: string, clock: Clock): CallJournal {
  return openRecordFolder<CallRecord>(join(home, 'calls'), clock, {
    what: 'job',
    read: readCallRecord,
    idOf: ({ jobId }) => jobId,
    isEnded: ({ state }) => state !== 'sent',
    // Of two commands that ask for one job, the later may get a failure.
    isFinal: ({ state }) => state === 'completed',
  })
}

/**
 * Puts a call into the journal before it is sent.
 *
 * @throws {CommandError} when it cannot be; then nothing of it stays that a `--resume` could send
 */
export async function journalCall(world: World, journal: CallJournal, call: SentCall): Promise<SentCall> {
  try {
    await journal.write(call)
    return call
  } catch (cause) {
    // The file may be in its place already, and only its folder not flushed.
    await journal.remove(call.jobId).catch(() => undefined)
    throw notWritten(world, 'the call cannot be journalled', 'nothing was sent', cause)
  }
}
