import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { HiringSettings } from '../environment/read-hiring.ts'
import type { EnterOutcome, JobAccounts, SumBound } from '../jobs/job-accounts.ts'
import type { Log } from '../log.ts'
import { hireError } from './hire-errors.ts'
import type { HireError } from '../handler/hire-error.ts'

/** What hires of one job may cost: in all, in a UTC day, and for jobs that are not paid in the end. */
export interface HireBounds {
  /** Atomic units. */
  readonly mostOfJob: bigint
  readonly dayAtomic: bigint
  readonly dayKey: (day: string) => string
  /** What was hired for jobs that the payer has paid for, within thirty days of each other. Atomic units. */
  history(accounts: Pick<JobAccounts, 'totals'>): Promise<bigint>
  /**
   * @param history of a payer that may lose as much as it has paid for, all its open jobs together; undefined: it counts as
   *   new, with all others that do
   */
  sums(day: string, history: bigint | undefined): readonly SumBound[]
  /** Whether a refusal says that the payer has more open than its history is worth. */
  exceedsHistory(outcome: EnterOutcome): boolean
  /** Makes the error for a reservation that was refused, and warns where hiring stops for the day. */
  refuse(outcome: Extract<EnterOutcome, { kind: 'over' | 'full' }>, agent: string, price: bigint): HireError
}

/** Hires of one job, its retries included. */
export const MOST_HIRES = 32

/** A sum is of one UTC day, and what was reserved in its last moments can be given back in the next. */
const SUM_KEPT_MS = 3 * 86_400_000
/** What is known of a payer, from its last hire on. */
const HISTORY_KEPT_MS = 30 * 86_400_000
/** New payers share one half of the day's losses. When they have used it up, payers with a history can still hire. */
const NEW_PAYERS_PART = 2n
/** More than anything costs. */
export const NO_BOUND = 2n ** 53n

/** Whose hires are bounded, and by what. */
interface BoundParts {
  readonly settings: Pick<HiringSettings, 'jobPercent' | 'dayAtomic' | 'lossesAtomic'>
  readonly priceAtomic: bigint
  /** Names the wallet that pays, and the chain. */
  readonly wallet: string
  readonly payer: string
  readonly log: Log
}

/** What may be lost in a UTC day for jobs that are not paid in the end. Atomic units. */
interface Losses {
  readonly payerAtomic: bigint
  readonly newAtomic: bigint
  readonly allAtomic: bigint
}

/** Makes the bounds of one job. Until it is settled all that it reserves counts as lost. */
export function hireBounds(parts: BoundParts): HireBounds {
  const { settings, priceAtomic, wallet, payer } = parts
  const { jobPercent, dayAtomic, lossesAtomic } = settings
  const losses = shareLosses(lossesAtomic)
  const dayKey = (day: string): string => `hired ${wallet} ${day}`
  const lossKey = (day: string): string => `unpaid ${wallet} ${day}`
  const newKey = (day: string): string => `${lossKey(day)} new`
  const [hiredKey, openKey] = [`hired-for ${wallet} ${payer}`, `open ${wallet} ${payer}`]
  return {
    mostOfJob: (priceAtomic * jobPercent) / 100n,
    dayAtomic,
    dayKey,
    async history(accounts) {
      const { sums } = await accounts.totals('', [hiredKey, openKey])
      const [hired = 0n, unpaid = 0n] = sums
      return hired > unpaid ? hired - unpaid : 0n
    },
    exceedsHistory: outcome => outcome.kind === 'over' && outcome.sum === openKey,
    sums: (day, history) => [
      { key: dayKey(day), most: dayAtomic, keepMs: SUM_KEPT_MS, untilSettled: false },
      { key: lossKey(day), most: losses.allAtomic, keepMs: SUM_KEPT_MS, untilSettled: true },
      {
        key: `${lossKey(day)} ${payer}`,
        most: losses.payerAtomic,
        keepMs: SUM_KEPT_MS,
        untilSettled: true,
      },
      ...(history === undefined
        ? [{ key: newKey(day), most: losses.newAtomic, keepMs: SUM_KEPT_MS, untilSettled: true }]
        : []),
      { key: hiredKey, most: NO_BOUND, keepMs: HISTORY_KEPT_MS, untilSettled: false },
      // In the step that enters: jobs that come at once do not all count as covered by the same history.
      { key: openKey, most: history ?? NO_BOUND, keepMs: HISTORY_KEPT_MS, untilSettled: true },
    ],
    refuse: (outcome, agent, price) => refuseHire(parts, losses, outcome, { agent, price }),
  }
}

function shareLosses(allAtomic: bigint): Losses {
  return {
    payerAtomic: allAtomic < 4n ? allAtomic : allAtomic / 4n,
    newAtomic: allAtomic < NEW_PAYERS_PART ? allAtomic : allAtomic / NEW_PAYERS_PART,
    allAtomic,
  }
}

function refuseHire(
  { settings: { dayAtomic }, payer, log }: BoundParts,
  losses: Losses,
  outcome: Extract<EnterOutcome, { kind: 'over' | 'full' }>,
  { agent, price }: { readonly agent: string; readonly price: bigint },
): HireError {
  const refuse = (reason: string): HireError =>
    hireError('budget', agent, 'no', `cannot hire ${agent} for ${formatUsdc(price)} USDC: ${reason}`)
  if (outcome.kind === 'full') return refuse(`a job hires ${MOST_HIRES} times at most`)
  const left = `${formatUsdc(outcome.left)} USDC`
  if (outcome.sum === undefined) return refuse(`${left} left of the budget of this job`)
  if (outcome.sum.startsWith('hired ')) {
    log.warn('hiring has stopped: the daily budget is used up', { left, of: formatUsdc(dayAtomic) })
    return refuse(`${left} left of the daily budget`)
  }
  const whose = outcome.sum.endsWith(` ${payer}`) ? 'payer' : outcome.sum.endsWith(' new') ? 'new' : 'all'
  const { most, stopped, jobs } = {
    payer: { most: losses.payerAtomic, stopped: ' for one payer', jobs: 'one payer’s jobs' },
    new: { most: losses.newAtomic, stopped: ' for new payers', jobs: 'jobs of new payers' },
    all: { most: losses.allAtomic, stopped: '', jobs: 'jobs' },
  }[whose]
  log.warn(`hiring has stopped${stopped}: too much was paid today for jobs that were not paid`, {
    left,
    of: formatUsdc(most),
    ...(whose === 'payer' && { payer }),
  })
  return refuse(`${left} left of what ${jobs} may cost before they are paid`)
}
