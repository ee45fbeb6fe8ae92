import type { Random } from '../seeded-random.ts'
import { MISCHIEF_KINDS, type MischiefKind } from './mischief.ts'

/** How somebody calls an agent. */
export const ERRAND_KINDS = [
  /** Our client: quote, journal, pay, repeat; resumed where it dies. */
  'client',
  /** Another program, which repeats one call, perhaps several at once. */
  'raw',
  /** One payment for several jobs at once. */
  'replay',
  /** A new payment for a job_id that was used before by the same payer. */
  're-sign',
  /** A payment for a job_id of somebody else. */
  'impostor',
  /** A forged payment for a job_id of somebody else. */
  'forger',
  /** No payment at all. */
  'beggar',
  /** Two payments with one nonce. */
  'twin-nonce',
  /** Another agent of the same owner, which uses our facilitator as it likes. */
  'meddler',
] as const

export type ErrandKind = (typeof ERRAND_KINDS)[number]

/** One errand of a history. */
export interface ErrandPlan {
  readonly kind: ErrandKind
  readonly atMs: number
  readonly payer: number
  readonly agent: number
  readonly capability: string
  /** How many at once, where the kind has several. */
  readonly copies: number
  /** Whether the nonce is bound to the job. */
  readonly isBound: boolean
  /** How long the authorization is good. */
  readonly validSeconds: number
  readonly deadlineSeconds: number
  readonly mischief: MischiefKind | undefined
}

/** What a history is about. */
export interface WorkloadPlan {
  readonly lengthMs: number
  readonly agents: number
  readonly replicas: number
  /** Two agents may have one store, and one wallet. */
  readonly sharesStore: boolean
  readonly sharesWallet: boolean
  readonly hasNode: boolean
  /** Ours, over one ledger; none where the facilitator is somebody else's. */
  readonly facilitators: number
  readonly sharesRelayer: boolean
  readonly settlePatienceMs: number
  readonly settleWaitMs: number
  /** How often ledger and chain are compared. */
  readonly reconcileMs: number
  readonly maxDeadlineSeconds: number
  /** All processes are suspended until every authorization has expired, instead of working on. */
  readonly sleepsToTheEnd: boolean
  /** How many of the cheaper jobs each payer can pay. */
  readonly affordable: readonly number[]
  readonly errands: readonly ErrandPlan[]
}

/** Draws what a history is about. Kinds of errands and mischief in `without` are left out. */
export function planWorkload(random: Random, without: ReadonlySet<string>): WorkloadPlan {
  const lengthMs = random.pick([15_000, 25_000, 40_000])
  const agents = random.chance(0.4) ? 2 : 1
  const isStock = random.chance(0.2) && !without.has('stock')
  const maxDeadlineSeconds = random.pick([3, 5, 10, 20])
  const mischievous = random.chance(0.4)
  const kindOf = (own: Random): ErrandKind =>
    own.chance(0.35) ? 'client' : own.chance(0.4) ? 'raw' : own.pick(ERRAND_KINDS)
  const errand = (own: Random): ErrandPlan => ({
    kind: kindOf(own),
    atMs: own.between(0, Math.round(lengthMs * 0.6)),
    payer: own.between(0, 2),
    agent: own.between(0, agents - 1),
    capability: own.pick(['echo', 'echo', 'twin', 'dear']),
    copies: own.chance(0.5) ? 1 : own.between(2, 5),
    isBound: own.chance(0.3),
    validSeconds: own.pick([14, 25, 40, 60, 90]),
    deadlineSeconds: own.pick([2, 4, 8, 8, 15]),
    mischief: mischievous && own.chance(0.6) ? own.pick(MISCHIEF_KINDS) : undefined,
  })
  const errands = Array.from({ length: random.between(1, 8) }, (_, index) =>
    errand(random.fork(`errand ${index}`)),
  )
  return {
    lengthMs,
    agents,
    replicas: random.pick([1, 1, 2, 3]),
    // A facilitator that knows no binding keeps nobody from paying two agents of one wallet with one payment,
    // unless they keep their books together, or the payer's nonce names the job.
    sharesStore: isStock || random.chance(0.5),
    sharesWallet: random.chance(0.7),
    // Where the facilitator proves nothing, the agent must look itself (D9).
    hasNode: isStock || random.chance(0.3),
    facilitators: isStock ? 0 : random.chance(0.35) ? 2 : 1,
    sharesRelayer: random.chance(0.6),
    settlePatienceMs: random.pick([1_000, 4_000, 10_000]),
    settleWaitMs: random.pick([2_000, 8_000, 20_000]),
    reconcileMs: random.pick([4_000, 60_000]),
    maxDeadlineSeconds,
    sleepsToTheEnd: random.chance(0.85),
    affordable: [0, 1, 2].map(() => random.pick([1, 3, 6, 20, 20])),
    errands: errands
      .filter(({ kind }) => !without.has(kind) && !(isStock && kind === 'meddler'))
      .map(plan =>
        plan.mischief !== undefined && without.has(plan.mischief) ? { ...plan, mischief: undefined } : plan,
      ),
  }
}
