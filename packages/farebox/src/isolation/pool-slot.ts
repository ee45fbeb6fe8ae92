import { setPriority } from 'node:os'
import type { PoolLimits } from './pool-limits.ts'
import { readUsage } from './process-usage.ts'
import type { HandlerProcess } from './handler-process.ts'

/** A handler process, and what the pool knows of it. */
export interface PoolSlot {
  readonly process: HandlerProcess
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

/** A slot for a process just started: the agent's own work goes before that of handlers. */
export function openSlot(handlerProcess: HandlerProcess, nowMs: number): PoolSlot {
  if (handlerProcess.pid !== undefined) lowerPriority(handlerProcess.pid, HANDLER_PRIORITY)
  return {
    process: handlerProcess,
    state: 'loading',
    sinceMs: nowMs,
    isSpoiled: false,
    cpuMsBefore: undefined,
  }
}

/** Looks at a slot that is not free: what it uses, and how long. Tells why it is to be ended, where it is. */
export function inspectSlot(slot: PoolSlot, nowMs: number, limits: PoolLimits): string | undefined {
  const forMs = nowMs - slot.sinceMs
  if (slot.state === 'loading' && forMs > LOAD_LIMIT_MS) return `not loaded after ${LOAD_LIMIT_MS / 1_000} s`
  if (slot.state === 'lingering' && forMs > LINGER_MS) return 'what it left running did not end'
  const usage = slot.process.pid === undefined ? undefined : readUsage(slot.process.pid)
  if (usage === undefined) return undefined
  if (usage.residentBytes > limits.residentBytes)
    return `it held more than ${Math.round(limits.residentBytes / 1_048_576)} MB of memory`
  if (slot.state !== 'loading') makeWay(slot, usage.cpuMs)
  return undefined
}

function makeWay(slot: PoolSlot, cpuMs: number): void {
  slot.cpuMsBefore ??= cpuMs
  const { pid } = slot.process
  if (slot.isSpoiled || pid === undefined || cpuMs - slot.cpuMsBefore < MAKE_WAY_CPU_MS) return
  slot.isSpoiled = true
  lowerPriority(pid, MAKE_WAY_PRIORITY)
}

function lowerPriority(pid: number, priority: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // Gone, or not allowed: then it competes as before.
  }
}

/** Ends what is in a slot; it is gone once its process reports its end. */
export function endSlot(slot: PoolSlot, why: string): void {
  slot.state = 'ending'
  slot.process.end(why)
}
