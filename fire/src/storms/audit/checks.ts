import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { authorizationKey, firstSuccess, type Attempt, type StormOrder } from '../event-log.ts'
import type { Evidence, HandlerRun } from './evidence.ts'
import { paymentsFor } from './read-chain.ts'

type Check = (evidence: Evidence) => readonly string[]

/** Answers that say: nothing was charged, and for this attempt nothing will be (I5). */
const FAILURES = new Set([400, 402, 408, 500])
/** States in which a payment was not charged and, without its agent, will not be. */
const UNCHARGED = new Set(['held', 'released', 'expired', 'failed'])
/** Between the moment noted for a kill and the end of the process. */
const KILL_TAKES_MS = 100
/** From a store that is back until an agent has connected to it again, and has looked at its settings. */
const RECONNECT_MS = 3_000

export function isFailure({ answer }: Attempt): boolean {
  return answer !== undefined && FAILURES.has(answer.status)
}

/**
 * Money moved = jobs completed (I1, I2, I3, I4): in each group of orders at most one payment, and it has bought exactly
 * one job; a job that was delivered has been paid for, by the transaction its receipt names, as it was signed; all its
 * answers are the same bytes.
 */
const checkMoney: Check = ({ orders, chain }) => {
  const findings: string[] = []
  for (const group of new Set(orders.map(order => order.group))) {
    const sharing = orders.filter(order => order.group === group)
    const payments = paymentsFor({ group }, chain)
    const [payment] = payments
    const delivered = sharing.filter(order => firstSuccess(order) !== undefined)
    const jobs = sharing.map(({ jobId }) => jobId).join(', ')
    if (payments.length > 1) findings.push(`paid ${payments.length} times: ${jobs}`)
    if (delivered.length > 1) findings.push(`one payment bought ${delivered.length} jobs: ${jobs}`)
    if (payment === undefined && delivered.length > 0) findings.push(`delivered without a payment: ${jobs}`)
    if (payment !== undefined && delivered.length === 0) {
      const last = sharing.flatMap(({ attempts }) => attempts).at(-1)
      findings.push(`paid in ${payment.transaction} and never delivered: ${jobs}, ${wordsOf(last)}`)
    }
    for (const order of delivered) findings.push(...judgeAnswers(order, payment?.transaction))
    const { to = '', value = 0 } = sharing[0]?.authorization ?? {}
    if (payment !== undefined && (to.toLowerCase() !== payment.to || BigInt(value) !== payment.valueAtomic))
      findings.push(`${payment.valueAtomic} moved to ${payment.to}, ${value} to ${to} was signed: ${jobs}`)
  }
  return findings
}

