import type { CallFate, PortKind, ProcessKind } from '../faults/faults.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Wires } from './exchange.ts'

/** What was asked did not answer: it may have been done, or not. */
export class PortFailed extends Error {
  override readonly name = 'PortFailed'
}

/** One call of a process to something that outlives it: its store, its ledger. */
export interface PortCall<Result> {
  readonly process: VirtualProcess
  readonly kind: ProcessKind
  readonly port: PortKind
  /** For the trace: `store.claim`. */
  readonly label: string
  readonly call: () => Promise<Result>
  /** Told when the call will fail or be slow, or its process dies or stops over it. */
  readonly onFault?: (fate: CallFate) => void
}

/** What takes longer may cost a lease. */
const SLOW_MS = 1_000

/**
 * Makes a call through a port: it takes its time, and the process may die before it or after it, or hear
 * nothing of what was done.
 */
export function callThroughPort<Result>(wires: Wires, call: PortCall<Result>): Promise<Result> {
  const { time, faults, trace } = wires
  const { process, label } = call
  if (!process.isAlive) return new Promise(() => undefined)
  const fate = faults.ofCall(call.kind, call.port)
  if (fate.crash !== undefined || fate.fail !== undefined || fate.pauseMs > 0 || fate.delayMs > SLOW_MS)
    call.onFault?.(fate)
  if (fate.pauseMs > 0) {
    trace.note(process.name, () => `stops for ${fate.pauseMs} ms at ${label}`)
    process.pause(fate.pauseMs)
  }
  if (fate.crash === 'before') {
    trace.note(process.name, () => `dies before ${label}`)
    process.crash()
    return new Promise(() => undefined)
  }
  return new Promise((resolve, reject) => {
    const fail = (when: string): void => {
      trace.note(process.name, () => `${label} fails ${when} it was done`)
      process.deliver(() => reject(new PortFailed(`${label}: no answer`)))
    }
    const end = (settle: () => void): void => {
      if (fate.crash === 'after') {
        if (process.isAlive) trace.note(process.name, () => `dies after ${label}`)
        process.crash()
      } else if (fate.fail === 'after') fail('after')
      else process.deliver(settle)
    }
    const make = (): void => {
      if (fate.fail === 'before') return fail('before')
      call.call().then(
        result => end(() => resolve(result)),
        (error: unknown) => end(() => reject(error)),
      )
    }
    if (fate.delayMs === 0) make()
    else time.after(fate.delayMs, make)
  })
}
