import type { Random } from '../seeded-random.ts'
import type { TargetedFault } from './targeted-fault.ts'

/** Faults of which a history has more or less: of what it draws how much. Rates are probabilities. */
const AMOUNTS = {
  /** That a message, request or answer, is lost. */
  loss: [0.02, 0.1, 0.3],
  /** That a request arrives twice. */
  duplication: [0.05, 0.25],
  /** That a message takes up to `SLOWEST_MESSAGE_MS`, so that later ones overtake it. */
  slowness: [0.02, 0.1, 0.3],
  /** That a process dies at a call through a port, before or after it. */
  'agent-crash': [0.01, 0.03, 0.08],
  'facilitator-crash': [0.01, 0.03, 0.08],
  'payer-crash': [0.05, 0.2],
  /** That a process stops for up to `LONGEST_PAUSE_MS` at a call through a port. */
  pause: [0.01, 0.04],
  /** How many milliseconds clocks are from the true time at most. */
  skew: [500, 2_000, 4_000],
  /** That a call to the job store, the ledger or a node fails, before or after it was done. */
  'store-failure': [0.01, 0.05, 0.2, 0.4],
  'ledger-failure': [0.01, 0.05, 0.2],
  'node-failure': [0.02, 0.1, 0.3],
  /** That a call to the job store takes up to `SLOWEST_MESSAGE_MS`. */
  'slow-store': [0.02, 0.1],
  /** How many blocks a node may be behind. */
  'node-lag': [1, 3],
  /** That a transaction waits for many blocks. */
  'slow-transaction': [0.3, 0.8],
  /** That a node takes a transaction and forgets it. */
  'lost-transaction': [0.1, 0.5],
} as const

/** Faults at moments of their own, and how often in a history at most. */
const MOMENTS = {
  /** One of the programs is stopped in good order. */
  shutdown: 3,
  /** Each job store falls back to a copy that lacks its last writes. */
  'store-failover': 2,
  /** Each job store loses everything it has. */
  'store-loss': 2,
  /** The facilitator's ledger falls back to a copy that lacks its last writes. */
  'ledger-loss': 2,
  /** The last blocks are replaced. */
  reorganisation: 3,
} as const

/** What nodes lie about. */
export const LIES = ['receipts', 'old heads', 'block times'] as const

/** Below and beyond the 30 s that a block may be ahead of our clock; an hour is a time zone. */
const AHEAD_SECONDS = [5, 12, 25, 29, 35, 60, 600, 3_600]
const LONGEST_LIE_MS = 20_000
/** About the length of a history, in blocks: the first of them is an old head, too. */
const OLDEST_HEAD = 20

/** How much of each fault a history has: 0, or none, where it does not have it. Times are in milliseconds since its start. */
export type FaultPlan = ReturnType<typeof planFaults>

/** One time in which a node lies. */
export type Lie = FaultPlan['lies'][number]

/** By a time server, by a machine that was suspended, and by hand. */
const JUMPS_MS = [2_000, 6_000, 20_000, 60_000, 600_000, 7_200_000]

/** Draws the faults of a history whose workload lasts so long, beside its targeted fault. */
export function planFaults(random: Random, lengthMs: number, targeted: TargetedFault | undefined) {
  // One history in eight is quiet: what fails there fails without any fault. A targeted fault works best in some quiet.
  const usual = random.chance(0.125) ? 0 : random.pick([0.15, 0.3, 0.5])
  const share = targeted === undefined ? usual : usual / 3
  const shareOf = (kind: string): number => {
    // A clock that is set by hours ends most of what else could be seen.
    if (kind === 'clock-jump') return share / 5
    // Over a ledger that has lost rows facilitators do what they never do otherwise, and should die over that too.
    return kind === 'facilitator-crash' && targeted?.mishap === 'sees the ledger fall back' ? 0.8 : share
  }
  /** The source of a fault that this history has. */
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
    /** When the clock of a program's machine is set, and by how much. */
    clockJumps: several(draw('clock-jump'), 3, own => ({
      atMs: own.between(0, lengthMs),
      byMs: own.pick(JUMPS_MS) * own.pick([-1, 1]),
    })),
    lies: (['agent', 'facilitator'] as const).flatMap(of =>
      several(draw(`${of}-node-lies`), 2, own => ({ of, ...planLie(own, lengthMs) })),
    ),
    /** When gas costs more than the facilitator pays. */
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
    /** Where its heads are old, by how many blocks. */
    behind: random.between(4, OLDEST_HEAD),
    /** Where its block times are wrong, by how much. */
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
