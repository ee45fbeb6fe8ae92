import type { Clock as ClientClock } from '@farebox/client/src/exchange/clock'
import type { Clock as FacilitatorClock } from '@farebox/server/clock'
import type { Clock as AgentClock } from 'farebox'
import type { Random } from '../seeded-random.ts'
import type { VirtualProcess } from './virtual-process.ts'

// A process's clock, in the form that each of our packages takes one.

/** How late timers come, as they may on any machine: those that fall due within so long fire together. */
export interface TimerGrain {
  readonly ms: number
  /** Where in time the first of them fires: no two processes fire theirs at the same moments. */
  readonly phaseMs: number
}

/** A clock whose timers come when they are due. */
export const EXACT: TimerGrain = { ms: 0, phaseMs: 0 }

export function drawGrain(random: Random, { name }: VirtualProcess, ms: number): TimerGrain {
  return { ms, phaseMs: random.fork(`timers of ${name}`).between(0, ms) }
}

export function agentClock(process: VirtualProcess, grain: TimerGrain): AgentClock {
  const { nowMs } = process
  return {
    nowMs,
    after: (delayMs, callback) => process.after(delayMs + lateMs(nowMs() + delayMs, grain), callback),
  }
}

/** For `createFacilitator`: its sleep ends early without a word. */
export function facilitatorClock(process: VirtualProcess, grain: TimerGrain): FacilitatorClock {
  const { nowMs } = process
  return {
    nowMs,
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.resolve()
      return new Promise(resolve => {
        const abort = (): void => {
          cancel()
          resolve()
        }
        const cancel = process.after(ms + lateMs(nowMs() + ms, grain), () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        })
        signal?.addEventListener('abort', abort, { once: true })
      })
    },
  }
}

/** For the client: its sleep rejects when it is ended early. */
export function clientClock(process: VirtualProcess): ClientClock {
  const { nowMs, sleep } = facilitatorClock(process, EXACT)
  return {
    nowMs,
    async sleep(ms, signal) {
      await sleep(ms, signal)
      signal?.throwIfAborted()
    },
  }
}

/** How long after its time a timer fires. */
function lateMs(dueMs: number, { ms, phaseMs }: TimerGrain): number {
  return ms === 0 ? 0 : Math.ceil((dueMs - phaseMs) / ms) * ms + phaseMs - dueMs
}
