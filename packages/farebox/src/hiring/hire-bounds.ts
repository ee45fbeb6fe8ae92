import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { HiringSettings } from '../environment/read-hiring.ts'
import type { EnterOutcome, SumBound } from '../jobs/job-accounts.ts'
import type { Log } from '../log.ts'
import { hireError } from './hire-errors.ts'
import type { HireError } from '../handler/hire-error.ts'

/** What hires of one job may cost: in all, in a UTC day, and for jobs that are not paid in the end. */
export interface HireBounds {
  /** Atomic units. */
  readonly mostOfJob: bigint
  readonly dayAtomic: bigint
  readonly dayKey: (day: string) => string
  sums(day: string): readonly SumBound[]
  /** Makes the error for a reservation that was refused, and warns where hiring stops for the day. */
  refuse(outcome: Extract<EnterOutcome, { kind: 'over' | 'full' }>, agent: string, price: bigint): HireError
}

/** Hires of one job, its retries included. */
export const MOST_HIRES = 32

/** A sum is of one UTC day, and what was reserved in its last moments can be given back in the next. */
const SUM_KEPT_MS = 3 * 86_400_000

/** Makes the bounds of one job. Until it is settled all that it reserves counts as lost. */
export function hireBounds(parts: {
  readonly settings: Pick<HiringSettings, 'jobPercent' | 'dayAtomic' | 'lossesAtomic'>
  readonly priceAtomic: bigint
  /** Names the wallet that pays, and the chain. */
  readonly wallet: string
  readonly payer: string
  readonly log: Log
}): HireBounds {
  const { settings, priceAtomic, wallet, payer, log } = parts
  const { jobPercent, dayAtomic, lossesAtomic } = settings
  const payerAtomic = lossesAtomic < 4n ? lossesAtomic : lossesAtomic / 4n
  const mostOfJob = (priceAtomic * jobPercent) / 100n
  const dayKey = (day: string): string => `hired ${wallet} ${day}`
  const lossKey = (day: string): string => `unpaid ${wallet} ${day}`
  return {
    mostOfJob,
    dayAtomic,
    dayKey,
    sums: day => [
      { key: dayKey(day), most: dayAtomic, keepMs: SUM_KEPT_MS, untilSettled: false },
      { key: lossKey(day), most: lossesAtomic, keepMs: SUM_KEPT_MS, untilSettled: true },
      { key: `${lossKey(day)} ${payer}`, most: payerAtomic, keepMs: SUM_KEPT_MS, untilSettled: true },
    ],
    refuse(outcome, agent, price) {
      const refuse = (reason: string): HireError =>
        hireError('budget', agent, 'no', `cannot hire ${agent} for ${formatUsdc(price)} USDC: ${reason}`)
      if (outcome.kind === 'full') return refuse(`a job hires ${MOST_HIRES} times at most`)
      const left = `${formatUsdc(outcome.left)} USDC`
      if (outcome.sum === undefined) return refuse(`${left} left of the budget of this job`)
      if (outcome.sum.startsWith('hired ')) {
        log.warn('hiring has stopped: the daily budget is used up', { left, of: formatUsdc(dayAtomic) })
        return refuse(`${left} left of the daily budget`)
      }
      const isPayers = outcome.sum.endsWith(` ${payer}`)
      const most = formatUsdc(isPayers ? payerAtomic : lossesAtomic)
      log.warn(
        isPayers
          ? 'hiring has stopped for one payer: too much was paid today for jobs of it that were not paid'
          : 'hiring has stopped: too much was paid today for jobs that were not paid',
        { left, of: most, ...(isPayers && { payer }) },
      )
      return refuse(
        `${left} left of what ${isPayers ? 'one payer’s jobs' : 'jobs'} may cost before they are paid`,
      )
    },
  }
}
