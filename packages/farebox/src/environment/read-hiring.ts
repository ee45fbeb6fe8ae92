import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { EnvironmentError } from './environment-error.ts'
import { ENVIRONMENT_DEFAULTS } from './environment-variables.ts'
import type { Variables } from './variables.ts'

/** The key and the limits with which handlers hire other agents. */
export interface HiringSettings {
  /** `0x` and 64 digits. */
  readonly privateKey: string
  /** The maximum that a job may spend on hires, in percent of its own price: 1 to 90. */
  readonly jobPercent: bigint
  /** The most that all hires of one UTC day may cost, in atomic units. */
  readonly dayAtomic: bigint
  /** The most that hires of jobs that are not paid in the end may cost in one UTC day, in atomic units. */
  readonly lossesAtomic: bigint
}

const MOST_PERCENT = ENVIRONMENT_DEFAULTS.HIRING_JOB_PERCENT
/** Every job store counts exactly up to this amount. */
const MOST_ATOMIC = 10n ** 15n

/**
 * Reads the hiring settings; undefined without a key. Throws an {@link EnvironmentError}, which never shows the key.
 */
export function readHiring(variables: Variables): HiringSettings | undefined {
  const value = variables['HIRING_PRIVATE_KEY']
  // The other variables are checked even without a key, so that an error in them is found now and not later.
  const jobPercent = readPercent(variables)
  const dayAtomic = readAmount(variables, 'HIRING_DAILY_BUDGET', ENVIRONMENT_DEFAULTS.HIRING_DAILY_BUDGET)
  const lossesAtomic = readAmount(
    variables,
    'HIRING_DAILY_LOSSES',
    formatUsdc(dayAtomic < 10n ? 1n : dayAtomic / 10n),
  )
  if (value === undefined || value === '') return undefined
  if (/^0x[0-9a-fA-F]{64}$/.test(value)) return { privateKey: value, jobPercent, dayAtomic, lossesAtomic }
  throw new EnvironmentError({
    variable: 'HIRING_PRIVATE_KEY',
    problem: 'must be a private key: 0x and 64 hex digits',
    hint: 'copy the key of an account of its own, or leave it unset where no handler hires',
  })
}

function readPercent(variables: Variables): bigint {
  const value = variables['HIRING_JOB_PERCENT'] || String(MOST_PERCENT)
  if (/^[1-9]\d?$/.test(value) && Number(value) <= MOST_PERCENT) return BigInt(value)
  throw new EnvironmentError({
    variable: 'HIRING_JOB_PERCENT',
    problem: `must be a whole number from 1 to ${MOST_PERCENT}`,
    hint: `leave it unset for ${MOST_PERCENT}: what is left of the price is what the job earns`,
  })
}

function readAmount(variables: Variables, variable: string, fallback: string): bigint {
  const read = readPrice(variables[variable] || fallback)
  if (read.ok && read.atomic <= MOST_ATOMIC) return read.atomic
  const problem = read.ok ? `must be at most ${formatUsdc(MOST_ATOMIC)}` : read.reason
  throw new EnvironmentError({ variable, problem, hint: 'set it to an amount of USDC, like 2.50' })
}
