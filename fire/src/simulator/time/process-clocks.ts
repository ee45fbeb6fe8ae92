import type { Clock } from '@farebox/protocol/time/clock'
import type { Random } from '../seeded-random.ts'
import type { VirtualProcess } from './virtual-process.ts'

/** How late timers fire, as on any machine: those due within this period fire together. */
export interface TimerGrain {
  readonly ms: number
  /** The offset of the first of them: no two processes fire theirs at the same moments. */
  readonly phaseMs: number
}

/** A clock whose timers fire when they are due. */
export const EXACT: TimerGrain = { ms: 0, phaseMs: 0 }

export function drawGrain(random: Random, { name }: VirtualProcess, ms: number): TimerGrain {
  return { ms, phaseMs: random.fork(`timers of ${name}`).between(0, ms) }
}

/** A process's clock, in the form that each of our packages accepts. */
export function processClock(process: VirtualProcess, grain: TimerGrain): Clock {
  const { nowMs } = process
  return {
    nowMs,
    after: (delayMs, callback) => process.after(delayMs + lateMs(nowMs() + delayMs, grain), callback),
  }
}

/** How long after its time a timer fires. */
function lateMs(dueMs: number, { ms, phaseMs }: TimerGrain): number {
  return ms === 0 ? 0 : Math.ceil((dueMs - phaseMs) / ms) * ms + phaseMs - dueMs
}
