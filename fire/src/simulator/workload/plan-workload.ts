import type { TargetedFault } from '../faults/targeted-fault.ts'
import type { Random } from '../seeded-random.ts'
import { SPENDING } from './cast.ts'
import { MISCHIEF_KINDS, type MischiefKind } from './mischief.ts'

/** The kinds of callers of an agent. */
export const ERRAND_KINDS = [
  /** Our client: quote, journal, pay, repeat; resumed after it dies. */
  'client',
  /** Another program, which repeats one call, perhaps several at once. */
  'raw',
  /** One payment for several jobs at once. */
  'replay',
  /** A new payment for a job_id that was used before by the same payer. */
  're-sign',
  /** A payment for another payer's job_id. */
  'impostor',
  /** A forged payment for another payer's job_id. */
  'forger',
  /** No payment at all. */
  'beggar',
  /** Two payments with one nonce. */
  'twin-nonce',
  /** Two concurrent jobs of a payer that can pay one. */
  'overdraw',
  /** Another agent of the same owner, which uses our facilitator in arbitrary ways. */
  'meddler',
] as const

export type ErrandKind = (typeof ERRAND_KINDS)[number]

/** The plan of a history. */
export type WorkloadPlan = ReturnType<typeof planWorkload>

export type ErrandPlan = WorkloadPlan['errands'][number]

/** The options from which histories of one kind draw. */
const USUAL = {
  kindOf: (own: Random): ErrandKind =>
    own.chance(0.3) ? 'client' : own.chance(0.35) ? 'raw' : own.pick(ERRAND_KINDS),
  copiesOf: (own: Random) => (own.chance(0.6) ? 1 : own.between(2, 4)),
  replicas: [1, 2, 2, 3],
  validSeconds: [14, 25, 40, 60, 90],
  deadlineSeconds: [2, 4, 8, 8, 15],
  maxDeadlineSeconds: [3, 5, 10, 20],
  badRunRate: 0.1,
}

/** The callers in a siege, each as often as listed. */
const BESIEGERS: readonly ErrandKind[] = [
  ...Array.from({ length: 6 }, () => 'raw' as const),
  'meddler',
  'meddler',
  'client',
  'replay',
  're-sign',
  'overdraw',
]

const SIEGE: typeof USUAL = {
  kindOf: own => own.pick(BESIEGERS),
  copiesOf: own => own.pick([2, 2, 3]),
  replicas: [2, 2, 3],
  validSeconds: [14, 14, 18, 60],
  deadlineSeconds: [4, 8, 15, 15],
  maxDeadlineSeconds: [5, 20],
  badRunRate: 0.4,
}

/**
 * Draws the plan of a history. One with a targeted fault is a siege: many repeats of few jobs whose payments expire
 * soon, at agents with several replicas, so that callers are active whenever the fault strikes.
 */
export function planWorkload(random: Random, targeted: TargetedFault | undefined) {
  /** Payers that cancel their signatures. */
  const isRegretful = targeted?.mishap === 'sees blocks replaced'
  /** Time to ask again about lost records, for bound jobs, at a facilitator that answers soon. */
  const isForgetful = targeted?.mishap === 'sees the ledger fall back'
  const lengthMs = random.pick(isForgetful ? [35_000] : [10_000, 20_000, 35_000])
  const agents = random.chance(0.4) ? 2 : 1
  const isStock = random.chance(0.2) && !isForgetful
  const manner = targeted === undefined ? USUAL : SIEGE
  const maxDeadlineSeconds = random.pick(manner.maxDeadlineSeconds)
  const mischievous = random.chance(0.4)
  const mischiefOf = (own: Random): MischiefKind | undefined => {
    if (isRegretful && own.chance(0.6)) return 'cancel'
    return mischievous && own.chance(0.6) ? own.pick(MISCHIEF_KINDS) : undefined
  }
  const errand = (own: Random) => ({
    ...whoAndWhat(own, manner.kindOf(own)),
    atMs: own.between(0, Math.round(lengthMs * 0.6)),
    agent: own.between(0, agents - 1),
    /** The number of concurrent jobs, for kinds with several. */
    copies: manner.copiesOf(own),
    /** Whether the nonce is bound to the job. */
    isBound: own.chance(isForgetful ? 0.6 : 0.3),
    validSeconds: own.pick(manner.validSeconds),
    deadlineSeconds: own.pick(manner.deadlineSeconds),
    /** Waits for an answer longer than any job takes. */
    isPatient: manner === SIEGE,
    mischief: mischiefOf(own),
  })
  const spends = random.fork('spends').chance(SPENDING_SHARE)
  const errands = Array.from({ length: random.between(1, 4) }, (_, index) =>
    errand(random.fork(`errand ${index}`)),
  )
  return {
    lengthMs,
    agents,
    replicas: random.pick(manner.replicas),
    // A facilitator without bindings lets a payer pay two agents of one wallet with one payment, unless they share
    // their store, or the payer's nonce names the job.
    sharesStore: isStock || random.chance(0.5),
    sharesWallet: random.chance(0.7),
    // If the facilitator does not prove its settlements, the agent must check the chain itself (D9).
    hasNode: isStock || random.chance(0.3) || spends,
    /** Its agents spend with the permissions of payers, who change them. */
    spends,
    /** Our facilitators, over one ledger; none if the facilitator is not ours. */
    facilitators: isStock ? 0 : random.chance(0.35) ? 2 : 1,
    sharesRelayer: random.chance(0.6),
    /** Each facilitator has all relayer keys; otherwise one. */
    hasAllKeys: random.chance(0.3),
    agentSettleWaitMs: random.pick([1_000, 4_000, 10_000]),
    limits: {
      settleWaitMs: random.pick(isForgetful ? [2_000] : [2_000, 8_000, 20_000]),
      reconcileMs: random.pick([4_000, 60_000]),
      leaseMs: random.pick([4_000, 12_000]),
      stuckAfterMs: random.pick([5_000, 15_000]),
    },
    /** The maximum delay of the timers of agents and facilitators; polling then happens less often. */
    timerGrainMs: random.pick([1, 300, 1_500, 1_500, 3_000]),
    maxDeadlineSeconds: spends ? LONG_SECONDS : maxDeadlineSeconds,
    /** All processes are suspended until every authorization has expired. */
    sleepsToTheEnd: random.chance(0.85),
    badRunRate: manner.badRunRate,
    /** The number of the cheaper jobs that each payer can pay. */
    affordable: [...[0, 1, 2].map(() => random.pick([1, 3, 6, 20, 20])), 1],
    errands: errands
      .filter(({ kind }) => !(isStock && kind === 'meddler'))
      .map((plan, index) => (spends && random.fork(`spend ${index}`).chance(0.8) ? spending(plan) : plan)),
  }
}

/** With time for a few blocks, and for another attempt. */
function spending<Plan extends { readonly validSeconds: number }>(plan: Plan): Plan {
  return {
    ...plan,
    capability: SPENDING,
    deadlineSeconds: LONG_SECONDS,
    validSeconds: Math.max(plan.validSeconds, 2 * LONG_SECONDS),
  }
}

/** The last payer can pay one of the cheaper jobs, and tries to buy two. */
function whoAndWhat(own: Random, kind: ErrandKind) {
  if (kind === 'overdraw') return { kind, payer: LAST_PAYER, capability: own.pick(['echo', 'twin']) }
  return {
    kind,
    payer: own.between(0, LAST_PAYER - 1),
    capability: own.pick(['echo', 'echo', 'twin', 'dear']),
  }
}

const LAST_PAYER = 3
const SPENDING_SHARE = 0.2
const LONG_SECONDS = 20
