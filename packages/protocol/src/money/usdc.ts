import { USDC_DECIMALS } from '../limits.ts'

const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/

/** More digits than any real amount needs; limits hostile amounts before they are parsed. */
export const MAX_AMOUNT_CHARACTERS = 40

/** Why a decimal amount was refused, as the end of a sentence about the field. */
export interface AmountRefusal {
  readonly ok: false
  readonly reason: string
}

/**
 * Parses a decimal USDC amount (`"0.01"`) into atomic units (`10_000n`) by string operations only (D1).
 *
 * Refuses signs, exponents, commas, leading zeros, bare points and more than six decimals, with the reason. Zero is
 * accepted; {@link readPrice} refuses it.
 *
 * @example
 * ```ts
 * import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
 *
 * const amount = readUsdc('0.01')
 * if (amount.ok) console.log(amount.atomic, formatUsdc(amount.atomic * 3n)) // 10000n 0.03
 * else console.log(amount.reason)
 * ```
 */
export function readUsdc(decimal: unknown): { readonly ok: true; readonly atomic: bigint } | AmountRefusal {
  if (typeof decimal !== 'string') {
    return refuse(`must be a decimal string like "0.01", got ${decimal === null ? 'null' : typeof decimal}`)
  }
  if (decimal.length > MAX_AMOUNT_CHARACTERS)
    return refuse(`must be at most ${MAX_AMOUNT_CHARACTERS} characters`)
  if (!DECIMAL.test(decimal)) return refuse(`must be a decimal like "0.01", got ${JSON.stringify(decimal)}`)
  const [whole = '', fraction = ''] = decimal.split('.')
  if (fraction.length > USDC_DECIMALS) {
    return refuse(
      `must have at most ${USDC_DECIMALS} decimals, USDC has no more, got ${JSON.stringify(decimal)}`,
    )
  }
  return { ok: true, atomic: BigInt(whole + fraction.padEnd(USDC_DECIMALS, '0')) }
}

/** {@link readUsdc} for a price: zero is refused too (D1). */
export function readPrice(decimal: unknown): { readonly ok: true; readonly atomic: bigint } | AmountRefusal {
  const amount = readUsdc(decimal)
  if (amount.ok && amount.atomic === 0n) return refuse('must be more than zero')
  return amount
}

/**
 * Formats atomic units as a decimal USDC amount without trailing zeros: `10_000n` → `"0.01"`. With `{ decimals: 6 }` all six
 * are written, for aligned columns: `"0.010000"`.
 */
export function formatUsdc(atomic: bigint, options: { readonly decimals?: number } = {}): string {
  const sign = atomic < 0n ? '-' : ''
  const digits = (atomic < 0n ? -atomic : atomic).toString().padStart(USDC_DECIMALS + 1, '0')
  const whole = digits.slice(0, -USDC_DECIMALS)
  const least = options.decimals ?? 0
  let fraction = digits.slice(-USDC_DECIMALS)
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

function refuse(reason: string): AmountRefusal {
  return { ok: false, reason }
}
