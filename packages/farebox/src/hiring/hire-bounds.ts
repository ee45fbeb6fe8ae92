import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { HiringSettings } from '../environment/read-hiring.ts'
import type { EnterOutcome, JobAccounts, SumBound } from '../jobs/job-accounts.ts'
import type { Log } from '../log.ts'
import { hireError } from './hire-errors.ts'
import type { HireError } from '../handler/hire-error.ts'

/** The limits on the cost of one job's hires: in total, per UTC day, and for jobs that are not paid in the end. */
export interface HireBounds {
  /** Atomic units. */
  readonly mostOfJob: bigint
  readonly dayAtomic: bigint
  readonly dayKey: (day: string) => string
  /** The amount hired for jobs that the payer has paid for, with at most thirty days between them. Atomic units. */
  history(accounts: Pick<JobAccounts, 'totals'>): Promise<bigint>
  /**
   * The limits to check when an amount is entered.
   *
   * @param history a payer with a history may have unpaid jobs open for as much as it has paid for, all its open jobs
   *   together; undefined: the payer counts as new, and shares one limit with all new payers
   */
  sums(day: string, history: bigint | undefined): readonly SumBound[]
  /** Whether a refusal says that the payer's open jobs exceed its history. */
  exceedsHistory(outcome: EnterOutcome): boolean
  /** Makes the error for a refused reservation, and logs a warning when hiring has stopped for the day. */
  refuse(outcome: Extract<EnterOutcome, { kind: 'over' | 'full' }>, agent: string, price: bigint): HireError
}

/** The most hires of one job, its retries included. */
export const MOST_HIRES = 32

/** How long a daily sum is kept: an amount reserved at the end of a UTC day may be given back on the next day. */
const SUM_KEPT_MS = 3 * 86_400_000
/** How long the history of a payer is kept after its last hire. */
const HISTORY_KEPT_MS = 30 * 86_400_000
/** New payers share one half of the day's losses. After that half is used up, payers with a history can still hire. */
const NEW_PAYERS_PART = 2n
/** More than any price. */
export const NO_BOUND = 2n ** 53n

/** The parts that determine the limits of a job's hires. */
interface BoundParts {
  readonly settings: Pick<HiringSettings, 'jobPercent' | 'dayAtomic' | 'lossesAtomic'>
  readonly priceAtomic: bigint
  /** Identifies the paying wallet and the chain. */
  readonly wallet: string
  readonly payer: string
  readonly log: Log
}

/** The most that may be lost in one UTC day for jobs that are not paid in the end, in atomic units. */
interface Losses {
  readonly payerAtomic: bigint
  readonly newAtomic: bigint
  readonly allAtomic: bigint
}

/** Makes the limits of one job. Until the job is settled, everything it reserved counts as lost. */
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
      // Checked in the same step that enters the amount, so that concurrent jobs cannot all use the same history.
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
