import { CLAIM_LEASE_SECONDS, RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Job } from './job.ts'
import type { Holder, JobChange, JobStore } from './job-store.ts'

/** The length of a lease, and below it the interval of its renewal: two renewals may fail before it ends (D6). */
export const LEASE_MS = CLAIM_LEASE_SECONDS * 1_000
const RENEW_EVERY_MS = LEASE_MS / 3

/** How long an unfinished record outlives its lease: long enough for waiting callers to read it. */
export const UNFINISHED_KEPT_MS = RESPONSE_KEPT_SECONDS * 1_000

/** Another process has the job now, and its record decides. */
export class HoldLost extends Error {
  override readonly name = 'HoldLost'
}

/** A job that this process holds; its lease is renewed until the job is released. */
export interface HeldJob {
  readonly holder: Holder
  /** The record that this holder wrote last. */
  readonly job: Job
  /** Whether the lease was lost: another process has the job, and this one must not change it any more. */
  readonly isLost: boolean
  /**
   * Calls back when the lease is lost. The returned function cancels the callback. It is not an `AbortSignal`, because
   * one per job would cost more than everything else that is stored for the job.
   */
  onLost(callback: (reason: Error) => void): () => void
  /**
   * Whether this process still holds the job. The store is asked only when the lease has ended by this process's clock:
   * the process was paused, so that it could not renew the lease or learn that it was lost.
   */
  isStillHeld(): Promise<boolean>
  /** Writes the record and keeps the hold. False when the hold was lost. */
  keep(job: Job): Promise<boolean>
  /** Writes the last record or deletes the job, and releases the hold. False when the hold had been lost. */
  release(change: Exclude<JobChange, { kind: 'hold' }>): Promise<boolean>
}

/** Renews the leases of all jobs that this process holds, with a single timer. */
export interface LeaseKeeper {
  /** Starts to hold a claimed job; `askedMs` is the Unix time in milliseconds at which the claim was requested. */
  hold(holder: Holder, job: Job, askedMs: number): HeldJob
  /** The number of held jobs. */
  count(): number
  /** Stops the renewals; jobs that are still held can be claimed by other processes when their leases end. */
  stop(): void
}

interface Holding extends HeldJob {
  /** The record that a renewal writes again. */
  job: Job
  isLost: boolean
  isRenewing: boolean
  /** The end of the lease by this process's clock, in Unix milliseconds; in the store it ends at this time or later. */
  leaseEndsMs: number
  /** Callbacks for the loss of the lease. */
  readonly watchers: Set<(reason: Error) => void>
  /** The write in progress: a renewal must never land after a newer record and overwrite it. */
  writing: Promise<unknown>
}

interface Keeper {
  readonly store: JobStore
  readonly clock: Clock
  readonly holdings: Set<Holding>
  cancelTimer: (() => void) | undefined
  isStopped: boolean
}

/** Makes the keeper; its timer runs only while jobs are held. */
export function createLeaseKeeper(store: JobStore, clock: Clock): LeaseKeeper {
  const keeper: Keeper = {
    store,
    clock,
    holdings: new Set(),
    cancelTimer: undefined,
    isStopped: false,
  }
  return {
    hold(holder, job, askedMs) {
      const holding = createHolding(keeper, holder, job, askedMs)
      keeper.holdings.add(holding)
      schedule(keeper)
      return holding
    },
    count: () => keeper.holdings.size,
    stop() {
      keeper.isStopped = true
      keeper.cancelTimer?.()
    },
  }
}

function createHolding(keeper: Keeper, holder: Holder, job: Job, askedMs: number): Holding {
  const { store, clock, holdings } = keeper
  // There are no getters, because V8 gives each object with a getter a separate hidden class, which outlives the
  // object.
  const holding: Holding = {
    holder,
    job,
    isLost: false,
    isRenewing: false,
    leaseEndsMs: askedMs + LEASE_MS,
    watchers: new Set(),
    writing: Promise.resolve(),
    onLost(callback) {
      holding.watchers.add(callback)
      return () => void holding.watchers.delete(callback)
    },
    async isStillHeld() {
      while (!holding.isLost && clock.nowMs() >= holding.leaseEndsMs) await holding.keep(holding.job)
      return !holding.isLost
    },
    keep: next =>
      inTurn(holding, async () => {
        const held = await renewNow(keeper, holding, next)
        if (held) holding.job = next
        else lose(keeper, holding)
        return held
      }),
    release(change) {
      holdings.delete(holding)
      return inTurn(holding, () => store.write(holder, change))
    },
  }
  return holding
}

function schedule(keeper: Keeper): void {
  const { clock, holdings } = keeper
  if (keeper.cancelTimer !== undefined || holdings.size === 0 || keeper.isStopped) return
  keeper.cancelTimer = clock.after(RENEW_EVERY_MS, () => {
    keeper.cancelTimer = undefined
    // Renewals run concurrently, so that one that waits for its store does not delay the others.
    for (const holding of holdings) void renew(keeper, holding)
    schedule(keeper)
  })
}

async function renew(keeper: Keeper, holding: Holding): Promise<void> {
  if (holding.isRenewing) return
  holding.isRenewing = true
  try {
    const held = await inTurn(holding, () =>
      keeper.holdings.has(holding) ? renewNow(keeper, holding, holding.job) : Promise.resolve(true),
    )
    if (!held) lose(keeper, holding)
  } catch {
    // A store that cannot be reached now may be reachable at the next renewal; the fence decides in any case.
  } finally {
    holding.isRenewing = false
  }
}

async function renewNow({ store, clock }: Keeper, holding: Holding, job: Job): Promise<boolean> {
  const askedMs = clock.nowMs()
  const held = await store.write(holding.holder, hold(job))
  if (held) holding.leaseEndsMs = askedMs + LEASE_MS
  return held
}

function lose({ holdings }: Keeper, holding: Holding): void {
  if (!holdings.delete(holding)) return
  holding.isLost = true
  const reason = new HoldLost('the lease was lost: another process has this job')
  for (const report of holding.watchers) report(reason)
}

function hold(job: Job): JobChange {
  return { kind: 'hold', job, leaseMs: LEASE_MS, keepMs: UNFINISHED_KEPT_MS }
}

/** Runs a write after the earlier writes of this holding, whether they succeeded or failed. */
function inTurn<T>(holding: Holding, write: () => Promise<T>): Promise<T> {
  const turn = holding.writing.then(write, write)
  holding.writing = turn.catch(() => undefined)
  return turn
}
