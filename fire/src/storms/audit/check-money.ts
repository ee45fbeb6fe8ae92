import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { firstSuccess, type EventLog, type StormOrder } from '../event-log.ts'
import { groupBy } from './group-by.ts'
import { groupPayments, type ChainPayment, type ChainRecord } from './read-chain.ts'

/** Money against jobs. */
export interface MoneyVerdict {
  /** Orders that were answered 200. */
  readonly completed: number
  /** Payments of these orders on the chain. */
  readonly paid: number
  readonly findings: readonly string[]
}

/**
 * Money moved = jobs completed (I1, I2, I3, I4): in each group of orders at most one payment, and it has bought exactly
 * one job; a job that was delivered has been paid for, by the transaction its receipt names; all its answers are the
 * same bytes.
 */
export function checkMoney(
  eventLog: EventLog,
  orders: readonly StormOrder[],
  chain: ChainRecord,
): MoneyVerdict {
  const findings: string[] = []
  let completed = 0
  let paid = 0
  const paymentsOf = groupPayments(chain)
  for (const [group, sharing] of groupBy(orders, order => order.group)) {
    const payments = paymentsOf(group)
    const payment = payments[0]?.[1]
    const delivered = sharing.filter(({ jobId }) => firstSuccess(eventLog.attemptsOf(jobId)) !== undefined)
    completed += delivered.length
    paid += payments.length
    const jobs = sharing.map(({ jobId }) => jobId).join(', ')
    if (payments.length > 1) findings.push(`paid ${payments.length} times: ${jobs}`)
    if (delivered.length > 1) findings.push(`one payment bought ${delivered.length} jobs: ${jobs}`)
    if (payment === undefined && delivered.length > 0) findings.push(`delivered without a payment: ${jobs}`)
    if (payment !== undefined && delivered.length === 0)
      findings.push(
        `paid in ${payment.transaction} and never delivered: ${jobs}, ${lastWords(eventLog, sharing)}`,
      )
    for (const order of delivered) findings.push(...judgeAnswers(eventLog, order, payment))
    if (payment !== undefined) findings.push(...verifyCaptured(sharing, payment))
  }
  return { completed, paid, findings }
}

/** Every 200 of an order is the first one, to the byte, and names the transaction that paid. */
function judgeAnswers(
  eventLog: EventLog,
  { jobId }: StormOrder,
  payment: ChainPayment | undefined,
): readonly string[] {
  const attempts = eventLog.attemptsOf(jobId)
  const first = firstSuccess(attempts)
  if (first === undefined) return []
  const others = attempts.filter(({ answer }) => answer?.status === 200 && answer.body !== first.body).length
  const receipts = new Set(attempts.flatMap(({ answer }) => (answer?.status === 200 ? [answer.receipt] : [])))
  const findings: string[] = []
  if (others > 0) findings.push(`${jobId} was answered 200 with ${others} other bodies than the first`)
  if (!first.body.includes(`"text":"${jobId}"`))
    findings.push(`${jobId} was answered with another job's output`)
  for (const receipt of receipts) {
    const { transaction } = (decodeHeader(receipt) ?? {}) as { transaction?: unknown }
    if (payment !== undefined && transaction !== payment.transaction)
      findings.push(
        `${jobId}: its receipt names ${String(transaction)}, it was paid in ${payment.transaction}`,
      )
  }
  return findings
}

/** What was moved is what was signed. */
function verifyCaptured(sharing: readonly StormOrder[], payment: ChainPayment): readonly string[] {
  const [first] = sharing
  if (first === undefined) return []
  const { to, value } = first.authorization
  return to === payment.to && BigInt(value) === payment.valueAtomic
    ? []
    : [`${first.jobId}: ${payment.valueAtomic} moved to ${payment.to}, ${value} to ${to} was signed`]
}

function lastWords(eventLog: EventLog, orders: readonly StormOrder[]): string {
  const last = orders.flatMap(({ jobId }) => eventLog.attemptsOf(jobId)).at(-1)
  return last?.answer === undefined
    ? 'no answer'
    : `HTTP ${last.answer.status} ${last.answer.body.slice(0, 160)}`
}
