import type { JobOutcome } from '../../work/due-work.ts'
import { createFairQueue } from '../../work/fair-queue.ts'
import type { KeptOn } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'

/** The runs that this process is driving now, and those it keeps leased while their jobs are in progress. */
export interface ActiveRuns {
  /** Ids of the runs that are being driven now. */
  readonly driven: readonly string[]
  /** Drives a run that was just leased from the database, once. */
  take(run: RunRow): Promise<void>
  /**
   * Drives a kept run with the outcome of one of its jobs.
   *
   * @returns false when this process does not keep the run
   */
  deliver(outcome: JobOutcome): boolean
  /** Whether there is enough memory to keep this run. */
  mayKeep(run: RunRow): boolean
  /** Stops keeping the runs that were not driven since `ms`, and returns both groups. */
  keepSince(ms: number): { readonly kept: readonly KeptOn[]; readonly forgotten: readonly string[] }
  /** Drives no further runs; resolves when the runs that are being driven with outcomes are done. */
  stop(): Promise<void>
}

/** A run that was driven and is kept. */
export interface DrivenRun {
  readonly run: RunRow
  /** When it is due even without an outcome; undefined when only an outcome makes it due. */
  readonly dueAtMs: number | undefined
}

/** The functions and limits for driving runs. */
export interface RunDriver {
  nowMs(): number
  /**
   * Drives a run once. Does not reject.
   *
   * @param outcomes - undefined when the run was just leased
   * @returns the run if it is kept, else undefined
   */
  drive(run: RunRow, outcomes: readonly JobOutcome[] | undefined): Promise<DrivenRun | undefined>
  /** Called when outcomes arrived for a run that is no longer kept, which must be driven again from the database. */
  missed(runId: string): void
  /** How many kept runs are driven at a time. */
  readonly slots: number
}

interface ActiveRun {
  /** As last written. */
  run: RunRow
  /** See {@link DrivenRun}. */
  dueAtMs: number | undefined
  isDriven: boolean
  drivenAtMs: number
  outcomes: JobOutcome[]
}

/** The maximum number of characters of one kept run, and of all together. */
const MAX_RUN_CHARACTERS = 131_072
const MAX_CHARACTERS = 64 * 1_048_576

/** Creates an empty collection of active runs. */
export function createActiveRuns(driver: RunDriver): ActiveRuns {
  const memory = createRunMemory()
  const drive = async (one: ActiveRun, outcomes: readonly JobOutcome[] | undefined): Promise<void> => {
    one.isDriven = true
    const kept = await driver.drive(one.run, outcomes)
    one.isDriven = false
    if (kept !== undefined) {
      memory.remember(Object.assign(one, { dueAtMs: kept.dueAtMs, drivenAtMs: driver.nowMs() }), kept.run)
      if (one.outcomes.length > 0) resumed.add(one)
      return
    }
    memory.forget(one)
    if (one.outcomes.length > 0) driver.missed(one.run.runId)
  }
  const resumed = createResumedRuns(driver, drive)
  return {
    get driven() {
      return memory.all().flatMap(({ run, isDriven }) => (isDriven ? [run.runId] : []))
    },
    async take(run) {
      const known = memory.find(run.runId)
      if (known?.isDriven === true) {
        // The query began before this process had the run, and may have missed the change that made it due.
        known.outcomes.push({ runId: run.runId, jobId: '', body: undefined })
        return
      }
      if (known !== undefined) {
        memory.forget(known)
        resumed.delete(known)
      }
      const one = { run, dueAtMs: undefined, isDriven: true, drivenAtMs: driver.nowMs(), outcomes: [] }
      memory.remember(one, run)
      await drive(one, undefined)
      resumed.driveNext()
    },
    deliver(outcome) {
      const one = memory.find(outcome.runId)
      if (one === undefined || resumed.isStopped()) return false
      one.outcomes.push(outcome)
      if (!one.isDriven) resumed.add(one)
      resumed.driveNext()
      return true
    },
    mayKeep: run => !resumed.isStopped() && memory.hasRoom(run),
    keepSince: ms => memory.keepSince(ms),
    stop: resumed.stop,
  }
}

/**
 * Kept runs with outcomes that have not been processed. Origins take turns, and the number of runs driven at a time is
 * limited.
 */
interface ResumedRuns {
  add(one: ActiveRun): void
  delete(one: ActiveRun): void
  /** Drives as many runs as there are free slots. */
  driveNext(): void
  isStopped(): boolean
  /** Drives no further runs; resolves when the current ones are done. */
  stop(): Promise<void>
}

function createResumedRuns(
  { slots }: RunDriver,
  drive: (one: ActiveRun, outcomes: readonly JobOutcome[]) => Promise<void>,
): ResumedRuns {
  const waiting = createFairQueue<ActiveRun>()
  const driven = new Set<Promise<void>>()
  let isStopped = false
  const driveNext = (): void => {
    const next = (): ActiveRun | undefined => (driven.size < slots && !isStopped ? waiting.next() : undefined)
    for (let one = next(); one !== undefined; one = next()) {
      const driving = drive(one, one.outcomes.splice(0)).then(() => {
        driven.delete(driving)
        driveNext()
      })
      driven.add(driving)
    }
  }
  return {
    add: one => waiting.add(originOf(one.run), one),
    delete: one => waiting.delete(originOf(one.run), one),
    driveNext,
    isStopped: () => isStopped,
    async stop() {
      isStopped = true
      await Promise.all(driven)
    },
  }
}

interface RunMemory extends Pick<ActiveRuns, 'keepSince'> {
  all(): readonly ActiveRun[]
  find(runId: string): ActiveRun | undefined
  /** Stores the current state of a run. */
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
