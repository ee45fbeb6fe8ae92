import { firstSuccess, type Attempt } from '../event-log.ts'
import type { Evidence } from './evidence.ts'
import { paymentsFor } from './read-chain.ts'

/** Answers that say: nothing was charged, and for this attempt nothing will be (I5). */
const FAILURES = new Set([400, 402, 408, 500])

export function isFailure({ answer }: Attempt): boolean {
  return answer !== undefined && FAILURES.has(answer.status)
}

/**
 * Truthful failures (I5): a failure was told only where the order's money had not moved by then, and did not move
 * afterwards either, unless the caller sent the order again.
 */
export function checkTruth({ eventLog, orders, chain, seenMs }: Evidence): readonly string[] {
  return orders.flatMap(order => {
    const attempts = eventLog.attemptsOf(order)
    const movedMs = seenMs.get(paymentsFor(order, chain)[0]?.key ?? '')
    // Of orders that share a payment it paid the one that was delivered; to the others it was rightly refused.
    if (movedMs === undefined || firstSuccess(attempts) === undefined) return []
    return attempts.flatMap(attempt => {
      const lie = isFailure(attempt) ? findLie(attempt, attempts, movedMs) : undefined
      return lie === undefined ? [] : [`${order.jobId}: ${lie}`]
    })
  })
}

function findLie(attempt: Attempt, all: readonly Attempt[], movedMs: number): string | undefined {
  const { agent, endedMs, answer } = attempt
  const said = `${agent} said HTTP ${answer?.status} ${answer?.body.slice(0, 160) ?? ''}`
  if (movedMs <= endedMs) return `${said}, ${endedMs - movedMs} ms after its money had moved`
  const isSentAgain = all.some(other => other.endedMs > endedMs && other.sentMs <= movedMs)
  return isSentAgain ? undefined : `${said}, and its money moved ${movedMs - endedMs} ms later`
}
