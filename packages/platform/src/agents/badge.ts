import type { Badge } from './agent-row.ts'

/** Badges in ascending order (D34). */
export const BADGES: readonly Badge[] = ['none', 'verified', 'bronze', 'silver', 'gold']

/** All values that decide an agent's badge. */
export interface BadgeInputs {
  /** `/about` served a known declaration at the last inspection, or within two refresh intervals. */
  readonly aboutPasses: boolean
  /** `/health` has passed, and the agent is not offline. */
  readonly healthPasses: boolean
  /** Paid jobs. At most the newest ten jobs of each payer other than the owner count (`JOBS_OF_ONE_PAYER`). */
  readonly paidJobs: number
  /** Jobs that failed by the agent's fault, among the same ten of each payer. */
  readonly failedJobs: number
  readonly payers: number
  /**
   * Failed jobs that do not count against the agent: at most the newest ten of each payer. `undefined` in badges from
   * before this was counted.
   */
  readonly leftOutJobs?: number
  /** Share of checks that passed, from 0 to 1; `undefined` until the agent was watched for the whole period. */
  readonly uptime7Days: number | undefined
  readonly uptime30Days: number | undefined
}

/** One condition of a badge, with the measured and the required value. */
export interface BadgeRule {
  /** The badge that requires this condition; it also requires all conditions of lower badges. */
  readonly badge: Exclude<Badge, 'none'>
  readonly rule:
    | 'about-passes'
    | 'health-passes'
    | 'uptime-7-days'
    | 'uptime-30-days'
    | 'paid-jobs'
    | 'success-bound'
  /** `undefined` when not known yet, in which case the rule does not pass. Booleans are 0 and 1. */
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

/** The earned badge: the highest one whose rules pass together with those of all lower badges. */
export function earnBadge(rules: readonly BadgeRule[]): Badge {
  const missed = rules.find(rule => !rule.passes)
  return missed === undefined ? 'gold' : oneLower(missed.badge)
}

/** The badge to show: one step lower while the agent has a warning (D34). */
export function shownBadge(badge: Badge, isWarned: boolean): Badge {
  return isWarned ? oneLower(badge) : badge
}

/** The 97.5 % quantile of the standard normal distribution: 95 % of the values are within it on both sides. */
const Z = 1.959_963_984_540_054

/**
 * The lower bound of Wilson's 95 % score interval for the share of successes; 0 without trials. It is low for few trials,
 * even if all of them succeeded.
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
