import { ValidationError, type JobContext } from 'farebox'
import type { PayInvoiceInput, PayInvoiceOutput } from './agent.d.ts'

/**
 * Pays an invoice from the wallet of the job's payer. The permission is in a contract, which refuses everything beyond
 * it, whatever this code does. A job that is run again gets the transaction of its first attempt.
 */
export default async function payInvoice(
  { invoice_number, recipient, amount, due_date }: PayInvoiceInput,
  ctx: JobContext,
): Promise<PayInvoiceOutput> {
  const allowance = await ctx.allowance()
  if (atomicUnits(allowance) < atomicUnits(amount))
    throw new ValidationError('allowance', `must be at least ${amount} USDC, is ${allowance} USDC`)
  const { transaction, resumed } = await ctx.spend({ token: 'USDC', amount, to: recipient })
  ctx.log(`invoice ${JSON.stringify(invoice_number)} paid in ${transaction}`)
  return {
    invoice_number,
    amount,
    transaction,
    was_paid_before: resumed,
    ...(due_date !== undefined && { was_overdue: due_date < new Date().toISOString().slice(0, 10) }),
  }
}

/** Decimals of USDC as millionths: amounts of money are never floating point numbers. */
function atomicUnits(decimals: string): bigint {
  const [whole = '', fraction = ''] = decimals.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}
