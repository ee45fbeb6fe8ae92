import type { ErrorType } from '@farebox/protocol/errors/error-types'
import type { Clock } from '@farebox/protocol/time/clock'
import type { HiringJob } from '../handler/job-hiring.ts'
import type { Hired } from '../handlers.ts'
import type { EnterOutcome, JobAccounts } from '../jobs/job-accounts.ts'
import { HoldLost } from '../jobs/renew-leases.ts'
import { MOST_HIRES, NO_BOUND, type HireBounds } from './hire-bounds.ts'
import { readHireEntry, type ChildOrder, type HireEntry } from './hire-entry.ts'
import { hireError } from './hire-errors.ts'

/**
 * The entry of one hire in its job's account. It is written under the job's fence: a process that lost the job throws a
 * `HoldLost` at its next write, and has sent nothing that is not in the store.
 */
export interface HireRecord {
  /** The entry that an earlier run stored. */
  readonly entry: HireEntry | undefined
  /** Whether this run has stored an order or tried to, so that it may have been sent. */
  readonly isOrdered: boolean
  /** Counts the price, in atomic units. Throws a `HireError` when a limit would be exceeded. */
  reserve(amountAtomic: bigint): Promise<void>
  keepOrder(order: ChildOrder): Promise<void>
  keepFailed(errorType: ErrorType, message: string): Promise<void>
  /** Replaces the reserved amount by the amount that was paid. */
  keepDone(hired: Omit<Hired, 'resumed'>, problem: string | undefined, paidAtomic: bigint): Promise<void>
  /** Gives the reserved amount back; only before an order was stored. Never rejects. */
  giveBack(): Promise<void>
}

/** How long a caller may return with a failed job; the account of a settled job is deleted with its record. */
const KEPT_MS = 86_400_000

interface RecordParts {
  readonly accounts: JobAccounts
  readonly job: HiringJob
  readonly bounds: HireBounds
  readonly clock: Clock
}

/** A hire with the name of its entry. */
interface NamedHire {
  readonly name: string
  readonly digest: string
  readonly agent: string
}

/** The current state of a hire's entry. */
interface OpenEntry extends RecordParts, NamedHire {
  /** UTC, `2027-01-31`. */
  readonly today: string
  entry: HireEntry | undefined
  revision: number
}

/** Opens the entry of a hire. Throws a `HireError` when the entry belongs to a different order. */
export async function openRecord(parts: RecordParts, hire: NamedHire): Promise<HireRecord> {
  const open = await openEntry(parts, hire)
  const { digest } = hire
  let isOrdered = false
  return {
    entry: open.entry,
    get isOrdered() {
      return isOrdered
    },
    reserve: amountAtomic => reserve(open, amountAtomic),
    async keepOrder(order) {
      isOrdered = true
      const amount = open.entry?.amount ?? '0'
      await write(open, { version: 1, state: 'ordered', digest, amount, ...counted(open), order })
    },
    async keepFailed(errorType, message) {
      if (open.entry?.state !== 'ordered') return
      await write(open, { ...open.entry, state: 'failed', errorType, message })
    },
    async keepDone(hired, problem, paidAtomic) {
      const amount = String(paidAtomic)
      await write(open, { version: 1, state: 'done', digest, amount, ...counted(open), hired, problem })
    },
    giveBack: () => giveBack(open).catch(() => undefined),
  }
}

async function openEntry(parts: RecordParts, hire: NamedHire): Promise<OpenEntry> {
  const found = await parts.accounts.entry(parts.job.holder.jobKey, hire.name)
  const entry = found && readHireEntry(found.text)
  // A reservation alone was never an order, so it may be replaced.
  if (entry !== undefined && entry.digest !== hire.digest && entry.state !== 'reserved')
    throw hireError(
      'conflict',
      hire.agent,
      'no',
      'an earlier run of this job has hired with other words under the same key: what it ordered is kept, and nothing is ordered beside it',
    )
  const today = new Date(parts.clock.nowMs()).toISOString().slice(0, 10)
  return { ...parts, ...hire, today, entry, revision: found?.revision ?? 0 }
}

async function reserve(open: OpenEntry, amountAtomic: bigint): Promise<void> {
  const { accounts, bounds, digest, today } = open
  // An amount that was counted on another day is given back for that day before it is counted for today.
  if (open.entry !== undefined && open.entry.day !== today) await giveBack(open)
  const amount = String(amountAtomic)
  const reserved = { version: 1, state: 'reserved', digest, amount, day: today } as const
  if (open.entry?.isNew !== true) {
    const outcome = await enter(open, { ...reserved, isNew: false }, await bounds.history(accounts))
    if (!bounds.exceedsHistory(outcome)) return requireEntered(open, outcome, amount)
    await giveBack(open)
  }
  requireEntered(open, await enter(open, { ...reserved, isNew: true }, undefined), amount)
}

async function giveBack(open: OpenEntry): Promise<void> {
  const { entry } = open
  if (entry?.state === 'reserved' && entry.amount !== '0') await write(open, { ...entry, amount: '0' })
}

/** Writes an entry whose amount was counted before; the new amount is never higher, so no limit applies. */
async function write(open: OpenEntry, next: HireEntry): Promise<void> {
  requireEntered(open, await enter(open, next, NO_BOUND), next.amount)
}

/** The day and the limit for which the amount was counted, which do not change. */
function counted({ entry, today }: OpenEntry): Pick<HireEntry, 'day' | 'isNew'> {
  return { day: entry?.day ?? today, isNew: entry?.isNew ?? true }
}

async function enter(open: OpenEntry, next: HireEntry, history: bigint | undefined): Promise<EnterOutcome> {
  const { accounts, job, bounds } = open
  const outcome = await accounts.enter(job.holder, {
    name: open.name,
    replaces: open.revision,
    text: JSON.stringify(next),
    keepMs: KEPT_MS,
    mostEntries: MOST_HIRES,
    amount: BigInt(next.amount) - BigInt(open.entry?.amount ?? 0),
    mostOfJob: bounds.mostOfJob,
    sums: bounds.sums(next.day, next.isNew ? undefined : history),
  })
  if (outcome.kind === 'entered') {
    open.revision += 1
    open.entry = next
  }
  return outcome
}

function requireEntered({ bounds, agent }: OpenEntry, outcome: EnterOutcome, amount: string): void {
  if (outcome.kind === 'entered') return
  if (outcome.kind === 'over' || outcome.kind === 'full') throw bounds.refuse(outcome, agent, BigInt(amount))
  throw new HoldLost(
    outcome.kind === 'settled'
      ? 'the job was settled while it hired'
      : 'the job was taken over while it hired',
  )
}
