import { printable } from '@farebox/conformance/internal/printable'
import type { Keccak } from '@farebox/contracts/permission-calls'
import { refuseAddress } from '@farebox/payments/crypto/address'
import { readPrice } from '@farebox/protocol/money/usdc'
import { type CommandError, usageError } from '../../command-error.ts'
import type { RawAllowOptions } from './limits-options.ts'

/** The terms that a user grants, as typed and validated without the agent. */
export interface AskedTerms {
  /** The maximum of one spend, in atomic units. */
  readonly limit: bigint
  /** The maximum of all spends, in atomic units. */
  readonly cap: bigint
  /** Lower-case addresses; an empty list permits any recipient. */
  readonly recipients: readonly string[]
  /** Lower-case address; `undefined`: the agent is asked. */
  readonly spender: string | undefined
  readonly until: AskedEnd
}

/** The end of a permission: a duration from now, or a time in Unix seconds. */
export type AskedEnd = { readonly afterSeconds: number } | { readonly atSeconds: number }

/** The largest amount that SpendPermissions can store: below 2^88. */
const MOST_ATOMIC = 2n ** 88n - 1n
const MOST_RECIPIENTS = 16
const DEFAULT_UNTIL = '30d'
const SECONDS = { h: 3_600, d: 86_400, w: 604_800 } as const
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?$/
/** A longer duration is assumed to be a mistake. */
const LONGEST_SECONDS = 10 * 366 * 86_400

/** Reads the options of `farebox limits allow`. */
export function readAskedTerms(hash: Keccak, raw: RawAllowOptions): AskedTerms {
  const limit = readAmount('--limit', raw.limit, 'the most that one transaction may move')
  const cap = readAmount('--cap', raw.cap, 'the most that all transactions together may move')
  if (cap < limit) {
    throw wrong(
      '--cap',
      `must be at least --limit, ${raw.cap} is less than ${raw.limit}`,
      '--cap is for all transactions together',
    )
  }
  return {
    limit,
    cap,
    recipients: readRecipients(hash, raw.to ?? []),
    spender: raw.spender === undefined ? undefined : readSpenderOption(hash, raw.spender),
    until: readEnd(raw.until ?? DEFAULT_UNTIL),
  }
}

/** Reads the address of `--spender` as lower case. */
export function readSpenderOption(hash: Keccak, given: string): string {
  return readAddress(hash, '--spender', given)
}

/**
 * Returns the time after which nothing can be spent.
 *
 * @param nowSeconds the later of the person's clock and the chain's time
 */
export function permissionEnd(until: AskedEnd, nowSeconds: number): bigint {
  const end = 'atSeconds' in until ? until.atSeconds : nowSeconds + until.afterSeconds
  if (end <= nowSeconds) {
    const date = new Date(end * 1_000).toISOString()
    throw wrong(
      '--until',
      `must be in the future, got ${date.slice(0, 16).replace('T', ' ')} UTC`,
      LIKE_UNTIL,
    )
  }
  if (end - nowSeconds > LONGEST_SECONDS) throw wrong('--until', 'must be within ten years', LIKE_UNTIL)
  return BigInt(end)
}

const LIKE_UNTIL = 'like --until 30d, --until 12h, --until 2027-01-31 or --until 2027-01-31T18:00Z'

function readAmount(option: string, text: string | undefined, what: string): bigint {
  if (text === undefined) throw wrong(option, 'is missing', `${what}, like ${option} 1.00`)
  const amount = readPrice(text)
  if (!amount.ok) throw wrong(option, printable(amount.reason), `like ${option} 1.00`)
  if (amount.atomic > MOST_ATOMIC)
    throw wrong(option, 'is more than the contract can keep', `like ${option} 1.00`)
  return amount.atomic
}

function readEnd(text: string): AskedEnd {
  const span = /^([1-9]\d{0,4})([hdw])$/.exec(text)
  if (span !== null) {
    // The pattern allows no other units.
    const unit = SECONDS[span[2] as keyof typeof SECONDS]
    return { afterSeconds: Number(span[1]) * unit }
  }
  const milliseconds = DATE.test(text) ? Date.parse(text) : Number.NaN
  // A day that does not exist is refused, or would be read as a day of the next month.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(text.slice(0, 10))) {
    throw wrong(
      '--until',
      `must be a time from now or a date, got "${printable(text.slice(0, 40))}"`,
      LIKE_UNTIL,
    )
  }
  return { atSeconds: milliseconds / 1_000 }
}

function readRecipients(hash: Keccak, given: readonly string[]): readonly string[] {
  const recipients = [...new Set(given.map(one => readAddress(hash, '--to', one)))]
  if (recipients.length <= MOST_RECIPIENTS) return recipients
  throw wrong(
    '--to',
    `at most ${MOST_RECIPIENTS} recipients can be listed, got ${recipients.length}`,
    'without --to the agent may pay anybody',
  )
}

function readAddress(hash: Keccak, option: string, given: string): string {
  const reason = refuseAddress(hash, given)
  if (reason !== undefined) throw wrong(option, printable(reason), `like ${option} 0x15d3…6A65, in full`)
  if (BigInt(given) !== 0n) return given.toLowerCase()
  throw wrong(option, 'must not be the zero address', 'nobody has its key')
}

function wrong(option: string, reason: string, next: string): CommandError {
  return usageError(`${option}: ${reason}`, next)
}
