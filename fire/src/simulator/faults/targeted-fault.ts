import type { Random } from '../seeded-random.ts'

/** The maximum duration of a message, and of a delayed call. */
export const SLOWEST_MESSAGE_MS = 12_000
/** The maximum pause of a process. */
export const LONGEST_PAUSE_MS = 25_000

/** The faults of a process's call through a port. */
export interface CallFault {
  readonly crash: 'before' | 'after' | undefined
  readonly fail: 'before' | 'after' | undefined
  readonly pauseMs: number
  readonly delayMs: number
}

/** The usual outcome of a call: success, at once. */
export const UNHARMED: CallFault = { crash: undefined, fail: undefined, pauseMs: 0, delayMs: 0 }

/**
 * Every call of a process to an external part, by name, and its kind: a `look` changes nothing, a `deed` changes
 * something, and a `call` is a payer's. Processes die before and after each of them; more likely at writes, and most
 * likely at rare calls: `rare` occurs once in hundreds of histories, `scarce` once in thousands; `seldom` comes right
 * before those.
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

/** The fault at a targeted call. */
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
 * One call that fails repeatedly in a history. A promise rarely breaks by one fault: it takes a second one, or a
 * repeat, in the moment after the first. Spread over a whole history they hardly ever coincide.
 */
export interface TargetedFault {
  /** One of {@link PORT_CALLS}. */
  readonly at: string
  readonly mishap: Mishap
}

/** The share of histories that have one, including those without other faults. */
const SHARE = 0.4
/** The probability that it strikes, at each call. */
export const STRIKE_RATE = 0.6
/** The maximum number of strikes in one history: with more, no work would complete. */
export const MOST_STRIKES = 3

const named = (whose: string, ...names: readonly string[]): readonly string[] =>
  names.map(name => whose + name)

/** Calls that decide who has a job or a payment, and its outcome. */
const DECISIVE_CALLS = [
  ...named('store.', 'claim', 'read', 'write'),
  ...named('facilitator /', 'verify', 'settle'),
  ...named('node ', 'eth_call', 'eth_getLogs'),
  ...named('ledger.', 'hold', 'capture', 'capture-and-submit', 'conclude'),
  'eth_call',
  'agent /execute',
]

/** Calls that read the outcome of a payment from the chain: after the answer its blocks may be replaced. */
const CHAIN_LOOKS = ['node ', ''].flatMap(whose =>
  named(whose, 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'),
)

/** Calls that write durable facts to the ledger, mostly of a transaction that is about to be sent. */
const LEDGER_DEEDS = [
  ...named('ledger.', 'submit', 'submit', 'capture-and-submit', 'capture-and-submit'),
  ...named('eth_sendRawTransaction', '', 'Sync'),
  ...named('ledger.', 'capture', 'hold', 'conclude'),
  'facilitator /settle',
]

/** Draws the targeted fault of a history, if it has one: usually at a deciding call, usually a stop. */
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

/** Calls of an agent to its node that occur only while it spends. */
const SPENDING_CALLS = named('node eth_', 'estimateGas', 'getTransactionCount', 'sendRawTransaction')
const LOOKS_FOR_SPENDS = 'node eth_blockNumber'
const FOR_SPENDS_ALONE = [
  ...SPENDING_CALLS,
  LOOKS_FOR_SPENDS,
  ...named('node eth_', 'chainId', 'maxPriorityFeePerGas'),
]
const USUAL_CALLS = Object.keys(PORT_CALLS).filter(name => !FOR_SPENDS_ALONE.includes(name))
/** The last one occurs only if an earlier run may have spent: rarely enough to need its own fault. */
const STRUCK_SPENDS = [...SPENDING_CALLS, 'node eth_sendRawTransaction', LOOKS_FOR_SPENDS, LOOKS_FOR_SPENDS]

/** The targeted fault of a history in which agents spend: half of those at other calls strike a spend instead. */
export function targetSpends(random: Random, drawn: TargetedFault | undefined): TargetedFault | undefined {
  if (drawn === undefined || random.chance(0.5) || drawn.mishap.startsWith('sees')) return drawn
  const at = random.pick(STRUCK_SPENDS)
  if (at !== LOOKS_FOR_SPENDS) return { at, mishap: drawn.mishap }
  return { at, mishap: random.pick(['dies before it', 'dies after it']) }
}

/** The effect of a targeted fault on the call it strikes. */
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
