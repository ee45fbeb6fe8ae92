import { CLAIM_LEASE_SECONDS, RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Job } from './job.ts'
import type { Holder, JobChange, JobStore } from './job-store.ts'

/** Length of a lease, and how often it is renewed: two renewals may be lost before it ends (D6). */
export const LEASE_MS = CLAIM_LEASE_SECONDS * 1_000
const RENEW_EVERY_MS = LEASE_MS / 3

/** How long a record that nobody finished outlives its lease: long enough for callers that wait for it to see it. */
export const UNFINISHED_KEPT_MS = RESPONSE_KEPT_SECONDS * 1_000

/** Another process has the job now: what it says is what counts. */
export class HoldLost extends Error {
  override readonly name = 'HoldLost'
}

/** A job this process holds, kept held until it is let go. */
export interface HeldJob {
  readonly holder: Holder
  /** The record as last written by this holder. */
  readonly job: Job
  /** The lease was lost: another process does this job now, and this one must not touch it any more. */
  readonly isLost: boolean
  /**
   * Calls back when the lease is lost, unless the returned function is called before. Not an `AbortSignal`: one for
   * every job costs more than all else that is kept of it.
   */
  onLost(callback: (reason: Error) => void): () => void
  /**
   * Is it still ours? The store is asked only where the lease is over by our own clock: this process stood still, so
   * that it could neither renew it nor hear that it was lost.
   */
  isStillHeld(): Promise<boolean>
  /** Writes the record and keeps holding. False where the hold was lost. */
  keep(job: Job): Promise<boolean>
  /** Writes the last record, or forgets the job, and lets go. False where the hold was lost before. */
  release(change: Exclude<JobChange, { kind: 'hold' }>): Promise<boolean>
}

/** Renews the leases of all jobs this process holds, by one timer. */
export interface LeaseKeeper {
  /** Begins to hold a job just claimed; the claim was asked for at this Unix time in milliseconds. */
  hold(holder: Holder, job: Job, askedMs: number): HeldJob
  /** How many jobs are held now. */
  count(): number
  /** Stops renewing; what is still held is free to others after its lease. */
  stop(): void
}

interface Holding extends HeldJob {
  /** What a renewal writes again. */
  job: Job
  isLost: boolean
  isRenewing: boolean
  /** By our own clock, Unix milliseconds: the store's lease lasts at least as long. */
  leaseEndsMs: number
  /** Called when it is lost. */
  readonly watchers: Set<(reason: Error) => void>
  /** The write under way: a renewal must never land after a newer record, and undo it. */
  writing: Promise<unknown>
}

interface Keeper {
  readonly store: JobStore
  readonly clock: Clock
  readonly holdings: Set<Holding>
  cancelTimer: (() => void) | undefined
  isStopped: boolean
}

/** Makes the keeper; its timer runs only while something is held. */
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
  // No getters: V8 gives each object that has one a hidden class of its own, which outlives the object.
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
    // One that waits for its store, as for an answer that a killed connection owes, holds up no other.
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
    // A store that cannot be reached now may be reached at the next round; the fence decides in any case.
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

/** Runs a write after the holding's earlier ones, whatever became of them. */
function inTurn<T>(holding: Holding, write: () => Promise<T>): Promise<T> {
  const turn = holding.writing.then(write, write)
  holding.writing = turn.catch(() => undefined)
  return turn
}
