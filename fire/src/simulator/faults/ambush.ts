import type { Random } from '../seeded-random.ts'
import { UNHARMED, type CallFate } from './call-fate.ts'
import { LONGEST_PAUSE_MS, SLOWEST_MESSAGE_MS } from './longest.ts'
import { PORT_CALLS } from './port-calls.ts'

/** What goes wrong at an ambush. */
export const MISHAPS = [
  'stops for a while',
  'dies before it',
  'dies after it',
  'hears nothing of it',
  'is late',
  'sees blocks replaced',
] as const

export type Mishap = (typeof MISHAPS)[number]

/**
 * One call at which a history goes wrong again and again. What breaks a promise is seldom one mishap: it is a second
 * one, or a repeat, in the moment that the first has opened. Spread over a whole history they hardly ever meet.
 */
export interface Ambush {
  /** One of {@link PORT_CALLS}. */
  readonly at: string
  readonly mishap: Mishap
}

/** How many histories have one; those that are quiet otherwise, too. */
const SHARE = 0.4
/** That it strikes, each time the call is made. */
export const STRIKE_RATE = 0.6
/** Strikes in one history: with more, nothing would ever get done. */
export const MOST_STRIKES = 3

/** Where it is decided who has a job or a payment, and what became of it. */
const DECISIVE_CALLS: readonly string[] = [
  'store.claim',
  'store.read',
  'store.write',
  'facilitator /verify',
  'facilitator /settle',
  'node eth_call',
  'node eth_getLogs',
  'ledger.hold',
  'ledger.capture',
  'ledger.conclude',
  'eth_call',
  'agent /execute',
]

/** Where the chain is asked what became of a payment: after the answer its blocks may be replaced. */
const CHAIN_LOOKS: readonly string[] = [
  'node eth_call',
  'node eth_getLogs',
  'node eth_getTransactionReceipt',
  'eth_call',
  'eth_getLogs',
  'eth_getTransactionReceipt',
]

/** Draws the ambush of a history, if it has one: mostly at a call that decides, mostly a stop. */
export function planAmbush(random: Random): Ambush | undefined {
  if (!random.chance(SHARE)) return undefined
  const mishap = random.chance(0.35)
    ? 'stops for a while'
    : random.chance(0.25)
      ? 'sees blocks replaced'
      : random.pick(MISHAPS)
  const calls =
    mishap === 'sees blocks replaced'
      ? CHAIN_LOOKS
      : random.chance(0.75)
        ? DECISIVE_CALLS
        : Object.keys(PORT_CALLS)
  return { at: random.pick(calls), mishap }
}

/** What an ambush makes of the call it strikes. */
export function fateAtAmbush(random: Random, { mishap }: Ambush): CallFate {
  switch (mishap) {
    case 'stops for a while':
      return { ...UNHARMED, pauseMs: random.between(300, LONGEST_PAUSE_MS) }
    case 'dies before it':
      return { ...UNHARMED, crash: 'before' }
    case 'dies after it':
      return { ...UNHARMED, crash: 'after' }
    case 'hears nothing of it':
      return { ...UNHARMED, fail: 'after' }
    case 'is late':
      return { ...UNHARMED, delayMs: random.between(1_000, SLOWEST_MESSAGE_MS) }
    case 'sees blocks replaced':
      return UNHARMED
  }
}
