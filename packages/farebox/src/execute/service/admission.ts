import type { Clock } from '@farebox/protocol/time/clock'

/** Why a payer is sent away for a while: not the fault of this request, so that it is no failure of it (503). */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Who may have a new run made, by what came of the runs before: bounds what one payer takes for nothing of the handlers
 * (their own short deadlines) and of the facilitator's allowance for this agent (payments that come to nothing).
 *
 * Of this process alone: so many processes admit so many times as much. Stored answers and joins do not pass here.
 */
export interface Admission {
  /** Throws {@link TryLater} where this payer must wait. */
  enter(payer: string): void
  /** A response was saved, which is about to be charged. */
  succeeded(payer: string): void
  /** An attempt was verified, or tried to be, and nothing came of it. */
  failed(payer: string): void
  /** The handler ran for nothing, because the payer's own deadline was shorter than the agent asks for. */
  ranOut(payer: string): void
  /** The facilitator is asked too often: for a second it is asked about those alone who have had a response saved here. */
  facilitatorBusy(): void
}

/**
 * Attempts that come to nothing: so many at once, and so many a second after that. Half of what a facilitator allows an
 * agent (500 requests a second), so that one payer cannot use that up; a caller under development never comes near it.
 */
const MOST_FAILED = 250
const FAILED_PER_SECOND = 250
/** New runs of payers that never had one saved here, taken together: fresh wallets cost nothing. */
const NEWCOMERS_AT_ONCE = 300
const NEWCOMERS_PER_SECOND = 200
/** Handlers run for nothing: so many within so long, then the payer waits. */
const MOST_RAN_OUT = 20
const RAN_OUT_MS = 60_000
const WAIT_MS = 10_000
/** A new payer counts once in so long, however many requests it sends at once. */
const NEWCOMER_FOR_MS = 10_000
/** What a facilitator allows an agent is by the second. */
const BUSY_MS = 1_000
/** How many payers of each kind are remembered; beyond it those seen longest ago are forgotten. */
const MAX_PAYERS = 10_000

/** Who was seen so lately keeps the place in the order of who is forgotten first. */
const SEEN_FOR_MS = 1_000

interface Past {
  seenMs: number
  /** When it last counted as a new payer. */
  enteredMs: number
  failed: number
  failedMs: number
  ranOutMs: readonly number[]
  waitsUntilMs: number
}

/** What one process remembers of payers. */
interface Payers {
  readonly clock: Clock
  /** Those who have had a response saved here: apart, so that fresh wallets cannot push them out. */
  readonly known: Map<string, Past>
  readonly others: Map<string, Past>
  /** How many new payers may enter now, and from when on they may at all. */
  readonly newcomers: { left: number; atMs: number; pausedUntilMs: number }
}

/** Makes it; `clock` is the process's. */
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

/** Puts it last, and forgets the one that was asked for longest ago where there are too many. */
function remember(payers: Map<string, Past>, payer: string, past: Past): void {
  payers.delete(payer)
  payers.set(payer, past)
  const [oldest] = payers.keys()
  if (payers.size > MAX_PAYERS && oldest !== undefined) payers.delete(oldest)
}
