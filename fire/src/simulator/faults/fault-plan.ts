import type { Random } from '../seeded-random.ts'
import type { TargetedFault } from './targeted-fault.ts'
import { LIARS, planLies, type Lie } from './plan-lies.ts'

/** What can go wrong in a history. Each history has some of them, most have several. */
export const FAULT_KINDS = [
  'loss',
  'duplication',
  'slowness',
  'agent-crash',
  'facilitator-crash',
  'payer-crash',
  'shutdown',
  'pause',
  'skew',
  'clock-jump',
  'store-failure',
  'slow-store',
  'store-failover',
  'store-loss',
  'ledger-failure',
  'ledger-loss',
  'node-failure',
  'node-lag',
  'agent-node-lies',
  'facilitator-node-lies',
  'slow-transaction',
  'lost-transaction',
  'reorganisation',
  'gas-spike',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

/** How much of each fault a history has. Rates are probabilities, none is 0. */
export interface FaultPlan {
  /** That a message, request or answer, is lost. */
  readonly lossRate: number
  /** That a request arrives twice. */
  readonly duplicationRate: number
  /** That a message takes up to `SLOWEST_MESSAGE_MS`, so that later ones overtake it. */
  readonly slowRate: number
  /** That a process dies at a call through a port, before or after it. */
  readonly agentCrashRate: number
  readonly facilitatorCrashRate: number
  readonly payerCrashRate: number
  /** When one of the programs is stopped in good order. */
  readonly shutdownsMs: readonly number[]
  /** That a process stops for up to `LONGEST_PAUSE_MS` at a call through a port. */
  readonly pauseRate: number
  /** How far clocks are from the true time at most. */
  readonly maxSkewMs: number
  /** When the clock of a program's machine is set, and by how much. */
  readonly clockJumps: readonly { readonly atMs: number; readonly byMs: number }[]
  /** That a call to the job store fails, before or after it was done. */
  readonly storeFailureRate: number
  /** That a call to the job store takes up to `SLOWEST_MESSAGE_MS`. */
  readonly slowStoreRate: number
  /** When each job store falls back to a copy that lacks its last writes. */
  readonly storeFailoversMs: readonly number[]
  /** When each job store loses everything it has. */
  readonly storeLossesMs: readonly number[]
  readonly ledgerFailureRate: number
  /** When the facilitator's ledger falls back to a copy that lacks its last writes. */
  readonly ledgerLossesMs: readonly number[]
  readonly nodeFailureRate: number
  /** How many blocks a node may be behind. */
  readonly nodeLagBlocks: number
  /** What nodes lie about, and when. */
  readonly lies: readonly Lie[]
  /** That a transaction waits for many blocks. */
  readonly slowTransactionRate: number
  /** That a node takes a transaction and forgets it. */
  readonly lostTransactionRate: number
  /** When, and how many blocks are replaced. */
  readonly reorganisations: readonly { readonly atMs: number; readonly depth: number }[]
  /** When gas costs more than the facilitator pays. */
  readonly gasSpike: { readonly fromMs: number; readonly toMs: number } | undefined
  /** One call at which things go wrong again and again. */
  readonly targeted: TargetedFault | undefined
}

/** Blocks; in seconds well below a network's finality. */
export const DEEPEST_REORGANISATION = 4

/**
 * Draws the faults of a history whose workload lasts so long, beside its targeted fault. Kinds in `without` are left out.
 */
export function planFaults(
  random: Random,
  lengthMs: number,
  targeted: TargetedFault | undefined,
  without: ReadonlySet<string>,
): FaultPlan {
  // One history in eight is quiet: what fails there fails without any fault. A targeted fault works best in some quiet.
  const usual = random.chance(0.125) ? 0 : random.pick([0.15, 0.3, 0.5])
  const share = targeted === undefined ? usual : usual / 3
  const shareOf = (kind: FaultKind): number => {
    // A clock that is set by hours ends most of what else could be seen.
    if (kind === 'clock-jump') return share / 5
    // Over a ledger that has lost rows facilitators do what they never do otherwise, and should die over that too.
    return kind === 'facilitator-crash' && targeted?.mishap === 'sees the ledger fall back' ? 0.8 : share
  }
  const drawn = new Map(
    FAULT_KINDS.map(kind => {
      const own = random.fork(kind)
      return [kind, own.chance(shareOf(kind)) && !without.has(kind) ? own : undefined] as const
    }),
  )
  const rate = (kind: FaultKind, rates: readonly number[]): number => drawn.get(kind)?.pick(rates) ?? 0
  const moments = (kind: FaultKind, most: number): readonly number[] => {
    const own = drawn.get(kind)
    if (own === undefined) return []
    return Array.from({ length: own.between(1, most) }, () => own.between(0, lengthMs))
  }
  const spike = drawn.get('gas-spike')
  const spikeFromMs = spike?.between(0, lengthMs) ?? 0
  return {
    lossRate: rate('loss', [0.02, 0.1, 0.3]),
    duplicationRate: rate('duplication', [0.05, 0.25]),
    slowRate: rate('slowness', [0.02, 0.1, 0.3]),
    agentCrashRate: rate('agent-crash', [0.01, 0.03, 0.08]),
    facilitatorCrashRate: rate('facilitator-crash', [0.01, 0.03, 0.08]),
    payerCrashRate: rate('payer-crash', [0.05, 0.2]),
    shutdownsMs: moments('shutdown', 3),
    pauseRate: rate('pause', [0.01, 0.04]),
    maxSkewMs: rate('skew', [500, 2_000, 4_000]),
    clockJumps: planJumps(drawn.get('clock-jump'), lengthMs),
    storeFailureRate: rate('store-failure', [0.01, 0.05, 0.2, 0.4]),
    slowStoreRate: rate('slow-store', [0.02, 0.1]),
    storeFailoversMs: moments('store-failover', 2),
    storeLossesMs: moments('store-loss', 2),
    ledgerFailureRate: rate('ledger-failure', [0.01, 0.05, 0.2]),
    ledgerLossesMs: moments('ledger-loss', 2),
    nodeFailureRate: rate('node-failure', [0.02, 0.1, 0.3]),
    nodeLagBlocks: rate('node-lag', [1, 3]),
    lies: LIARS.flatMap(of => {
      const own = drawn.get(`${of}-node-lies`)
      return own === undefined ? [] : planLies(own, of, lengthMs)
    }),
    slowTransactionRate: rate('slow-transaction', [0.3, 0.8]),
    lostTransactionRate: rate('lost-transaction', [0.1, 0.5]),
    reorganisations: moments('reorganisation', 3).map(atMs => ({
      atMs,
      depth: 1 + (atMs % DEEPEST_REORGANISATION),
    })),
    gasSpike: spike && { fromMs: spikeFromMs, toMs: spikeFromMs + spike.between(2_000, 15_000) },
    targeted,
  }
}

/** By a time server, by a machine that was suspended, and by hand. */
const JUMPS_MS = [2_000, 6_000, 20_000, 60_000, 600_000, 7_200_000]

function planJumps(own: Random | undefined, lengthMs: number): FaultPlan['clockJumps'] {
  if (own === undefined) return []
  return Array.from({ length: own.between(1, 3) }, () => ({
    atMs: own.between(0, lengthMs),
    byMs: own.pick(JUMPS_MS) * own.pick([-1, 1]),
  }))
}
