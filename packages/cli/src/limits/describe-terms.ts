import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { ScreenPaint } from '../terminal/text.ts'
import type { ApprovalOrder } from './chain/plan-change.ts'
import type { PlannedChange } from './change-permission.ts'

/** A larger approval counts as unlimited: half of the range of uint256. */
const ENDLESS = 2n ** 255n
const MINUTE_CHARACTERS = 16
const ROW_MARGIN = 12
const ONE = 'one transaction, to SpendPermissions'

/** Formats an amount for a sentence: `1.00`. */
export function amount(atomic: bigint): string {
  return formatUsdc(atomic, { decimals: 2 })
}

/** Formats an approval for people: unlimited ones would have 78 digits. */
export function approvalAmount(atomic: bigint): string {
  return atomic >= ENDLESS ? 'endless' : amount(atomic)
}

/** Formats a time: `2027-01-31 18:00 UTC`; a time outside the calendar's range is described in words. */
export function moment(seconds: bigint): string {
  const milliseconds = Number(seconds) * 1_000
  if (milliseconds > 8.64e15) return 'in no year that has a name'
  const text = new Date(milliseconds).toISOString()
  // Years with more than four digits begin with a sign.
  const end = text.indexOf('T') + MINUTE_CHARACTERS - '2027-01-31'.length
  return `${text.slice(0, end).replace('T', ' ')} UTC`
}

export function row(paint: Pick<ScreenPaint, 'dim'>, name: string, text: string): string {
  return `  ${paint.dim(name.padEnd(10))}${text}`
}

export function describeSteps(
  paint: Pick<ScreenPaint, 'dim'>,
  verb: 'set' | 'revoke',
  { way, allowance, wanted }: PlannedChange,
): readonly string[] {
  const change = verb === 'set' ? 'set     the permission above' : 'revoke  the permission above'
  const approval = `the approval of all your permissions, ${approvalAmount(allowance)} → ${amount(wanted)} USDC`
  const isTwo = way === 'approve first' || way === 'approve last'
  const margin = ' '.repeat(ROW_MARGIN)
  return [
    row(paint, 'sends', isTwo ? 'two transactions, to SpendPermissions and to the token' : ONE),
    ...stepsOf(way, change, approval).map(step => margin + step),
    row(paint, 'contract', 'SpendPermissions, unaudited'),
    margin + SPEND_PERMISSIONS_ADDRESS,
  ]
}

function stepsOf(way: ApprovalOrder, change: string, approval: string): readonly string[] {
  switch (way) {
    case 'none':
      return [`${change}; the approval stays as it is`]
    case 'permit':
      return [change, `permit  ${approval}`]
    case 'approve first':
      return [`approve ${approval}`, change]
    case 'approve last':
      return [change, `approve ${approval}`]
  }
}
