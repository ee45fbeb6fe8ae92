import type { EventLog, StormOrder } from '../event-log.ts'
import { isFailure } from './check-truth.ts'
import type { Evidence, HandlerRun } from './evidence.ts'

/** Between the moment noted for a kill and the end of the process. */
const KILL_TAKES_MS = 100

/**
 * A handler runs once for a job (I6), unless what it did was lost with its process or its store, or the caller had been
 * told that it failed and asked again (D24).
 */
export function checkRuns({ eventLog, orders, runs }: Evidence): readonly string[] {
  return orders.flatMap(order => {
    const own = runs.filter(({ jobId }) => jobId === order.jobId)
    return own.flatMap((run, index) => {
      const next = own[index + 1]
      return next === undefined || isExcused(eventLog, order, run, next)
        ? []
        : [`${order.jobId} ran again ${next.atMs - run.atMs} ms after a run that nothing had undone`]
    })
  })
}

function isExcused(eventLog: EventLog, order: StormOrder, run: HandlerRun, next: HandlerRun): boolean {
  const isLost = eventLog.outages.some(
    ({ kind, pid, atMs, untilMs }) =>
      (pid === run.pid || kind === 'redis') && untilMs >= run.atMs - KILL_TAKES_MS && atMs <= next.atMs,
  )
  const isTold = (endedMs: number): boolean => endedMs >= run.atMs - KILL_TAKES_MS && endedMs <= next.atMs
  return isLost || eventLog.attemptsOf(order).some(attempt => isFailure(attempt) && isTold(attempt.endedMs))
}
