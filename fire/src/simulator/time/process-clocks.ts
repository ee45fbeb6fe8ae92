import type { Clock as ClientClock } from '@farebox/client/clock'
import type { Clock as FacilitatorClock } from '@farebox/facilitator/clock'
import type { Clock as AgentClock } from 'farebox'
import type { VirtualProcess } from './virtual-process.ts'

// A process's clock, in the form that each of our packages takes one.

/** For `createAgent`. */
export function agentClock(process: VirtualProcess): AgentClock {
  return { nowMs: process.nowMs, after: process.after }
}

/** For `createFacilitator`: its sleep ends early without a word. */
export function facilitatorClock(process: VirtualProcess): FacilitatorClock {
  return {
    nowMs: process.nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        const end = (): void => {
          cancel()
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const cancel = process.after(ms, end)
        signal?.addEventListener('abort', end, { once: true })
      }),
  }
}

/** For the client: its sleep rejects when it is ended early. */
export function clientClock(process: VirtualProcess): ClientClock {
  return {
    nowMs: process.nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          cancel()
          reject(signal?.reason as Error)
        }
        const cancel = process.after(ms, () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        })
        if (signal?.aborted === true) abort()
        else signal?.addEventListener('abort', abort, { once: true })
      }),
  }
}
