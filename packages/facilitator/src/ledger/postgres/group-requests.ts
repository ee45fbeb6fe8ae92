import type { Clock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { batchCalls } from '../../batch-calls.ts'

/** Large enough for a burst to take one round trip, small enough not to hold its locks for long. */
const LIMITS = { atMost: 100, inFlight: 4 }

interface Waiting<Request, Outcome> {
  readonly request: Request
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs requests one by one for the caller and in groups for the database, which then flushes its write-ahead log once for a
 * group. Requests of one turn of the event loop form a group, and so do requests that arrive while others are in progress; a
 * single one runs at once.
 *
 * If the database rejects a group, each of its requests is run alone, so that a request fails only because of itself. That
 * is safe because `run` is one transaction, rolled back when it fails, and may be repeated.
 *
 * @param run - carries out requests in one transaction; resolves to their outcomes in the same order
 * @returns carries out one request; rejects as `run` does
 */
export function groupRequests<Request, Outcome>(
  clock: Clock,
  run: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
): (request: Request) => Promise<Outcome> {
  const send = batchCalls<Waiting<Request, Outcome>>(clock, LIMITS, group => runGroup(run, group))
  let turn: Waiting<Request, Outcome>[] = []
  return request =>
    new Promise((resolve, reject) => {
      if (turn.length === 0) {
        setImmediate(() => {
          const arrived = turn
          turn = []
          send(arrived)
        })
      }
      turn.push({ request, resolve, reject })
    })
}

/** Never rejects: every request of the group gets the result or the error. */
async function runGroup<Request, Outcome>(
  run: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
  group: readonly Waiting<Request, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await run(group.map(one => one.request))
    if (outcomes.length !== group.length)
      throw new Error(`the database gave ${outcomes.length} outcomes to ${group.length} requests`)
    group.forEach((one, index) => {
      // The number of outcomes was checked above.
      one.resolve(outcomes[index] as Outcome)
    })
  } catch (error) {
    // A `DatabaseError` is a rejection by the database; any other error means a broken connection, which affects all
    // requests alike.
    if (group.length > 1 && error instanceof pg.DatabaseError) {
      await Promise.all(group.map(one => runGroup(run, [one])))
      return
    }
    for (const one of group) one.reject(error)
  }
}
