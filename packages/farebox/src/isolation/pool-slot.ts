import { setPriority } from 'node:os'
import type { PoolLimits } from './pool-limits.ts'
import { readUsage } from './process-usage.ts'
import type { HandlerProcess } from './handler-process.ts'

/** A handler process and its state in the pool. */
export interface PoolSlot {
  readonly process: HandlerProcess
  /** `loading` → `free` → `taken` → `lingering` (its job has ended, but part of it is still running) → `free`. */
  state: 'loading' | 'free' | 'taken' | 'lingering' | 'ending'
  /** The time of the last change of state. */
  sinceMs: number
  /** An error occurred in it, or it used too much of a core: it gets no further job. */
  isSpoiled: boolean
  /** The CPU time of the process when it was first inspected in its current job, in milliseconds. */
  cpuMsBefore: number | undefined
}

const LOAD_LIMIT_MS = 60_000
/** The time in which code that a handler left running must end. */
const LINGER_MS = 5_000
/**
 * A job that has used this much CPU time gets a lower priority, in favour of `/health`, the agent's own work and
 * waiting jobs.
 */
const MAKE_WAY_CPU_MS = 300
/**
 * Values for `os.setPriority`: a third and a thirtieth of the agent's CPU share. Raising a priority again requires a
 * privilege.
 */
const HANDLER_PRIORITY = 5
const MAKE_WAY_PRIORITY = 15

/** Makes a slot for a process that was just started, with a lower priority than the agent's own work. */
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

/**
 * Checks the resource usage of a slot that is not free. Returns the reason when its process must be ended, otherwise
 * undefined.
 */
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
    // The process has ended, or the change is not allowed; its priority then stays the same.
  }
}

/** Kills the process of a slot; the slot is removed when the process has ended. */
export function endSlot(slot: PoolSlot, why: string): void {
  slot.state = 'ending'
  slot.process.end(why)
}
