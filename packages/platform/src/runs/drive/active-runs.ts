import type { JobOutcome } from '../../notifier.ts'
import type { KeptOn } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'

/** The runs that this process drives now, and those that it keeps leased while their jobs are under way. */
export interface ActiveRuns {
  /** Ids of the runs that are being driven now. */
  readonly driven: readonly string[]
  /** How many of those were just taken from the database. */
  readonly taken: number
  /** Drives a run that was just taken from the database. */
  take(run: RunRow): void
  /**
   * Drives a kept run with the outcome of one of its jobs.
   *
   * @returns false where this process does not have the run
   */
  deliver(outcome: JobOutcome): boolean
  /** Whether there is memory to keep one more. */
  mayKeep(run: RunRow): boolean
  /** Forgets the runs that were not driven since then, and returns which are still kept. */
  keepSince(ms: number): { readonly kept: readonly KeptOn[]; readonly forgotten: readonly string[] }
  /** Drives no more runs, and resolves when those under way are done. */
  stop(): Promise<void>
}

/** A run that was driven and is kept. */
export interface DrivenRun {
  readonly run: RunRow
  /** When it is due even without an outcome; undefined: not before one. */
  readonly dueAtMs: number | undefined
}

/** How runs are driven. */
export interface RunDriver {
  nowMs(): number
  /**
   * Drives a run once. Does not reject.
   *
   * @param outcomes undefined: the run was just taken
   * @returns the run where it is kept
   */
  drive(run: RunRow, outcomes: readonly JobOutcome[] | undefined): Promise<DrivenRun | undefined>
  /** Outcomes arrived for a run that is not kept any more: it must be driven again from the database. */
  missed(runId: string): void
  /** A run that was taken has been driven. */
  left(): void
  /** How many kept runs are driven at a time. */
  readonly slots: number
}

interface ActiveRun {
  /** As it was last written. */
  run: RunRow
  /** As of {@link DrivenRun}. */
  dueAtMs: number | undefined
  isDriven: boolean
  drivenAtMs: number
  outcomes: JobOutcome[]
}

/** The most characters of one kept run, and of all together. */
const MAX_RUN_CHARACTERS = 131_072
const MAX_CHARACTERS = 64 * 1_048_576

/** Starts without runs. */
export function createActiveRuns(driver: RunDriver): ActiveRuns {
  const runs = new Map<string, ActiveRun>()
  /** Kept runs with outcomes, by origin. Origins take turns; the runs of one are in order of arrival. */
  const waiting = new Map<string, Set<ActiveRun>>()
  const underWay = new Set<Promise<void>>()
  let taken = 0
  let resumed = 0
  let characters = 0
  let isStopped = false

  const wait = (one: ActiveRun): void => {
    const origin = originOf(one.run)
    waiting.set(origin, (waiting.get(origin) ?? new Set()).add(one))
  }
  const drive = async (one: ActiveRun, outcomes: readonly JobOutcome[] | undefined): Promise<void> => {
    const { runId } = one.run
    one.isDriven = true
    const kept = await driver.drive(one.run, outcomes)
    characters -= sizeOfRun(one.run)
    one.isDriven = false
    if (kept === undefined) {
      runs.delete(runId)
      if (one.outcomes.length > 0) driver.missed(runId)
      return
    }
    one.run = kept.run
    one.dueAtMs = kept.dueAtMs
    one.drivenAtMs = driver.nowMs()
    characters += sizeOfRun(kept.run)
    if (one.outcomes.length > 0) wait(one)
  }
  const begin = (work: Promise<void>, ended: () => void): void => {
    const counted = work.then(() => {
      underWay.delete(counted)
      ended()
      driveWaiting()
    })
    underWay.add(counted)
  }
  const driveWaiting = (): void => {
    for (const [origin, ones] of waiting) {
      if (resumed >= driver.slots || isStopped) return
      waiting.delete(origin)
      const [one] = ones
      if (one === undefined) continue
      ones.delete(one)
      // The next turn of this origin comes after those of all others.
      if (ones.size > 0) waiting.set(origin, ones)
      resumed += 1
      begin(drive(one, one.outcomes.splice(0)), () => (resumed -= 1))
    }
  }
  return {
    get driven() {
      return [...runs.values()].flatMap(({ run, isDriven }) => (isDriven ? [run.runId] : []))
    },
    get taken() {
      return taken
    },
    take(run) {
      const known = runs.get(run.runId)
      if (known !== undefined) {
        if (known.isDriven) {
          // The look began before it was known that the run is taken, and may not find what made it due.
          known.outcomes.push({ runId: run.runId, jobId: '', body: undefined })
          return
        }
        characters -= sizeOfRun(known.run)
        waiting.get(originOf(known.run))?.delete(known)
      }
      const one = { run, dueAtMs: undefined, isDriven: true, drivenAtMs: driver.nowMs(), outcomes: [] }
      runs.set(run.runId, one)
      characters += sizeOfRun(run)
      taken += 1
      begin(drive(one, undefined), () => {
        taken -= 1
        driver.left()
      })
    },
    deliver(outcome) {
      const one = runs.get(outcome.runId)
      if (one === undefined || isStopped) return false
      one.outcomes.push(outcome)
      if (!one.isDriven) wait(one)
      driveWaiting()
      return true
    },
    mayKeep: run => !isStopped && sizeOfRun(run) <= MAX_RUN_CHARACTERS && characters <= MAX_CHARACTERS,
    keepSince(ms) {
      const forgotten: string[] = []
      for (const [runId, { run, isDriven, drivenAtMs, outcomes }] of runs) {
        if (isDriven || outcomes.length > 0 || drivenAtMs >= ms) continue
        runs.delete(runId)
        characters -= sizeOfRun(run)
        forgotten.push(runId)
      }
      const kept = [...runs].map(([runId, { dueAtMs }]) => ({ runId, dueAtMs }))
      return { kept, forgotten }
    },
    async stop() {
      isStopped = true
      await Promise.all(underWay)
    },
  }
}
