import type { Random } from '../seeded-random.ts'
import { LONGEST_PAUSE_MS, SLOWEST_MESSAGE_MS, type FaultPlan } from './fault-plan.ts'

/** What becomes of one request and its answer. */
export interface MessageFate {
  readonly thereMs: number
  readonly backMs: number
  readonly losesRequest: boolean
  readonly losesAnswer: boolean
  /** The caller of what was lost hears nothing, where otherwise its connection would break. */
  readonly isSilent: boolean
  /** The request arrives once more, so much later. */
  readonly againMs: number | undefined
}

/** What becomes of a call through a port of a process. */
export interface CallFate {
  readonly crash: 'before' | 'after' | undefined
  readonly fail: 'before' | 'after' | undefined
  readonly pauseMs: number
  readonly delayMs: number
}

/** Which process makes a call, as far as its dying is concerned. */
export type ProcessKind = 'agent' | 'facilitator' | 'payer'

/** What a call goes to, as far as its failing is concerned. */
export type PortKind = 'store' | 'ledger' | 'node' | 'network'

/** The faults of a history as they come to pass, until it is to calm down. */
export interface Faults {
  readonly plan: FaultPlan
  readonly isCalm: boolean
  ofMessage(usualMs: number): MessageFate
  ofCall(process: ProcessKind, port: PortKind): CallFate
  /** From now on nothing goes wrong any more. */
  calmDown(): void
  /** What has gone wrong so far. */
  counts(): { readonly [what: string]: number }
}

/** Deaths in one history: with more, nothing would ever get done. */
const MOST_CRASHES = 8
const MOST_PAUSES = 4

/** Makes the faults of a plan. */
export function createFaults(random: Random, plan: FaultPlan): Faults {
  const messages = random.fork('messages')
  const calls = random.fork('calls')
  const deaths = random.fork('deaths')
  let isCalm = false

  const counts = { 'messages lost': 0, 'messages doubled': 0, deaths: 0, pauses: 0, 'calls failed': 0 }
  const crashRates = {
    agent: plan.agentCrashRate,
    facilitator: plan.facilitatorCrashRate,
    payer: plan.payerCrashRate,
  }
  const failureRates = {
    store: plan.storeFailureRate,
    ledger: plan.ledgerFailureRate,
    node: plan.nodeFailureRate,
    network: 0,
  }
  const happens = (source: Random, rate: number): boolean => !isCalm && rate > 0 && source.chance(rate)
  const side = (source: Random): 'before' | 'after' => (source.chance(0.5) ? 'before' : 'after')
  const travelMs = (usualMs: number): number =>
    happens(messages, plan.slowRate) ? messages.between(0, SLOWEST_MESSAGE_MS) : messages.next() * usualMs
  return {
    plan,
    get isCalm() {
      return isCalm
    },
    ofMessage(usualMs) {
      const fate = {
        thereMs: travelMs(usualMs),
        backMs: travelMs(usualMs),
        losesRequest: happens(messages, plan.lossRate),
        losesAnswer: happens(messages, plan.lossRate),
        isSilent: messages.chance(0.3),
        againMs: happens(messages, plan.duplicationRate) ? travelMs(usualMs * 4) : undefined,
      }
      if (fate.losesRequest || fate.losesAnswer) counts['messages lost'] += 1
      if (fate.againMs !== undefined) counts['messages doubled'] += 1
      return fate
    },
    ofCall(process, port) {
      const dies = counts.deaths < MOST_CRASHES && happens(deaths, crashRates[process])
      if (dies) counts.deaths += 1
      const stops = counts.pauses < MOST_PAUSES && happens(deaths, plan.pauseRate)
      if (stops) counts.pauses += 1
      const fail = happens(calls, failureRates[port]) ? side(calls) : undefined
      if (fail !== undefined) counts['calls failed'] += 1
      return {
        crash: dies ? side(deaths) : undefined,
        fail,
        pauseMs: stops ? deaths.between(100, LONGEST_PAUSE_MS) : 0,
        delayMs: happens(calls, plan.slowRate / 4)
          ? calls.between(0, SLOWEST_MESSAGE_MS)
          : calls.chance(0.5)
            ? 0
            : calls.next() * 3,
      }
    },
    calmDown() {
      isCalm = true
    },
    counts: () => counts,
  }
}
