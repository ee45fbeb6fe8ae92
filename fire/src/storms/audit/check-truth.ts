import { firstSuccess, type Attempt, type EventLog, type StormOrder } from '../event-log.ts'
import { groupPayments, type ChainRecord } from './read-chain.ts'

/** Answers that say: nothing was charged, and for this attempt nothing will be (I5). */
const FAILURES = new Set([400, 402, 408, 500])

/** Failures told, and how many of them were lies about money. */
export interface TruthVerdict {
  readonly failures: number
  readonly findings: readonly string[]
}

/**
 * Truthful failures (I5): a failure was told only where the order's money had not moved by then, and did not move
 * afterwards either, unless the caller sent the order again.
 *
 * @param seenMs when each payment was first seen in a block, by authorization
 */
export function checkTruth(
  eventLog: EventLog,
  orders: readonly StormOrder[],
  chain: ChainRecord,
  seenMs: ReadonlyMap<string, number>,
): TruthVerdict {
  const findings: string[] = []
  let failures = 0
  const paymentsOf = groupPayments(chain)
  for (const order of orders) {
    const { jobId } = order
    const attempts = eventLog.attemptsOf(jobId)
    const failed = attempts.filter(({ answer }) => answer !== undefined && FAILURES.has(answer.status))
    failures += failed.length
    const movedMs = seenMs.get(paymentsOf(order.group)[0]?.[0] ?? '')
    // Of orders that share a payment it paid the one that was delivered; to the others it was rightly refused.
    if (movedMs === undefined || firstSuccess(attempts) === undefined) continue
    for (const attempt of failed) {
      const lie = findLie(attempt, attempts, movedMs)
      if (lie !== undefined) findings.push(`${jobId}: ${lie}`)
    }
  }
  return { failures, findings }
}

function findLie(attempt: Attempt, all: readonly Attempt[], movedMs: number): string | undefined {
  const { agent, endedMs, answer } = attempt
  const said = `${agent} said HTTP ${answer?.status} ${answer?.body.slice(0, 160) ?? ''}`
  if (movedMs <= endedMs) return `${said}, ${endedMs - movedMs} ms after its money had moved`
  const isSentAgain = all.some(other => other.endedMs > endedMs && other.sentMs <= movedMs)
  return isSentAgain ? undefined : `${said}, and its money moved ${movedMs - endedMs} ms later`
}
