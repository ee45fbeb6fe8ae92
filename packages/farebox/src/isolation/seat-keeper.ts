import type { Clock } from '../clock.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import { logStray } from '../handler/handler-failure.ts'
import type { Log } from '../log.ts'
import type { Guard } from './guard.ts'
import { endPlace, openPlace, watchPlace, type Place } from './place.ts'
import { hasRoom, type PoolLimits } from './pool-limits.ts'
import type { LoadOrder } from './seat-messages.ts'
import { startSeat, type Seat } from './seat.ts'

/** Seats: started ahead, handed out, replaced. */
export interface SeatKeeper {
  /** Settles with the first seat: rejects where it cannot load the handlers. */
  readonly started: Promise<void>
  /**
   * A seat for one job; nobody else gets it. Undefined where the signal aborted first, where none can be started,
   * and when the keeper is closed.
   */
  take(signal: AbortSignal): Promise<Seat | undefined>
  /** Ends all. */
  close(): Promise<void>
}

/** What a keeper is made of. */
export interface SeatKeeperParts {
  readonly order: LoadOrder
  readonly limits: PoolLimits
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Log
}

/** A seat beyond the fewest is given up when it has had nothing to do for so long. */
const IDLE_MS = 30_000
const LOOK_EVERY_MS = 100
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

interface Keeping extends SeatKeeperParts {
  readonly places: Set<Place>
  readonly waiting: Set<(seat: Seat | undefined) => void>
  /** The first seat goes ahead, so that what is wrong with the handlers is said once. */
  hasLoaded: boolean
  isClosed: boolean
  /** Seats in a row that did not come to be, and until when no other is tried. */
  failures: number
  pausedUntilMs: number
  cancelLook: (() => void) | undefined
  cancelRetry: (() => void) | undefined
}

/** Makes the keeper, and starts the first seat; the others follow when it has loaded the handlers. */
export function createSeatKeeper(parts: SeatKeeperParts): SeatKeeper {
  const keeping: Keeping = {
    ...parts,
    places: new Set(),
    waiting: new Set(),
    hasLoaded: false,
    isClosed: false,
    failures: 0,
    pausedUntilMs: 0,
    cancelLook: undefined,
    cancelRetry: undefined,
  }
  return {
    started: start(keeping).loaded,
    take: signal => takeSeat(keeping, signal),
    async close() {
      keeping.isClosed = true
      keeping.cancelLook?.()
      keeping.cancelRetry?.()
      refuseWaiting(keeping)
      const all = [...keeping.places]
      for (const place of all) endPlace(place, 'the agent stops')
      await Promise.all(all.map(({ seat }) => seat.ended))
    },
  }
}

function takeSeat(keeping: Keeping, signal: AbortSignal): Promise<Seat | undefined> {
  return new Promise(resolve => {
    const isHopeless = living(keeping).length === 0 && keeping.clock.nowMs() < keeping.pausedUntilMs
    if (keeping.isClosed || signal.aborted || isHopeless) return resolve(undefined)
    const give = (seat: Seat | undefined): void => {
      keeping.waiting.delete(give)
      signal.removeEventListener('abort', giveUp)
      resolve(seat)
    }
    const giveUp = (): void => give(undefined)
    signal.addEventListener('abort', giveUp)
    keeping.waiting.add(give)
    balance(keeping)
  })
}

/** Gives free seats to who waits, and starts what is missing: one is to be free always. */
function balance(keeping: Keeping): void {
  const { waiting, limits, clock } = keeping
  if (keeping.isClosed) return
  for (const give of waiting) {
    const place = living(keeping, 'free').at(-1)
    if (place === undefined) break
    place.state = 'taken'
    place.cpuMsBefore = undefined
    give(place.seat)
  }
  const missing = (): number =>
    waiting.size + 1 - living(keeping, 'loading').length - living(keeping, 'free').length
  while ((living(keeping).length < limits.fewest || missing() > 0) && mayStart(keeping)) start(keeping)
  // What a job left running may run on for as long as nobody needs its place.
  const [oldest] = living(keeping, 'lingering')
  if (oldest !== undefined && missing() > 1 && isFull(keeping)) endPlace(oldest, 'its place is needed')
  keeping.cancelLook ??= clock.after(LOOK_EVERY_MS, () => look(keeping))
}

function mayStart(keeping: Keeping): boolean {
  const { limits, clock, hasLoaded, isClosed, pausedUntilMs } = keeping
  if (!hasLoaded || isClosed || clock.nowMs() < pausedUntilMs) return false
  return living(keeping, 'loading').length < limits.mostStarting && !isFull(keeping)
}

function isFull(keeping: Keeping): boolean {
  const { limits } = keeping
  const count = living(keeping).length
  return count >= limits.fewest && (count >= limits.most || !hasRoom(limits))
}

function start(keeping: Keeping): Seat {
  const { places, clock, log } = keeping
  const seat = startSeat(keeping, {
    onJobOver: clean => change(keeping, place, clean ? 'free' : 'lingering'),
    onClean: () => void (place.state === 'lingering' && change(keeping, place, 'free')),
    onStray(failure, jobId) {
      place.isSpoiled = true
      logStray(log, failure, jobId)
    },
  })
  const place = openPlace(seat, clock.nowMs())
  places.add(place)
  seat.loaded.then(
    () => {
      keeping.hasLoaded = true
      keeping.failures = 0
      change(keeping, place, 'free')
    },
    (error: unknown) => failToLoad(keeping, place, error),
  )
  void seat.ended.then(() => {
    places.delete(place)
    balance(keeping)
  })
  return seat
}

function change(keeping: Keeping, place: Place, state: 'free' | 'lingering'): void {
  if (place.state === 'ending') return
  if (place.isSpoiled) endPlace(place, 'it takes no further job')
  else {
    place.state = state
    place.sinceMs = keeping.clock.nowMs()
  }
  balance(keeping)
}

function failToLoad(keeping: Keeping, place: Place, error: unknown): void {
  const { clock, log } = keeping
  place.state = 'ending'
  if (!keeping.hasLoaded || keeping.isClosed) return
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** keeping.failures)
  keeping.failures += 1
  keeping.pausedUntilMs = clock.nowMs() + pauseMs
  log.warn('a process for handlers could not be started', { reason: describeThrown(error) })
  keeping.cancelRetry?.()
  keeping.cancelRetry = clock.after(pauseMs, () => balance(keeping))
  if (living(keeping).length === 0) refuseWaiting(keeping)
}

function refuseWaiting({ waiting }: Keeping): void {
  for (const give of waiting) give(undefined)
}

function look(keeping: Keeping): void {
  const { limits, clock } = keeping
  keeping.cancelLook = undefined
  for (const place of living(keeping)) {
    const nowMs = clock.nowMs()
    const isIdle = place.state === 'free' && nowMs - place.sinceMs > IDLE_MS
    const isOneOfMore = living(keeping).length > limits.fewest && living(keeping, 'free').length > 1
    if (isIdle && isOneOfMore) endPlace(place, 'it is not needed')
    const why = place.state === 'free' ? undefined : watchPlace(place, nowMs, limits)
    if (why !== undefined) endPlace(place, why)
  }
  const isQuiet =
    living(keeping).length <= limits.fewest && living(keeping, 'free').length === keeping.places.size
  if (!isQuiet) keeping.cancelLook = clock.after(LOOK_EVERY_MS, () => look(keeping))
}

function living({ places }: Keeping, state?: Place['state']): readonly Place[] {
  return [...places].filter(place => (state === undefined ? place.state !== 'ending' : place.state === state))
}
