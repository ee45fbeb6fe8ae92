import { readPrice } from '@farebox/protocol/money/usdc'
import { fromAtomic, withCents } from '../format/amount.ts'

/** The terms of a permission as typed into the form. */
export interface TypedTerms {
  /** Decimal USDC. */
  readonly each: string
  /** Decimal USDC. */
  readonly all: string
  /** A day, such as `2026-12-31`. */
  readonly until: string
}

/** The terms of a permission in the units of the contract. */
export interface LimitTerms {
  /** Atomic units. */
  readonly limit: bigint
  /** Atomic units, counted from the first setting. */
  readonly cap: bigint
  /** Unix seconds: the first second at which nothing can be spent. */
  readonly expiry: bigint
}

/** The bounds that typed terms are checked against. */
export interface TermsBounds {
  /** The capability’s declared maximum, in atomic units. */
  readonly declaredMost: bigint
  /** The amount already spent under the permission, in atomic units. */
  readonly spent: bigint
  /** Unix seconds, the later of the reader's clock and the chain's. */
  readonly now: number
}

/** Why terms were refused, by field, worded to follow the name of the field. */
export type TermsRefusals = { readonly [field in keyof TypedTerms]?: string }

/** The largest amount that the contract can store; its amounts have 88 bits. */
const MOST_ATOMIC = 2n ** 88n - 1n
const DAY = 86_400
const LONGEST_SECONDS = 3_660 * DAY
const DEFAULT_DAYS = 30
/** By default, each transfer may move a fifth of the declared maximum, and all transfers ten times that. */
const DEFAULT_SHARE = 5n
const DEFAULT_TIMES = 10n
const CENT = 10_000n

/** Checks typed terms. Amounts stay strings until they are converted to atomic units (PERM-01). */
export function checkLimitTerms(
  typed: TypedTerms,
  { declaredMost, spent, now }: TermsBounds,
):
  | { readonly ok: true; readonly terms: LimitTerms }
  | { readonly ok: false; readonly refusals: TermsRefusals } {
  const [each, all] = [readPrice(typed.each.trim()), readPrice(typed.all.trim())]
  const expiry = endOfDay(typed.until)
  const refusedEach = !each.ok
    ? each.reason
    : each.atomic >= declaredMost
      ? `must be lower than ${withCents(declaredMost)}, the agent’s declared maximum`
      : undefined
  const refusals = {
    each: refusedEach,
    all: !all.ok
      ? all.reason
      : // An invalid amount per transfer is not compared with the total.
        each.ok && refusedEach === undefined && all.atomic < each.atomic
        ? `must be at least ${withCents(each.atomic)}, the amount you allow each time`
        : all.atomic <= spent
          ? `must be more than ${withCents(spent)}, the amount already spent, because the total includes all spending since you first set the limit`
          : all.atomic > MOST_ATOMIC
            ? 'is more than the contract can store'
            : undefined,
    until: refuseEnd(expiry, now),
  }
  if (refusals.each === undefined && refusals.all === undefined && refusals.until === undefined) {
    if (each.ok && all.ok && expiry !== undefined)
      return { ok: true, terms: { limit: each.atomic, cap: all.atomic, expiry: BigInt(expiry) } }
  }
  return { ok: false, refusals: dropEmpty(refusals) }
}

/** The default terms of a new permission. */
export function proposeTerms(declaredMost: bigint, now: number): TypedTerms {
  const share = declaredMost / DEFAULT_SHARE
  const each = share >= CENT ? share - (share % CENT) : share > 0n ? share : 1n
  return {
    each: typedAmount(each),
    all: typedAmount(each * DEFAULT_TIMES),
    until: dayOf(now + DEFAULT_DAYS * DAY),
  }
}

/** The terms of a permission as text for the form. */
export function typeTerms({ limit, cap, expiry }: LimitTerms): TypedTerms {
  return { each: typedAmount(limit), all: typedAmount(cap), until: dayOf(Number(expiry)) }
}

/** The last second of a day in the reader's time zone; undefined when the text is not a day. */
export function endOfDay(day: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)
  if (match === null) return undefined
  const [year = 0, month = 0, date = 0] = match.slice(1).map(Number)
  const end = new Date(year, month - 1, date, 23, 59, 59)
  return end.getMonth() === month - 1 && end.getDate() === date ? end.getTime() / 1_000 : undefined
}

/** The day of a moment in the reader's time zone: `2026-12-31`. */
export function dayOf(seconds: number): string {
  const date = new Date(seconds * 1_000)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function refuseEnd(end: number | undefined, now: number): string | undefined {
  if (end === undefined) return 'must be a date, such as 2026-12-31'
  if (end <= now) return 'must be in the future'
  return end - now > LONGEST_SECONDS ? 'must be within ten years' : undefined
}

/** Formats an amount as people type it: at least two decimals, no grouping. */
function typedAmount(atomic: bigint): string {
  const [whole = '0', decimals = ''] = fromAtomic(atomic).split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}

function dropEmpty(refusals: { readonly [field in keyof TypedTerms]: string | undefined }): TermsRefusals {
  return Object.fromEntries(Object.entries(refusals).filter(([, reason]) => reason !== undefined))
}
