import { UNHARMED, type CallFault } from '../faults/targeted-fault.ts'
import type { PortKind, ProcessKind } from '../faults/faults.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Wires } from './exchange.ts'

/** The call did not return: it may have been executed, or not. */
export class PortFailed extends Error {
  override readonly name = 'PortFailed'
}

/** One call of a process to an external part: its store, its ledger. */
export interface PortCall<Result> {
  readonly process: VirtualProcess
  readonly kind: ProcessKind
  readonly port: PortKind
  /** One of `PORT_CALLS`. */
  readonly name: string
  /** For the trace, if it is more specific than the name. */
  readonly label?: string
  readonly call: () => Promise<Result>
  /** Called when the call will fail or be slow, or its process dies or stops at it. */
  readonly onFault?: (fault: CallFault) => void
}

/** A slower call may cost a lease. */
const SLOW_MS = 1_000

/**
 * Makes a call through a port: it takes time, and the process may die before it or after it, or not receive its result.
 */
export function callThroughPort<Result>(wires: Wires, call: PortCall<Result>): Promise<Result> {
  const { time, faults, trace } = wires
  const { process, name, label = name } = call
  if (!process.isAlive) return new Promise(() => undefined)
  const fault = faults.ofCall(call.kind, call.port, name)
  // A slow operation within it, a message, checks by itself that its caller is alive.
  if (fault === UNHARMED) return call.call()
  if (fault.crash !== undefined || fault.fail !== undefined || fault.pauseMs > 0 || fault.delayMs > SLOW_MS)
    call.onFault?.(fault)
  if (fault.pauseMs > 0) {
    trace.note(process.name, () => `stops for ${fault.pauseMs} ms at ${label}`)
    process.pause(fault.pauseMs)
  }
  if (fault.crash === 'before') {
    trace.note(process.name, () => `dies before ${label}`)
    faults.happened(`dies before ${name}`)
    process.crash()
    return new Promise(() => undefined)
  }
  return new Promise((resolve, reject) => {
    const fail = (when: string): void => {
      trace.note(process.name, () => `${label} fails ${when} it was done`)
      process.deliver(() => reject(new PortFailed(`${label}: no answer`)))
    }
    const end = (settle: () => void): void => {
      if (fault.crash === 'after') {
        if (!process.isAlive) return
        trace.note(process.name, () => `dies after ${label}`)
        faults.happened(`dies after ${name}`)
        process.crash()
      } else if (fault.fail === 'after') fail('after')
      else process.deliver(settle)
    }
    const make = (): void => {
      if (fault.fail === 'before') return fail('before')
      call.call().then(
        result => end(() => resolve(result)),
        (error: unknown) => end(() => reject(error)),
      )
    }
    if (fault.delayMs === 0) make()
    else time.after(fault.delayMs, make)
  })
}
