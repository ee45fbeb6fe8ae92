import { PROBE } from '../history/probe-everything.ts'
import { deadlineOf, type Send } from '../records/send-records.ts'
import { isMovedByUs, wasForgottenInFlight, type Evidence, type Violation } from './verdict.ts'

const FAILURES: ReadonlySet<number> = new Set([400, 402, 408, 500])

/** The answer to one who joined a run and asked for an earlier deadline than it has (D23): it says so. */
const JOINED_TOO_SHORT = 'an earlier request for this job is still running'

/**
 * I5: 400, 402, 408 and 500 mean that nothing was charged, and that nothing will be: to a caller who hears one,
 * has no other request for the same job and payment under way, and makes none afterwards. Left out is what was written
 * down as refused while a facilitator had forgotten its transaction on the way.
 */
export function* failureIsFree(evidence: Evidence): Iterable<Violation> {
  const { world } = evidence
  for (const [job, history] of world.jobs.all()) {
    // What a store forgot it cannot tell.
    if (history.hasLostWrites) continue
    for (const payment of new Set(history.saved.map(saved => saved.payment))) {
      if (!isMovedByUs(evidence, payment)) continue
      if (wasForgottenInFlight(evidence, payment, history.refusedMs.get(payment))) continue
      const claimedMs = history.saved.findLast(saved => saved.payment === payment)?.claimedMs ?? 0
      const sends = world.sends.all().filter(send => send.job === job && send.payment === payment)
      for (const send of sends) {
        if (!isLie(send, sends, claimedMs)) continue
        yield {
          invariant: 'I5',
          message: `${job} was answered ${send.seen?.status} ${send.seen?.text}, but ${payment} was charged for it`,
        }
      }
    }
  }
}

function isLie(send: Send, sends: readonly Send[], claimedMs: number): boolean {
  const { seen } = send
  if (seen === undefined || !FAILURES.has(seen.status) || send.isForged) return false
  // A failure is not kept, so that the same call may be made again: whoever claims the job later begins anew.
  if (claimedMs >= seen.saidMs && send.caller !== PROBE) return false
  const isShorter = (): boolean => sends.some(other => deadlineOf(other) > deadlineOf(send))
  if (seen.text.includes(JOINED_TOO_SHORT) && isShorter()) return false
  return !sends.some(other => other !== send && isOpenAt(other, seen.saidMs))
}

/** Its caller still waited for an answer then. */
function isOpenAt({ sentMs, seen, givenUpMs }: Send, atMs: number): boolean {
  if (sentMs > atMs) return false
  const endedMs = Math.min(seen?.heardMs ?? Number.POSITIVE_INFINITY, givenUpMs ?? Number.POSITIVE_INFINITY)
  return endedMs > atMs
}
