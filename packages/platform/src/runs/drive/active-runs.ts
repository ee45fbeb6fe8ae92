import type { JobOutcome } from '../../work/due-work.ts'
import { createFairQueue } from '../../work/fair-queue.ts'
import type { KeptOn } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'

/** The runs that this process drives now, and those that it keeps leased while their jobs are under way. */
export interface ActiveRuns {
  /** Ids of the runs that are being driven now. */
  readonly driven: readonly string[]
  /** Drives a run that was just taken from the database, once. */
  take(run: RunRow): Promise<void>
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
  /** Drives no more runs, and resolves when those that outcomes came for are done. */
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
  const memory = createRunMemory()
  /** Kept runs with outcomes: origins take turns. */
  const waiting = createFairQueue<ActiveRun>()
  const resumed = new Set<Promise<void>>()
  let isStopped = false

  const drive = async (one: ActiveRun, outcomes: readonly JobOutcome[] | undefined): Promise<void> => {
    one.isDriven = true
    const kept = await driver.drive(one.run, outcomes)
    one.isDriven = false
    if (kept !== undefined) {
      memory.remember(Object.assign(one, { dueAtMs: kept.dueAtMs, drivenAtMs: driver.nowMs() }), kept.run)
      if (one.outcomes.length > 0) waiting.add(originOf(one.run), one)
      return
    }
    memory.forget(one)
    if (one.outcomes.length > 0) driver.missed(one.run.runId)
  }
  const driveWaiting = (): void => {
    const next = (): ActiveRun | undefined =>
      resumed.size < driver.slots && !isStopped ? waiting.next() : undefined
    for (let one = next(); one !== undefined; one = next()) {
      const driven = drive(one, one.outcomes.splice(0)).then(() => {
        resumed.delete(driven)
        driveWaiting()
      })
      resumed.add(driven)
    }
  }
  return {
    get driven() {
      return memory.all().flatMap(({ run, isDriven }) => (isDriven ? [run.runId] : []))
    },
    async take(run) {
      const known = memory.find(run.runId)
      if (known?.isDriven === true) {
        // The look began before it was known that the run is taken, and may not find what made it due.
        known.outcomes.push({ runId: run.runId, jobId: '', body: undefined })
        return
      }
      if (known !== undefined) {
        memory.forget(known)
        waiting.delete(originOf(known.run), known)
      }
      const one = { run, dueAtMs: undefined, isDriven: true, drivenAtMs: driver.nowMs(), outcomes: [] }
      memory.remember(one, run)
      await drive(one, undefined)
      driveWaiting()
    },
    deliver(outcome) {
      const one = memory.find(outcome.runId)
      if (one === undefined || isStopped) return false
      one.outcomes.push(outcome)
      if (!one.isDriven) waiting.add(originOf(one.run), one)
      driveWaiting()
      return true
    },
    mayKeep: run => !isStopped && memory.hasRoom(run),
    keepSince: ms => memory.keepSince(ms),
    async stop() {
      isStopped = true
      await Promise.all(resumed)
    },
  }
}

interface RunMemory extends Pick<ActiveRuns, 'keepSince'> {
  all(): readonly ActiveRun[]
  find(runId: string): ActiveRun | undefined
  /** Keeps a run as it is now. */
  remember(one: ActiveRun, run: RunRow): void
  forget(one: ActiveRun): void
  hasRoom(run: RunRow): boolean
}

function createRunMemory(): RunMemory {
  const runs = new Map<string, ActiveRun>()
  let characters = 0
  const forget = (one: ActiveRun): void => {
    if (runs.delete(one.run.runId)) characters -= sizeOfRun(one.run)
  }
  return {
    all: () => [...runs.values()],
    find: runId => runs.get(runId),
    remember(one, run) {
      forget(one)
      one.run = run
      runs.set(run.runId, one)
      characters += sizeOfRun(run)
    },
    forget,
    hasRoom: run => sizeOfRun(run) <= MAX_RUN_CHARACTERS && characters <= MAX_CHARACTERS,
    keepSince(ms) {
      const old = [...runs.values()].filter(
        ({ isDriven, drivenAtMs, outcomes }) => !isDriven && outcomes.length === 0 && drivenAtMs < ms,
      )
      for (const one of old) forget(one)
      const kept = [...runs].map(([runId, { dueAtMs }]) => ({ runId, dueAtMs }))
      return { kept, forgotten: old.map(({ run }) => run.runId) }
    },
  }
}
