import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Spending } from '../agent/run/spending.ts'

/** Describes the cost of a run in lines; at least one payment must have been signed. */
export function describeSpending(spending: Spending): readonly string[] {
  return [spendingLine(spending), ...stillGood(spending)]
}

function spendingLine({ payments, signedAtomic, transactions }: Spending): string {
  const signed = `${payments} ${payments === 1 ? 'payment' : 'payments'} signed, ${formatUsdc(signedAtomic)} USDC in all`
  const charged =
    transactions.length === 0 ? 'none charged as far as is known' : `charged: ${transactions.join(', ')}`
  return `${signed}; ${charged}`
}

/**
 * Describes payments that are still valid: an agent that refused a payment has it nevertheless and could charge it until it
 * expires.
 */
function stillGood({ payments, transactions, goodUntilSeconds }: Spending): readonly string[] {
  if (goodUntilSeconds === undefined || payments <= transactions.length) return []
  const until = new Date(goodUntilSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return [`payments that were refused can be charged until ${until} UTC`]
}
