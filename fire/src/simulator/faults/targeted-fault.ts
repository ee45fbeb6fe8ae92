import type { Random } from '../seeded-random.ts'

/** How long a message, and a call that is late, takes at most. */
export const SLOWEST_MESSAGE_MS = 12_000
/** How long a process stops at most. */
export const LONGEST_PAUSE_MS = 25_000

/** What becomes of a call through a port of a process. */
export interface CallFault {
  readonly crash: 'before' | 'after' | undefined
  readonly fail: 'before' | 'after' | undefined
  readonly pauseMs: number
  readonly delayMs: number
}

/** What becomes of most calls: nothing, at once. */
export const UNHARMED: CallFault = { crash: undefined, fail: undefined, pauseMs: 0, delayMs: 0 }

/**
 * Every call of a process to something that outlives it, by name, and what hangs on it: after a `look` nothing has
 * changed, after a `deed` something has, and a `call` is a payer's. Processes die over each of them, before it and
 * after it; over deeds sooner, and soonest over what is seldom
 * done: `rare` once in hundreds of histories, `scarce` once in thousands; `seldom` is what comes just before that.
 */
export const PORT_CALLS: { readonly [name: string]: Weight } = {
  ...callsOf('store.', { claim: 'deed', read: 'look', write: 'deed', unresolved: 'look' }),
  ...callsOf('facilitator /', { supported: 'look', verify: 'deed', settle: 'deed', release: 'deed' }),
  ...callsOf('node eth_', { call: 'rare', blockNumber: 'scarce', chainId: 'seldom', estimateGas: 'seldom' }),
  ...callsOf('node eth_', { getTransactionCount: 'seldom', maxPriorityFeePerGas: 'seldom' }),
  ...callsOf('node eth_', { sendRawTransaction: 'rare', getBlockByNumber: 'rare', getLogs: 'rare' }),
  ...callsOf('node eth_', { getTransactionReceipt: 'rare' }),
  ...callsOf('ledger.', { hold: 'deed', capture: 'deed', release: 'deed', find: 'look', backlog: 'look' }),
  ...callsOf('ledger.', { submit: 'deed', 'capture-and-submit': 'rare', replace: 'scarce' }),
  ...callsOf('ledger.', { conclude: 'deed', lease: 'look', 'give-up': 'deed', expire: 'deed' }),
  ...callsOf('ledger.', { 'settled-since': 'scarce', unconfirmed: 'look', uncharged: 'look' }),
  ...callsOf('ledger.', { 'mark-audited': 'rare', adopt: 'scarce', secret: 'look' }),
  ...callsOf('eth_', { chainId: 'look', call: 'look', getBalance: 'look', getCode: 'rare' }),
  ...callsOf('eth_', { getBlockByNumber: 'look', getLogs: 'rare', getTransactionByHash: 'seldom' }),
  ...callsOf('eth_', { getTransactionCount: 'rare', getTransactionReceipt: 'look' }),
  ...callsOf('eth_', { maxPriorityFeePerGas: 'look', sendRawTransaction: 'deed' }),
  ...callsOf('eth_', { sendRawTransactionSync: 'deed' }),
  'stock send': 'deed',
  'agent /execute': 'call',
}

type Weight = 'look' | 'call' | 'deed' | 'rare' | 'seldom' | 'scarce'

function callsOf(whose: string, calls: { readonly [name: string]: Weight }): typeof calls {
  return Object.fromEntries(Object.entries(calls).map(([name, weight]) => [whose + name, weight]))
}

/** What goes wrong at a targeted call. */
export const MISHAPS = [
  'stops for a while',
  'dies before it',
  'dies after it',
  'hears nothing of it',
  'is late',
  'sees blocks replaced',
  'sees the ledger fall back',
] as const

type Mishap = (typeof MISHAPS)[number]

/**
 * One call at which a history goes wrong again and again. What breaks a promise is seldom one mishap: it is a second
 * one, or a repeat, in the moment that the first has opened. Spread over a whole history they hardly ever meet.
 */
