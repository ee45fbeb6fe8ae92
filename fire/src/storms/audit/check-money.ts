import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { firstSuccess, type Attempt, type StormOrder } from '../event-log.ts'
import type { Evidence } from './evidence.ts'
import { paymentsFor, type ChainPayment } from './read-chain.ts'

/**
 * Money moved = jobs completed (I1, I2, I3, I4): in each group of orders at most one payment, and it has bought exactly
 * one job; a job that was delivered has been paid for, by the transaction its receipt names; all its answers are the
 * same bytes.
 */
export function checkMoney({ eventLog, orders, chain }: Evidence): readonly string[] {
  const findings: string[] = []
  for (const group of new Set(orders.map(order => order.group))) {
    const sharing = orders.filter(order => order.group === group)
    const payments = paymentsFor({ group }, chain)
    const [payment] = payments
    const delivered = sharing.filter(order => firstSuccess(eventLog.attemptsOf(order)) !== undefined)
    const jobs = sharing.map(({ jobId }) => jobId).join(', ')
    if (payments.length > 1) findings.push(`paid ${payments.length} times: ${jobs}`)
    if (delivered.length > 1) findings.push(`one payment bought ${delivered.length} jobs: ${jobs}`)
    if (payment === undefined && delivered.length > 0) findings.push(`delivered without a payment: ${jobs}`)
    if (payment !== undefined && delivered.length === 0) {
      const last = sharing.flatMap(order => eventLog.attemptsOf(order)).at(-1)?.answer
      const words = last === undefined ? 'no answer' : `HTTP ${last.status} ${last.body.slice(0, 160)}`
      findings.push(`paid in ${payment.transaction} and never delivered: ${jobs}, ${words}`)
    }
    for (const order of delivered)
      findings.push(...judgeAnswers(order, eventLog.attemptsOf(order), payment?.transaction))
    if (payment !== undefined) findings.push(...verifyCaptured(sharing, payment))
  }
  return findings
}

/** Every 200 of an order is the first one, to the byte, and names the transaction that paid. */
function judgeAnswers(
  { jobId }: StormOrder,
  attempts: readonly Attempt[],
  paidIn: string | undefined,
): readonly string[] {
  const answers = attempts.flatMap(({ answer }) => (answer?.status === 200 ? [answer] : []))
  const bodies = new Set(answers.map(({ body }) => body))
  const receipts = new Set(answers.map(({ headers }) => String(headers['payment-response'] ?? '')))
  const findings: string[] = []
  if (bodies.size > 1) findings.push(`${jobId} was answered 200 with ${bodies.size} different bodies`)
  if (!answers[0]?.body.includes(`"text":"${jobId}"`))
    findings.push(`${jobId} was answered with another job's output`)
  for (const receipt of receipts) {
    const { transaction } = (decodeHeader(receipt) ?? {}) as { transaction?: unknown }
    if (paidIn !== undefined && transaction !== paidIn)
      findings.push(`${jobId}: its receipt names ${String(transaction)}, it was paid in ${paidIn}`)
  }
  return findings
}

/** What was moved is what was signed. */
function verifyCaptured([first]: readonly StormOrder[], payment: ChainPayment): readonly string[] {
  if (first === undefined) return []
  const { to, value } = first.authorization
  return to.toLowerCase() === payment.to && BigInt(value) === payment.valueAtomic
    ? []
    : [`${first.jobId}: ${payment.valueAtomic} moved to ${payment.to}, ${value} to ${to} was signed`]
}
