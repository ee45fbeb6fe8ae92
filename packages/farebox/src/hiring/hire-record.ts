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
 * The entry of one hire in its job's account, written under the job's fence: a process that lost the job throws a
 * `HoldLost` at the next write, and has sent nothing that the store does not have.
 */
export interface HireRecord {
  /** As an earlier run left it. */
  readonly entry: HireEntry | undefined
  /** This run has kept an order, or tried to: it may have been sent. */
  readonly isOrdered: boolean
  /** Counts the price, in atomic units. Throws a `HireError` where a bound would be exceeded. */
  reserve(amountAtomic: bigint): Promise<void>
  keepOrder(order: ChildOrder): Promise<void>
  keepFailed(errorType: ErrorType, message: string): Promise<void>
  /** Counts what was really paid. */
  keepDone(hired: Omit<Hired, 'resumed'>, problem: string | undefined, paidAtomic: bigint): Promise<void>
  /** What was reserved counts no more; only before an order was kept. Never rejects. */
  giveBack(): Promise<void>
}

/** As long as a caller may come back with a failed job; a settled one's account goes with its record. */
const KEPT_MS = 86_400_000

/** Opens the entry. Throws a `HireError` where it is of another order. */
export async function openRecord(
  parts: {
    readonly accounts: JobAccounts
    readonly job: HiringJob
    readonly bounds: HireBounds
    readonly clock: Clock
  },
  { name, digest, agent }: { readonly name: string; readonly digest: string; readonly agent: string },
): Promise<HireRecord> {
  const { accounts, job, bounds, clock } = parts
  const found = await accounts.entry(job.holder.jobKey, name)
  let entry = found && readHireEntry(found.text)
  let revision = found?.revision ?? 0
  let isOrdered = false
  if (entry !== undefined && entry.digest !== digest) {
    // Given back, it was never an order.
    if (entry.state !== 'reserved')
      throw hireError(
        'conflict',
        agent,
        'no',
        'an earlier run of this job has hired with other words under the same key: what it ordered is kept, and nothing is ordered beside it',
      )
  }
  const today = new Date(clock.nowMs()).toISOString().slice(0, 10)

  const enter = async (next: HireEntry, history: bigint | undefined): Promise<EnterOutcome> => {
    const outcome = await accounts.enter(job.holder, {
      name,
      replaces: revision,
      text: JSON.stringify(next),
      keepMs: KEPT_MS,
      mostEntries: MOST_HIRES,
      amount: BigInt(next.amount) - BigInt(entry?.amount ?? 0),
      mostOfJob: bounds.mostOfJob,
      sums: bounds.sums(next.day, next.isNew ? undefined : history),
    })
    if (outcome.kind === 'entered') {
      revision += 1
      entry = next
    }
    return outcome
  }
  const require = (outcome: EnterOutcome, amount: string): void => {
    if (outcome.kind === 'entered') return
    if (outcome.kind === 'over' || outcome.kind === 'full')
      throw bounds.refuse(outcome, agent, BigInt(amount))
    throw new HoldLost(
      outcome.kind === 'settled'
        ? 'the job was settled while it hired'
        : 'the job was taken over while it hired',
    )
  }
  /** Of an amount that was counted before: it is never more than that. */
  const write = async (next: HireEntry): Promise<void> => require(await enter(next, NO_BOUND), next.amount)
  const giveBack = async (): Promise<void> => {
    if (entry?.state === 'reserved' && entry.amount !== '0') await write({ ...entry, amount: '0' })
  }

  return {
    entry,
    get isOrdered() {
      return isOrdered
    },
    async reserve(amountAtomic) {
      // Of another day, it is given back there before it counts here.
      if (entry !== undefined && entry.day !== today) await giveBack()
      const reserved = {
        version: 1,
        state: 'reserved',
        digest,
        amount: String(amountAtomic),
        day: today,
      } as const
      if (entry?.isNew !== true) {
        const outcome = await enter({ ...reserved, isNew: false }, await bounds.history(accounts))
        if (!bounds.exceedsHistory(outcome)) return require(outcome, reserved.amount)
        await giveBack()
      }
      require(await enter({ ...reserved, isNew: true }, undefined), reserved.amount)
    },
    async keepOrder(order) {
      isOrdered = true
      await write({ version: 1, state: 'ordered', digest, amount: entry?.amount ?? '0', ...counted(), order })
    },
    async keepFailed(errorType, message) {
      if (entry?.state !== 'ordered') return
      await write({ ...entry, state: 'failed', errorType, message })
    },
    async keepDone(hired, problem, paidAtomic) {
      const amount = String(paidAtomic)
      await write({ version: 1, state: 'done', digest, amount, ...counted(), hired, problem })
    },
    giveBack: () => giveBack().catch(() => undefined),
  }

  /** Where the amount was counted, and so counts on. */
  function counted(): Pick<HireEntry, 'day' | 'isNew'> {
    return { day: entry?.day ?? today, isNew: entry?.isNew ?? true }
  }
}
