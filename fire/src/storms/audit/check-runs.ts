import { readFile } from 'node:fs/promises'
import type { EventLog, StormOrder } from '../event-log.ts'
import { groupBy } from './group-by.ts'

/** One run of a handler, as it recorded itself. */
interface HandlerRun {
  readonly jobId: string
  readonly run: string
  readonly pid: number
  /** Unix milliseconds: when it began. */
  readonly atMs: number
}

/** How often handlers ran, and why more than once. */
export interface RunsVerdict {
  readonly runs: number
  /** Runs that had to be done again, because the process that did them was killed. */
  readonly afterKill: number
  /** … because the caller had been told that it failed, and asked again (D24). */
  readonly afterFailure: number
  /** … because Redis was killed, or stood still, before the result was safe. */
  readonly afterStoreTrouble: number
  /** … because the process that did them stood still until its lease was over. */
  readonly afterFreeze: number
  readonly findings: readonly string[]
}

type Excuse = 'afterKill' | 'afterFailure' | 'afterStoreTrouble' | 'afterFreeze'

/** Between the moment noted for a kill and the end of the process. */
const KILL_TAKES_MS = 100

/** A handler runs once for a job (I6), unless what it did was lost with its process or its store. */
export function checkRuns(
  eventLog: EventLog,
  orders: readonly StormOrder[],
  runs: ReadonlyMap<string, readonly HandlerRun[]>,
): RunsVerdict {
  const counts = { afterKill: 0, afterFailure: 0, afterStoreTrouble: 0, afterFreeze: 0 }
  const findings: string[] = []
  let total = 0
  for (const { jobId } of orders) {
    const own = runs.get(jobId) ?? []
    total += own.length
    for (const [index, run] of own.entries()) {
      const next = own[index + 1]
      if (next === undefined) continue
      const excuse = findExcuse(eventLog, run, next)
      if (excuse !== undefined) counts[excuse] += 1
      else findings.push(`${jobId} ran again ${next.atMs - run.atMs} ms after a run that nothing had undone`)
    }
  }
  return { runs: total, ...counts, findings }
}

function findExcuse(eventLog: EventLog, run: HandlerRun, next: HandlerRun): Excuse | undefined {
  const within = (atMs: number): boolean => atMs >= run.atMs - KILL_TAKES_MS && atMs <= next.atMs
  if (eventLog.kills.some(({ pid, atMs }) => pid === run.pid && within(atMs))) return 'afterKill'
  const isTold = eventLog
    .attemptsOf(run.jobId)
    .some(
      ({ answer, endedMs }) =>
        answer !== undefined && answer.status >= 400 && answer.status !== 503 && within(endedMs),
    )
  if (isTold) return 'afterFailure'
  const stoodStill = eventLog.freezes.filter(({ atMs, untilMs }) => untilMs >= run.atMs && atMs <= next.atMs)
  if (stoodStill.some(({ pid }) => pid === run.pid)) return 'afterFreeze'
  const hasStoreTrouble =
    stoodStill.some(({ kind }) => kind === 'redis') ||
    eventLog.kills.some(({ kind, atMs }) => kind === 'redis' && within(atMs))
  return hasStoreTrouble ? 'afterStoreTrouble' : undefined
}

/** All runs by job, in the order in which they began. */
export async function readRuns(file: string): Promise<ReadonlyMap<string, readonly HandlerRun[]>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  // Only our own handler writes this file.
  const runs = text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as HandlerRun]))
  return groupBy(runs, ({ jobId }) => jobId)
}