export interface TargetedFault {
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

const named = (whose: string, ...names: readonly string[]): readonly string[] =>
  names.map(name => whose + name)

/** Where it is decided who has a job or a payment, and what became of it. */
const DECISIVE_CALLS = [
  ...named('store.', 'claim', 'read', 'write'),
  ...named('facilitator /', 'verify', 'settle'),
  ...named('node ', 'eth_call', 'eth_getLogs'),
  ...named('ledger.', 'hold', 'capture', 'capture-and-submit', 'conclude'),
  'eth_call',
  'agent /execute',
]

/** Where the chain is asked what became of a payment: after the answer its blocks may be replaced. */
const CHAIN_LOOKS = ['node ', ''].flatMap(whose =>
  named(whose, 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'),
)

/** Where a ledger is told what it must not forget, mostly of a transaction that is about to be sent. */
const LEDGER_DEEDS = [
  ...named('ledger.', 'submit', 'submit', 'capture-and-submit', 'capture-and-submit'),
  ...named('eth_sendRawTransaction', '', 'Sync'),
  ...named('ledger.', 'capture', 'hold', 'conclude'),
  'facilitator /settle',
]

/** Draws the targeted fault of a history, if it has one: mostly at a call that decides, mostly a stop. */
export function planTargetedFault(random: Random): TargetedFault | undefined {
  if (!random.chance(SHARE)) return undefined
  const mishap = random.chance(0.35)
    ? 'stops for a while'
    : random.chance(0.25)
      ? 'sees blocks replaced'
      : random.chance(0.35)
        ? 'sees the ledger fall back'
        : random.pick(MISHAPS)
  return { at: random.pick(callsFor(mishap, random)), mishap }
}

function callsFor(mishap: Mishap, random: Random): readonly string[] {
  if (mishap === 'sees blocks replaced') return CHAIN_LOOKS
  if (mishap === 'sees the ledger fall back') return LEDGER_DEEDS
  return random.chance(0.75) ? DECISIVE_CALLS : USUAL_CALLS
}

/** What an agent asks its node for while it spends, and for nothing else. */
const SPENDING_CALLS = named('node eth_', 'estimateGas', 'getTransactionCount', 'sendRawTransaction')
const LOOKS_FOR_SPENDS = 'node eth_blockNumber'
const FOR_SPENDS_ALONE = [
  ...SPENDING_CALLS,
  LOOKS_FOR_SPENDS,
  ...named('node eth_', 'chainId', 'maxPriorityFeePerGas'),
]
const USUAL_CALLS = Object.keys(PORT_CALLS).filter(name => !FOR_SPENDS_ALONE.includes(name))
/** The last is asked only where an earlier run may have spent: seldom enough to need a fault of its own. */
const STRUCK_SPENDS = [...SPENDING_CALLS, 'node eth_sendRawTransaction', LOOKS_FOR_SPENDS, LOOKS_FOR_SPENDS]

/** The targeted fault of a history in which agents spend: half of those that another call would have strike a spend. */
export function targetSpends(random: Random, drawn: TargetedFault | undefined): TargetedFault | undefined {
  if (drawn === undefined || random.chance(0.5) || drawn.mishap.startsWith('sees')) return drawn
  const at = random.pick(STRUCK_SPENDS)
  if (at !== LOOKS_FOR_SPENDS) return { at, mishap: drawn.mishap }
  return { at, mishap: random.pick(['dies before it', 'dies after it']) }
}

/** What a targeted fault makes of the call it strikes. */
export function faultAtTarget(random: Random, { mishap }: TargetedFault): CallFault {
  const faults: { readonly [mishap in Mishap]?: () => Partial<CallFault> } = {
    'stops for a while': () => ({ pauseMs: random.between(300, LONGEST_PAUSE_MS) }),
    'dies before it': () => ({ crash: 'before' }),
    'dies after it': () => ({ crash: 'after' }),
    'hears nothing of it': () => ({ fail: 'after' }),
    'is late': () => ({ delayMs: random.between(1_000, SLOWEST_MESSAGE_MS) }),
  }
  const fault = faults[mishap]
  return fault === undefined ? UNHARMED : { ...UNHARMED, ...fault() }
}
