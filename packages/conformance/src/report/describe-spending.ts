import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Spending } from '../agent/run/spending.ts'

/** What a run has cost, as lines; there must be a payment. */
export function describeSpending(spending: Spending): readonly string[] {
  return [spendingLine(spending), ...stillGood(spending)]
}

function spendingLine({ payments, signedAtomic, transactions }: Spending): string {
  const signed = `${payments} ${payments === 1 ? 'payment' : 'payments'} signed, ${formatUsdc(signedAtomic)} USDC in all`
  const charged =
    transactions.length === 0 ? 'none charged as far as is known' : `charged: ${transactions.join(', ')}`
  return `${signed}; ${charged}`
}

/** An agent that refused a payment keeps it, and could charge it as long as it is good. */
function stillGood({ payments, transactions, goodUntilSeconds }: Spending): readonly string[] {
  if (goodUntilSeconds === undefined || payments <= transactions.length) return []
  const until = new Date(goodUntilSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return [`payments that were refused can be charged until ${until} UTC`]
}
