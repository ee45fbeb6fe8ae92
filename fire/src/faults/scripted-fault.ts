import { setTimeout as delay } from 'node:timers/promises'
import type { ChainFault } from './chain-proxy.ts'
import type { Crossing, WireFault } from './wire.ts'

/** A fault, and where it happens. */
export type ScriptedFault = {
  /** What happens, in words. */
  readonly name: string
  /**
   * `delivered`: the job must be delivered and paid for. `either`: a truthful failure will do, where nothing
   * was charged.
   */
  readonly ends: 'delivered' | 'either'
  /** Who calls; default our client. */
  readonly caller?: 'ours' | 'stock'
  /** Takes more than ten seconds: played in the long form alone. */
  readonly slow?: boolean
  /** Meets whole transactions, in which other payments may be: no two of these are played at once. */
  readonly alone?: boolean
} & (
  | {
      /**
       * Between agent and facilitator. A `liar` does not have the hold extension: the agent asks the chain about
       * everything it says.
       */
      readonly at: 'facilitator' | 'liar'
      readonly fault: () => WireFault
    }
  /** Between client and agent. */
  | { readonly at: 'agent'; readonly fault: () => WireFault }
  /** Between facilitator and node; `carries` says whether a call is about this payment. */
  | { readonly at: 'node'; readonly fault: () => ChainFault }
)

/** Does it to the first so many calls of a route, then lets everything pass. */
export function first(
  times: number,
  path: string,
  act: (crossing: Crossing) => Promise<void> | void,
): WireFault {
  let left = times
  return async crossing => {
    if (crossing.path !== path || left === 0) return false
    left -= 1
    await act(crossing)
    return true
  }
}

/** The same for requests of a client that carry a payment. */
export function firstPaid(times: number, act: (crossing: Crossing) => Promise<void> | void): WireFault {
  let left = times
  return async crossing => {
    if (!crossing.paid || left === 0) return false
    left -= 1
    await act(crossing)
    return true
  }
}

/** Delivers it when its caller has long been answered; what comes of it then nobody hears. */
export function later(crossing: Crossing, afterMs: number): void {
  const deliver = async (): Promise<void> => {
    await delay(afterMs)
    await crossing.deliver()
  }
  deliver().catch(() => undefined)
}
