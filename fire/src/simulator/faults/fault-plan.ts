import type { Random } from '../seeded-random.ts'
import type { TargetedFault } from './targeted-fault.ts'

/** Faults with a varying strength: the maximum that a history draws from. Rates are probabilities. */
const AMOUNTS = {
  /** A message, request or answer, is lost. */
  loss: [0.02, 0.1, 0.3],
  /** A request arrives twice. */
  duplication: [0.05, 0.25],
  /** A message takes up to `SLOWEST_MESSAGE_MS`, so that later ones overtake it. */
  slowness: [0.02, 0.1, 0.3],
  /** A process dies at a call through a port, before or after it. */
  'agent-crash': [0.01, 0.03, 0.08],
  'facilitator-crash': [0.01, 0.03, 0.08],
  'payer-crash': [0.05, 0.2],
  /** A process stops for up to `LONGEST_PAUSE_MS` at a call through a port. */
  pause: [0.01, 0.04],
  /** The maximum difference of clocks from the true time, in milliseconds. */
  skew: [500, 2_000, 4_000],
  /** A call to the job store, the ledger or a node fails, before or after it was executed. */
  'store-failure': [0.01, 0.05, 0.2, 0.4],
  'ledger-failure': [0.01, 0.05, 0.2],
  'node-failure': [0.02, 0.1, 0.3],
  /** A call to the job store takes up to `SLOWEST_MESSAGE_MS`. */
  'slow-store': [0.02, 0.1],
  /** The maximum lag of a node, in blocks. */
  'node-lag': [1, 3],
  /** A transaction waits for many blocks. */
  'slow-transaction': [0.3, 0.8],
  /** A node accepts a transaction and drops it. */
  'lost-transaction': [0.1, 0.5],
} as const

/** Faults at scheduled times, and their maximum number in a history. */
const MOMENTS = {
  /** One of the programs is stopped gracefully. */
  shutdown: 3,
  /** Each job store is restored from a copy that lacks its last writes. */
  'store-failover': 2,
  /** Each job store loses all its data. */
  'store-loss': 2,
  /** The facilitator's ledger is restored from a copy that lacks its last writes. */
  'ledger-loss': 2,
  /** The last blocks are replaced. */
  reorganisation: 3,
} as const

/** The lies of nodes. */
export const LIES = ['receipts', 'old heads', 'block times'] as const

/** Below and beyond the 30 s that a block may be ahead of our clock; an hour is a time zone. */
const AHEAD_SECONDS = [5, 12, 25, 29, 35, 60, 600, 3_600]
const LONGEST_LIE_MS = 20_000
/** About the length of a history, in blocks: the first of them counts as an old head, too. */
const OLDEST_HEAD = 20

/** The strength of each fault in a history: 0 if it does not have it. Times are in milliseconds since its start. */
export type FaultPlan = ReturnType<typeof planFaults>

/** One period in which a node lies. */
export type Lie = FaultPlan['lies'][number]

/** Steps of a clock by a time server, a suspended machine, and an operator. */
const JUMPS_MS = [2_000, 6_000, 20_000, 60_000, 600_000, 7_200_000]

/** Draws the faults of a history with a workload of this length, in addition to its targeted fault. */
export function planFaults(random: Random, lengthMs: number, targeted: TargetedFault | undefined) {
  // One history in eight has no faults: a violation there needs none. A targeted fault works best with few others.
  const usual = random.chance(0.125) ? 0 : random.pick([0.15, 0.3, 0.5])
  const share = targeted === undefined ? usual : usual / 3
  const shareOf = (kind: string): number => {
    // A clock step of hours ends most other activity of a history.
    if (kind === 'clock-jump') return share / 5
    // With a ledger that has lost rows, facilitators take rare paths, and should also die on those.
    return kind === 'facilitator-crash' && targeted?.mishap === 'sees the ledger fall back' ? 0.8 : share
  }
  /** The random source of a fault of this history. */
  const draw = (kind: string): Random | undefined => {
    const own = random.fork(kind)
    return own.chance(shareOf(kind)) ? own : undefined
  }
  const several = <T>(own: Random | undefined, most: number, make: (own: Random) => T): readonly T[] =>
    own === undefined ? [] : Array.from({ length: own.between(1, most) }, () => make(own))
  const spike = draw('gas-spike')
  const spikeFromMs = spike?.between(0, lengthMs) ?? 0
  return {
    amount: mapValues(AMOUNTS, (amounts, kind) => draw(kind)?.pick(amounts) ?? 0),
    moments: mapValues(MOMENTS, (most, kind) => several(draw(kind), most, own => own.between(0, lengthMs))),
    /** When the clock of a program's machine is stepped, and by how much. */
    clockJumps: several(draw('clock-jump'), 3, own => ({
      atMs: own.between(0, lengthMs),
      byMs: own.pick(JUMPS_MS) * own.pick([-1, 1]),
    })),
    lies: (['agent', 'facilitator'] as const).flatMap(of =>
      several(draw(`${of}-node-lies`), 2, own => ({ of, ...planLie(own, lengthMs) })),
    ),
    /** Periods in which gas costs more than the facilitator pays. */
    gasSpike: spike && { fromMs: spikeFromMs, toMs: spikeFromMs + spike.between(2_000, 15_000) },
    targeted,
  }
}

function planLie(random: Random, lengthMs: number) {
  const fromMs = random.between(0, lengthMs)
  const aheadSeconds = random.pick(AHEAD_SECONDS)
  return {
    what: random.pick(LIES),
    fromMs,
    toMs: fromMs + random.between(1_000, LONGEST_LIE_MS),
    /** The age of its heads, in blocks. */
    behind: random.between(4, OLDEST_HEAD),
    /** The error of its block times. */
    aheadSeconds: random.chance(0.6) ? aheadSeconds : -aheadSeconds,
  }
}

function mapValues<Key extends string, Value, Result>(
  table: Readonly<Record<Key, Value>>,
  map: (value: Value, key: Key) => Result,
): Readonly<Record<Key, Result>> {
  const entries = Object.entries(table) as [Key, Value][]
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<Key, Result>
}
