import type { Clock } from '@farebox/protocol/time/clock'

/**
 * A payer must wait before it tries again. That is not the fault of this request, so it is not a failure of the job
 * (503).
 */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Decides which payers may start a new run, by the results of their earlier runs. It limits how much unpaid work one
 * payer can cause: handler runs that end at the payer's own short deadline, and requests to the facilitator for
 * payments that fail.
 *
 * The limits apply to each process, so that several processes admit a multiple. Stored responses and joined runs are
 * not counted.
 */
export interface Admission {
  /** Throws {@link TryLater} when this payer must wait. */
  enter(payer: string): void
  /** A response was saved, and is about to be charged for. */
  succeeded(payer: string): void
  /** An attempt failed after its payment was sent to the facilitator. */
  failed(payer: string): void
  /** The handler ran out of time because the payer's deadline was shorter than the agent declares. */
  ranOut(payer: string): void
  /** The facilitator refused a request as too many: for one second only payers with a response saved here may enter. */
  facilitatorBusy(): void
}

/**
 * Failed attempts of one payer: the most at once, and how many are forgiven per second. That is half of the rate that a
 * facilitator allows an agent (500 requests a second), so that one payer cannot exhaust it; a caller under development
 * stays far below.
 */
const MOST_FAILED = 250
const FAILED_PER_SECOND = 250
/** New runs of payers without a saved response, all such payers together, because fresh wallets cost nothing. */
const NEWCOMERS_AT_ONCE = 300
const NEWCOMERS_PER_SECOND = 200
/** After this many unpaid handler runs within this time, the payer must wait. */
const MOST_RAN_OUT = 20
const RAN_OUT_MS = 60_000
const WAIT_MS = 10_000
/** A new payer is counted once in this time, however many requests it sends. */
const NEWCOMER_FOR_MS = 10_000
/** A facilitator limits an agent's requests per second. */
const BUSY_MS = 1_000
/** How many payers of each kind are remembered; beyond that, the least recently seen are forgotten. */
const MAX_PAYERS = 10_000

/** A payer that was seen within this time keeps its place in the order of eviction. */
const SEEN_FOR_MS = 1_000

interface Past {
  seenMs: number
  /** The time when it last counted as a new payer. */
  enteredMs: number
  failed: number
  failedMs: number
  ranOutMs: readonly number[]
  waitsUntilMs: number
}

/** The payers that this process remembers. */
interface Payers {
  readonly clock: Clock
  /** Payers with a response saved here; kept apart, so that fresh wallets cannot evict them. */
  readonly known: Map<string, Past>
  readonly others: Map<string, Past>
  /** How many new payers may enter now, when that was computed, and until when none may enter. */
  readonly newcomers: { left: number; atMs: number; pausedUntilMs: number }
}

/** Makes an {@link Admission}; `clock` is the process's. */
export function createAdmission(clock: Clock): Admission {
  const newcomers = { left: NEWCOMERS_AT_ONCE, atMs: clock.nowMs(), pausedUntilMs: Number.NEGATIVE_INFINITY }
  const payers: Payers = { clock, known: new Map(), others: new Map(), newcomers }
  return {
    enter: payer => enter(payers, payer),
    succeeded(payer) {
      const past = pastOf(payers, payer)
      if (payers.known.has(payer)) return
      payers.others.delete(payer)
      remember(payers.known, payer, past)
    },
    failed(payer) {
      const past = pastOf(payers, payer)
      past.failed = failuresOf(payers, past) + 1
    },
    ranOut: payer => noteRanOut(payers, payer),
    facilitatorBusy() {
      newcomers.pausedUntilMs = clock.nowMs() + BUSY_MS
    },
  }
}

function enter(payers: Payers, payer: string): void {
  const { clock, known, newcomers } = payers
  const past = pastOf(payers, payer)
  const waitMs = past.waitsUntilMs - clock.nowMs()
  if (waitMs > 0) {
    throw new TryLater(
      `${MOST_RAN_OUT} jobs of this payer ran beyond their own short deadlines: come back later, with more time`,
      Math.ceil(waitMs / 1_000),
    )
  }
  if (failuresOf(payers, past) >= MOST_FAILED)
    throw new TryLater('too many attempts of this payer came to nothing: come back in a while', 5)
  if (known.has(payer)) return
  const isPaused = clock.nowMs() < newcomers.pausedUntilMs
  if (!isPaused && clock.nowMs() - past.enteredMs < NEWCOMER_FOR_MS) return
  if (isPaused || !takeNewcomer(payers))
    throw new TryLater('too many new payers at this moment: come back in a second', 1)
  past.enteredMs = clock.nowMs()
}

function noteRanOut(payers: Payers, payer: string): void {
  const past = pastOf(payers, payer)
  const nowMs = payers.clock.nowMs()
  const recent = [...past.ranOutMs.filter(atMs => nowMs - atMs < RAN_OUT_MS), nowMs]
  const isTooOften = recent.length >= MOST_RAN_OUT
  past.ranOutMs = isTooOften ? [] : recent
  if (isTooOften) past.waitsUntilMs = nowMs + WAIT_MS
}

function pastOf({ clock, known, others }: Payers, payer: string): Past {
  const past = known.get(payer) ?? others.get(payer) ?? unwritten()
  const nowMs = clock.nowMs()
  if (nowMs - past.seenMs < SEEN_FOR_MS) return past
  past.seenMs = nowMs
  remember(known.has(payer) ? known : others, payer, past)
  return past
}

function failuresOf({ clock }: Payers, past: Past): number {
  const nowMs = clock.nowMs()
  const passedSeconds = Math.max(0, nowMs - past.failedMs) / 1_000
  past.failed = Math.max(0, past.failed - passedSeconds * FAILED_PER_SECOND)
  past.failedMs = nowMs
  return past.failed
}

function takeNewcomer({ clock, newcomers }: Payers): boolean {
  const nowMs = clock.nowMs()
  const passedSeconds = Math.max(0, nowMs - newcomers.atMs) / 1_000
  newcomers.left = Math.min(NEWCOMERS_AT_ONCE, newcomers.left + passedSeconds * NEWCOMERS_PER_SECOND)
  newcomers.atMs = nowMs
  if (newcomers.left < 1) return false
  newcomers.left -= 1
  return true
}

function unwritten(): Past {
  return {
    seenMs: Number.NEGATIVE_INFINITY,
    enteredMs: Number.NEGATIVE_INFINITY,
    failed: 0,
    failedMs: 0,
    ranOutMs: [],
    waitsUntilMs: 0,
  }
}

/** Moves a payer to the end, and evicts the least recently seen one when there are too many. */
function remember(payers: Map<string, Past>, payer: string, past: Past): void {
  payers.delete(payer)
  payers.set(payer, past)
  const [oldest] = payers.keys()
  if (payers.size > MAX_PAYERS && oldest !== undefined) payers.delete(oldest)
}
