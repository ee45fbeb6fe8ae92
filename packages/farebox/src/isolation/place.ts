import { setPriority } from 'node:os'
import type { PoolLimits } from './pool-limits.ts'
import { readUsage } from './process-usage.ts'
import type { Seat } from './seat.ts'

/** A seat, and what the pool knows of it. */
export interface Place {
  readonly seat: Seat
  /** `loading` → `free` → `taken` → `lingering` (its job is over, something of it runs on) → `free`. */
  state: 'loading' | 'free' | 'taken' | 'lingering' | 'ending'
  /** Clock time of the last change. */
  sinceMs: number
  /** Something broke in it, or it makes way for others: no further job. */
  isSpoiled: boolean
  /** Milliseconds of a core that it had when it was first looked at in its job. */
  cpuMsBefore: number | undefined
}

const LOAD_LIMIT_MS = 60_000
/** What a handler left running has this long to end. */
const LINGER_MS = 5_000
/** A job that has had so much of a core makes way: for `/health`, for the agent's own work, for jobs that wait. */
const MAKE_WAY_CPU_MS = 300
/** Of `os.setPriority`: a third of the share that the agent gets, and a thirtieth. Raising it again takes a privilege. */
const HANDLER_PRIORITY = 5
const MAKE_WAY_PRIORITY = 15

/** A place for a seat just started: the agent's own work goes before that of handlers. */
export function openPlace(seat: Seat, nowMs: number): Place {
  if (seat.pid !== undefined) lowerPriority(seat.pid, HANDLER_PRIORITY)
  return { seat, state: 'loading', sinceMs: nowMs, isSpoiled: false, cpuMsBefore: undefined }
}

/** Looks at a place that is not free: what it uses, and how long. Tells why it is to be ended, where it is. */
export function watchPlace(place: Place, nowMs: number, limits: PoolLimits): string | undefined {
  const forMs = nowMs - place.sinceMs
  if (place.state === 'loading' && forMs > LOAD_LIMIT_MS) return `not loaded after ${LOAD_LIMIT_MS / 1_000} s`
  if (place.state === 'lingering' && forMs > LINGER_MS) return 'what it left running did not end'
  const usage = place.seat.pid === undefined ? undefined : readUsage(place.seat.pid)
  if (usage === undefined) return undefined
  if (usage.residentBytes > limits.residentBytes)
    return `it held more than ${Math.round(limits.residentBytes / 1_048_576)} MB of memory`
  if (place.state !== 'loading') makeWay(place, usage.cpuMs)
  return undefined
}

function makeWay(place: Place, cpuMs: number): void {
  place.cpuMsBefore ??= cpuMs
  const { pid } = place.seat
  if (place.isSpoiled || pid === undefined || cpuMs - place.cpuMsBefore < MAKE_WAY_CPU_MS) return
  place.isSpoiled = true
  lowerPriority(pid, MAKE_WAY_PRIORITY)
}

function lowerPriority(pid: number, priority: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // Gone, or not allowed: then it competes as before.
  }
}

/** Ends what is in a place; it is gone when its seat says so. */
export function endPlace(place: Place, why: string): void {
  place.state = 'ending'
  place.seat.end(why)
}
