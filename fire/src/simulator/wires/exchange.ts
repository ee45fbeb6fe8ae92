import type { Faults } from '../faults/faults.ts'
import type { Trace } from '../history-trace.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { VirtualTime } from '../time/virtual-time.ts'

/** A receiver of requests: a process, and its handler. */
export interface Callee<Request, Answer> {
  readonly process: VirtualProcess
  serve(request: Request): Promise<Answer>
}

/** The connection was refused, or broke before the answer arrived. */
class ConnectionBroken extends Error {
  override readonly name = 'ConnectionBroken'
  readonly code = 'ECONNRESET'
}

export interface Wires {
  readonly time: VirtualTime
  readonly faults: Faults
  readonly trace: Trace
}

/** One request on its way. */
export interface Parcel<Request, Answer> {
  readonly caller: VirtualProcess
  /** For the trace: `POST /settle`. */
  readonly label: string
  readonly request: Request
  /** The receiver at the time of arrival, as a load balancer may choose; undefined if there is none. */
  readonly find: () => Callee<Request, Answer> | undefined
  /** The usual maximum duration of a message, one way. */
  readonly usualMs: number
}

/**
 * Sends a request and waits for the answer over a faulty network: messages are lost, late, doubled, overtaken, or sent
 * to a process that dies.
 *
 * Rejects with {@link ConnectionBroken}; never settles if a message was lost silently, so the caller needs its own
 * timeout.
 */
export function exchange<Request, Answer>(wires: Wires, parcel: Parcel<Request, Answer>): Promise<Answer> {
  const { time, faults, trace } = wires
  const { caller, label } = parcel
  const fault = faults.ofMessage(parcel.usualMs)
  return new Promise((resolve, reject) => {
    const breakOff = (why: string): void => {
      trace.note(caller.name, () => `${label}: ${why}${fault.isSilent ? ', silently' : ''}`)
      if (!fault.isSilent)
        time.after(fault.backMs, () => caller.deliver(() => reject(new ConnectionBroken(`${label}: ${why}`))))
    }
    const arrive = (isCopy: boolean): void => {
      const callee = parcel.find()
      if (callee === undefined || !callee.process.isAlive) {
        if (!isCopy) breakOff('nobody there')
        return
      }
      trace.note(callee.process.name, () => `${label} arrives from ${caller.name}${isCopy ? ' again' : ''}`)
      if (!isCopy) faults.arrived(`${caller.name} ${label}`, fault.place)
      callee.process.deliver(() => {
        const forget = callee.process.onDeath(() => {
          if (!isCopy) breakOff(`${callee.process.name} died over it`)
        })
        callee.serve(parcel.request).then(
          answer => {
            forget()
            if (!callee.process.isAlive) return
            if (!isCopy && fault.losesAnswer) breakOff('the answer is lost')
            else time.after(fault.backMs, () => caller.deliver(() => resolve(answer)))
          },
          (error: unknown) => {
            forget()
            time.after(fault.backMs, () => caller.deliver(() => reject(error)))
          },
        )
      })
    }
    if (!caller.isAlive) return
    if (fault.losesRequest) breakOff('the request is lost')
    else if (fault.thereMs === 0) arrive(false)
    else time.after(fault.thereMs, () => arrive(false))
    const { againMs } = fault
    if (againMs !== undefined) time.after(fault.thereMs + againMs, () => arrive(true))
  })
}
