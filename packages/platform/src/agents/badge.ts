import type { Badge } from './agent-row.ts'

/** Badges, the lowest first (D34). */
export const BADGES: readonly Badge[] = ['none', 'verified', 'bronze', 'silver', 'gold']

/** What a badge rests on; all that is counted about an agent for it. */
export interface BadgeInputs {
  /** `/about` answered with a declaration we know, and did so at the last inspection or within two refresh intervals. */
  readonly aboutPasses: boolean
  /** `/health` has passed, and the agent is not offline. */
  readonly healthPasses: boolean
  /** Of each payer who is not the owner, at most the newest ten jobs count (`JOBS_OF_ONE_PAYER`). */
  readonly paidJobs: number
  /** Jobs that the agent failed by its own fault, of the same ten. */
  readonly failedJobs: number
  readonly payers: number
  /** Jobs that came to nothing and are left out; of each payer the newest ten. Undefined: counted before there were any. */
  readonly leftOutJobs?: number
  /** Share of checks that passed, once the whole of the window was watched; otherwise undefined. */
  readonly uptime7Days: number | undefined
  readonly uptime30Days: number | undefined
}

/** One condition, with what was found and what it takes. */
export interface BadgeRule {
  /** The badge it is a condition of; those below are conditions too. */
  readonly badge: Exclude<Badge, 'none'>
  readonly rule:
    | 'about-passes'
    | 'health-passes'
    | 'uptime-7-days'
    | 'uptime-30-days'
    | 'paid-jobs'
    | 'success-bound'
  /** Undefined: not known yet, which does not pass. Booleans are 0 and 1. */
  readonly value: number | undefined
  readonly needed: number
  readonly passes: boolean
}

/** Every rule of D34 with its value, the lowest badge first. */
export function explainBadge(inputs: BadgeInputs): readonly BadgeRule[] {
  const bound = wilsonLowerBound(inputs.paidJobs, inputs.paidJobs + inputs.failedJobs)
  return [
    judge('verified', 'about-passes', Number(inputs.aboutPasses), 1),
    judge('verified', 'health-passes', Number(inputs.healthPasses), 1),
    judge('bronze', 'uptime-7-days', inputs.uptime7Days, 0.9),
    judge('silver', 'paid-jobs', inputs.paidJobs, 100),
    judge('silver', 'success-bound', bound, 0.95),
    judge('silver', 'uptime-7-days', inputs.uptime7Days, 0.97),
    judge('gold', 'paid-jobs', inputs.paidJobs, 1_000),
    judge('gold', 'success-bound', bound, 0.99),
    judge('gold', 'uptime-30-days', inputs.uptime30Days, 0.995),
  ]
}

/** The badge that is earned: the highest whose rules pass, and those of all below it. */
export function earnBadge(rules: readonly BadgeRule[]): Badge {
  const missed = rules.find(rule => !rule.passes)
  return missed === undefined ? 'gold' : oneLower(missed.badge)
}

/** The badge as it is shown: one step lower while an agent is warned of (D34). */
export function shownBadge(badge: Badge, isWarned: boolean): Badge {
  return isWarned ? oneLower(badge) : badge
}

/** The quantile of the standard normal distribution at 97.5 %: 95 % lie within on both sides. */
const Z = 1.959_963_984_540_054

/**
 * The lower bound of Wilson's 95 % score interval for the share of successes, 0 where nothing was tried: few trials prove
 * little, however well they went.
 */
export function wilsonLowerBound(successes: number, trials: number): number {
  if (trials === 0) return 0
  const share = successes / trials
  const spread = Z * Math.sqrt((share * (1 - share) + Z ** 2 / (4 * trials)) / trials)
  return Math.max(0, (share + Z ** 2 / (2 * trials) - spread) / (1 + Z ** 2 / trials))
}

function judge(
  badge: BadgeRule['badge'],
  rule: BadgeRule['rule'],
  value: number | undefined,
  needed: number,
): BadgeRule {
  return { badge, rule, value, needed, passes: value !== undefined && value >= needed }
}

function oneLower(badge: Badge): Badge {
  return BADGES[BADGES.indexOf(badge) - 1] ?? 'none'
}
