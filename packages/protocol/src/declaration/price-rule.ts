import { formatUsdc, MAX_AMOUNT_CHARACTERS, readPrice } from '../money/usdc.ts'
import { USDC_DECIMALS } from '../limits.ts'
import type { Rule } from '../field-rules/rule.ts'

/** A decimal amount of USDC above zero, as a string (D1). */
export function price(example: string): Rule {
  return amount(example, 'a job cannot be free')
}

/** The contract that limits the spending of agents uses 88 bits: no permission can allow a larger amount. */
const MAX_SPEND = 2n ** 88n - 1n

/** The most that one transaction may spend: an amount in the form of {@link price} that a permission can express. */
export function spendBound(example: string): Rule {
  const rule = amount(example, 'a transaction that moves nothing needs no permission')
  return {
    ...rule,
    check(value, path, whole) {
      const read = readPrice(value)
      if (!read.ok || read.atomic <= MAX_SPEND) return rule.check(value, path, whole)
      const reason = `must be at most ${formatUsdc(MAX_SPEND)}, the largest amount that can be permitted`
      return [{ path, reason, fix: `write the most that one transaction needs, such as "${example}"` }]
    },
  }
}

function amount(example: string, whyNotZero: string): Rule {
  return {
    check(value, path) {
      const read = readPrice(value)
      return read.ok ? [] : [{ path, reason: read.reason, fix: fixPrice(value, whyNotZero) }]
    },
    schema: {
      type: 'string',
      maxLength: MAX_AMOUNT_CHARACTERS,
      pattern: `^(?!0(?:\\.0+)?$)(?:0|[1-9]\\d*)(?:\\.\\d{1,${USDC_DECIMALS}})?$`,
      patternErrorMessage: `must be a decimal above zero like "0.01", with at most ${USDC_DECIMALS} decimals`,
      examples: [example],
    },
    example,
  }
}

const LEAST = JSON.stringify(formatUsdc(1n))

/** Suggests the intended price when it is unambiguous, otherwise the general form of a price. */
function fixPrice(value: unknown, whyNotZero: string): string {
  const given = typeof value === 'number' ? writeNumber(value) : value
  if (typeof given !== 'string') return 'write the amount in quotes, such as "0.01"'
  const decimal = /^\s*[$€]?\s*(\d*)(?:[.,](\d*))?\s*(?:USDC?|[$€])?\s*$/i.exec(given)
  const [, digits = '', fraction = ''] = decimal ?? []
  if (decimal === null || digits + fraction === '') return 'write a decimal in quotes, such as "0.01"'
  const whole = digits.replace(/^0+(?=\d)/, '') || '0'
  // A comma before three digits may separate thousands or decimals.
  const meant = whole !== '0' && /,\d{3}\D*$/.test(given) ? [whole + fraction, `${whole}.${fraction}`] : []
  if (meant.length > 0 && meant.every(price => readPrice(price).ok))
    return `write ${meant.map(price => JSON.stringify(price)).join(' or ')}, whichever is meant`
  const kept = fraction.slice(0, USDC_DECIMALS).replace(/0+$/, '')
  const corrected = `${whole}${kept === '' ? '' : `.${kept}`}`
  if (corrected === '0') return `write ${LEAST} or more: ${whyNotZero}`
  const quotes = typeof value === 'number' ? ', in quotes' : ''
  return readPrice(corrected).ok
    ? `write ${JSON.stringify(corrected)}${quotes}`
    : 'write a decimal in quotes, such as "0.01"'
}

/** A price has no exponent, so `1e-7` is written as digits. */
function writeNumber(value: number): string {
  return Math.abs(value) < 1 && value !== 0 ? value.toFixed(20).replace(/0+$/, '') : String(value)
}
