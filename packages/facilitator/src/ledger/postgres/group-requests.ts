import type { Clock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { batchCalls } from '../../batch-calls.ts'

/** Enough that a burst takes one round trip, few enough that it does not hold its locks for long. */
const LIMITS = { atMost: 100, inFlight: 4 }

interface Waiting<Request, Outcome> {
  readonly request: Request
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Carries out requests one by one for the caller and many at a time for the database, which then writes its log to
 * disk once for all of them. Those of one turn of the event loop go together, and so do those that arrive while
 * others are under way; a lone one goes at once.
 *
 * Where the database refuses a group, each of it is carried out alone: a request may fail by its own fault only. That
 * is safe because `run` is one transaction, undone when it fails, and may be repeated.
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

/** Never rejects: everybody of the group is told. */
async function runGroup<Request, Outcome>(
  run: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
  group: readonly Waiting<Request, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await run(group.map(one => one.request))
    if (outcomes.length !== group.length)
      throw new Error(`the database gave ${outcomes.length} outcomes to ${group.length} requests`)
    group.forEach((one, index) => {
      // As many as there are, which was just seen.
      one.resolve(outcomes[index] as Outcome)
    })
  } catch (error) {
    // The database's own no; without one the connection broke, for all alike.
    if (group.length > 1 && error instanceof pg.DatabaseError) {
      await Promise.all(group.map(one => runGroup(run, [one])))
      return
    }
    for (const one of group) one.reject(error)
  }
}