/** Every 200 of an order is the first one, to the byte, and names the transaction that paid. */
function judgeAnswers({ jobId, attempts }: StormOrder, paidIn: string | undefined): readonly string[] {
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

/**
 * Truthful failures (I5): a failure was told only where the order's money had not moved by then, and did not move
 * afterwards either, unless the caller sent the order again.
 */
const checkTruth: Check = ({ orders, chain, seenMs }) =>
  orders.flatMap(order => {
    const movedMs = seenMs.get(paymentsFor(order, chain)[0]?.key ?? '')
    // Of orders that share a payment it paid the one that was delivered; to the others it was rightly refused.
    if (movedMs === undefined || firstSuccess(order) === undefined) return []
    return order.attempts.filter(isFailure).flatMap(attempt => {
      const lie = findLie(attempt, order.attempts, movedMs)
      return lie === undefined ? [] : [`${order.jobId}: ${attempt.agent} said ${wordsOf(attempt)}, ${lie}`]
    })
  })

function findLie({ endedMs }: Attempt, all: readonly Attempt[], movedMs: number): string | undefined {
  if (movedMs <= endedMs) return `${endedMs - movedMs} ms after its money had moved`
  const isSentAgain = all.some(other => other.endedMs > endedMs && other.sentMs <= movedMs)
  return isSentAgain ? undefined : `and its money moved ${movedMs - endedMs} ms later`
}

/**
 * A handler runs once for a job (I6), unless what it did was lost with its process or its store, or the caller had been
 * told that it failed and asked again (D24). What was delivered is never run again: no store loses what it acknowledged.
 */
const checkRuns: Check = evidence =>
  evidence.orders.flatMap(order => {
    const own = evidence.runs.filter(({ jobId }) => jobId === order.jobId)
    return own.flatMap((run, index) => {
      const next = own[index + 1]
      return next === undefined || isExcused(evidence, order, run, next)
        ? []
        : [
            `${order.jobId} ran again ${next.atMs - run.atMs} ms after a run that nothing had undone; ` +
              `away before that: ${outagesBefore(evidence, next)}`,
          ]
    })
  })

/** For who looks for the reason: what was away, in milliseconds from the second run. */
function outagesBefore({ eventLog }: Evidence, { atMs }: HandlerRun): string {
  return eventLog.outages
    .filter(outage => outage.atMs <= atMs && outage.untilMs >= atMs - 20_000)
    .map(outage => `${outage.name} ${outage.atMs - atMs} to ${outage.untilMs - atMs}`)
    .join(', ')
}

function isExcused({ eventLog }: Evidence, order: StormOrder, run: HandlerRun, next: HandlerRun): boolean {
  const isDelivered = order.attempts.some(
    ({ answer, endedMs }) => answer?.status === 200 && endedMs < next.atMs,
  )
  if (isDelivered) return false
  const fromMs = run.atMs - KILL_TAKES_MS
  const isLost = eventLog.outages.some(
    ({ kind, pid, agents, atMs, untilMs }) =>
      atMs <= next.atMs &&
      (kind === 'redis'
        ? untilMs + RECONNECT_MS >= fromMs && (agents?.includes(order.attempts[0]?.agent ?? '') ?? true)
        : pid === run.pid && untilMs >= fromMs),
  )
  const failures = order.attempts.filter(isFailure)
  // Another agent may run it before the line is read.
  const isUnkept = order.unkeptMs.some(ms => ms >= fromMs)
  return isLost || isUnkept || failures.some(({ endedMs }) => endedMs >= fromMs && endedMs <= next.atMs)
}

/**
 * An agent answers each request that it began to execute, unless it is killed (S12, D32). One that got no answer and was
 * never begun was not accepted: its connection, or the port, was being closed.
 */
const checkDropped: Check = ({ eventLog, orders }) =>
  orders.flatMap(({ jobId, attempts, begunBy }) =>
    [...new Set(attempts.map(({ agent }) => agent))].flatMap(agent => {
      const sent = attempts.filter(attempt => attempt.agent === agent)
      const wasKilled = eventLog.outages.some(
        ({ name, atMs }) => name === agent && sent.some(({ sentMs }) => sentMs <= atMs),
      )
      const unanswered = sent.filter(({ trouble }) => trouble !== '' && !trouble.includes('ECONNREFUSED'))
      // An answer that the agent shuts down is given without executing the job.
      const answered = sent.filter(({ answer }) => answer && !answer.body.includes('shutting down'))
      const begun = begunBy.filter(name => name === agent).length - answered.length
      return !wasKilled && Math.min(begun, unanswered.length) > 0
        ? [`${agent} took ${jobId} and never answered: ${unanswered[0]?.trouble}`]
        : []
    }),
  )

/** The ledger is the chain, row by row (I7): what moved is settled, as it moved, and nothing else is. */
const checkLedger: Check = ({ ledger, chain }) => {
  const findings: string[] = []
  const payments = new Map(chain.payments.map(payment => [payment.key, payment]))
  for (const row of ledger) {
    const key = authorizationKey(row.payer, row.nonce)
    const payment = payments.get(key)
    payments.delete(key)
    if (payment === undefined) {
      if (!UNCHARGED.has(row.state))
        findings.push(`the ledger has ${key} as ${row.state}, the chain has nothing`)
      continue
    }
    const had = `${row.state} in ${row.transaction_hash.toLowerCase()}, block ${row.block_number}: ${row.value} to ${row.pay_to}`
    const { transaction, blockNumber, valueAtomic, to } = payment
    const moved = `settled in ${transaction}, block ${blockNumber}: ${valueAtomic} to ${to}`
    if (had !== moved) findings.push(`the ledger has ${key} as ${had}; on the chain it is ${moved}`)
  }
  for (const { key, transaction } of payments.values())
    findings.push(`the chain has ${key} in ${transaction}, the ledger has no row`)
  return findings
}

/** Nothing on the chain that cannot be, and no money that nobody of ours moved. */
const checkChain: Check = ({ eventLog, chain }) => {
  const known = new Set([...eventLog.orders.values()].map(({ group }) => group))
  const strange = chain.payments.filter(({ key, payer }) => !known.has(key) && !known.has(payer))
  const words = strange.map(
    ({ key, transaction }) => `${key} was paid in ${transaction}, and nobody ordered anything for it`,
  )
  return [...chain.oddities, ...words]
}

export const CHECKS: readonly Check[] = [
  checkMoney,
  checkTruth,
  checkRuns,
  checkDropped,
  checkLedger,
  checkChain,
]

function wordsOf(attempt: Attempt | undefined): string {
  const { answer } = attempt ?? {}
  return answer === undefined ? 'no answer' : `HTTP ${answer.status} ${answer.body.slice(0, 160)}`
}
