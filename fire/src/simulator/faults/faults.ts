import type { Random } from '../seeded-random.ts'
import type { FaultPlan } from './fault-plan.ts'
import {
  faultAtTarget,
  LONGEST_PAUSE_MS,
  MOST_STRIKES,
  PORT_CALLS,
  SLOWEST_MESSAGE_MS,
  STRIKE_RATE,
  UNHARMED,
  type CallFault,
} from './targeted-fault.ts'

/** The process that makes a call, for faults that kill it. */
export type ProcessKind = 'agent' | 'facilitator' | 'payer'

/** The target of a call, for faults that make it fail. */
export type PortKind = 'store' | 'ledger' | 'node' | 'network'

/** The faults of a history as they occur, until the calm phase. */
export type Faults = ReturnType<typeof createFaults>

/** The maximum number of deaths in one history: with more, no work would complete. Some are reserved for rare calls. */
const MOST_CRASHES = { usual: 8, scarce: 11 } as const
const MOST_PAUSES = 4

/** How much more likely a process dies or stops at a write than at a read. */
const DEADLINESS = { look: 0.5, call: 1, deed: 3, rare: 12, seldom: 30, scarce: 120 } as const

/** The share of calls that complete immediately: messages always have a delay. */
const PROMPT: { readonly [port in PortKind]: number } = { store: 0.6, ledger: 0.6, node: 1, network: 1 }

export function createFaults(random: Random, plan: FaultPlan) {
  const messages = random.fork('messages')
  const calls = random.fork('calls')
  const deaths = random.fork('deaths')
  const strikes = random.fork('strikes')

  const counts = new Map<string, number>()
  const happened = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const arrived = new Map<string, number>()
  let sent = 0
  let crashes = 0
  let pauses = 0
  let struck = 0
  const watchers: (() => void)[] = []
  const { amount } = plan
  const happens = (source: Random, rate: number): boolean => !faults.isCalm && rate > 0 && source.chance(rate)
  /** Some arrive at once, which saves an event; the answer always takes time. */
  const travelMs = (usualMs: number, promptRate: number): number => {
    if (happens(messages, amount.slowness)) {
      happened('messages late')
      return messages.between(0, SLOWEST_MESSAGE_MS)
    }
    return messages.chance(promptRate) ? 0 : messages.next() * usualMs
  }
  const callMs = (port: PortKind): number => {
    if (happens(calls, port === 'store' ? amount['slow-store'] : amount.slowness / 4)) {
      happened(port === 'store' ? 'stores slow' : 'calls slow')
      return calls.between(0, SLOWEST_MESSAGE_MS)
    }
    return calls.chance(PROMPT[port]) ? 0 : calls.next() * 3
  }
  /** A broken connection is a message fault: there, callers get an error late instead of silence. */
  const strike = (port: PortKind, name: string): CallFault | undefined => {
    const { targeted } = plan
    if (targeted?.at !== name || struck === MOST_STRIKES || !happens(strikes, STRIKE_RATE)) return undefined
    struck += 1
    const isDeaf = targeted.mishap === 'hears nothing of it' && port === 'network'
    const met = isDeaf ? ({ ...targeted, mishap: 'is late' } as const) : targeted
    happened(`targeted fault: ${met.mishap}`)
    for (const tell of watchers) tell()
    return faultAtTarget(strikes, met)
  }
  const faults = {
    plan,
    isCalm: false,
    /** The faults of one request and its answer. */
    ofMessage(usualMs: number) {
      sent += 1
      const fault = {
        place: sent,
        thereMs: travelMs(usualMs, 0.5),
        backMs: travelMs(usualMs, 0),
        losesRequest: happens(messages, amount.loss),
        losesAnswer: happens(messages, amount.loss),
        /** The caller of a lost message gets no reply at all; otherwise its connection breaks. */
        isSilent: messages.chance(0.3),
        /** The request arrives a second time, this much later. */
        againMs: happens(messages, amount.duplication) ? travelMs(usualMs * 4, 0) : undefined,
      }
      if (fault.losesRequest || fault.losesAnswer) happened('messages lost')
      if (fault.againMs !== undefined) happened('messages doubled')
      return fault
    },
    /** Records that a message of a route arrived, and counts it if a later message overtook it. */
    arrived(route: string, place: number): void {
      const last = arrived.get(route) ?? 0
      if (place < last) happened('messages overtaken')
      else arrived.set(route, place)
    },
    ofCall(process: ProcessKind, port: PortKind, name: string): CallFault {
      const struckBy = strike(port, name)
      if (struckBy !== undefined) return struckBy
      const kind = PORT_CALLS[name] ?? 'deed'
      const weight = DEADLINESS[kind]
      const most = MOST_CRASHES[kind === 'scarce' ? 'scarce' : 'usual']
      const crash =
        crashes < most && happens(deaths, amount[`${process}-crash`] * weight) ? side(deaths) : undefined
      if (crash !== undefined) crashes += 1
      const stops = pauses < MOST_PAUSES && happens(deaths, amount.pause * weight)
      if (stops) {
        pauses += 1
        happened('processes stopped for a while')
      }
      const failureRate = port === 'network' ? 0 : amount[`${port}-failure`]
      const fail = happens(calls, failureRate) ? side(calls) : undefined
      if (fail !== undefined) happened(`${port} fails ${fail} it was done`)
      const pauseMs = stops ? deaths.between(100, LONGEST_PAUSE_MS) : 0
      const delayMs = callMs(port)
      const isPlain = crash === undefined && fail === undefined && pauseMs === 0 && delayMs === 0
      return isPlain ? UNHARMED : { crash, fail, pauseMs, delayMs }
    },
    /** Counts an event that a run must have seen. */
    happened,
    /** Calls back whenever the targeted fault strikes. */
    onStrike: (callback: () => void): void => void watchers.push(callback),
    counts: (): { readonly [what: string]: number } => Object.fromEntries(counts),
  }
  return faults
}

function side(source: Random): 'before' | 'after' {
  return source.chance(0.5) ? 'before' : 'after'
}
