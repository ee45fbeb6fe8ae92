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
        // The query began before this process knew that it has the run, and may not have read what made it due.
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

/** Kept runs with outcomes that have not been driven: origins take turns, and so many are driven at a time. */
interface ResumedRuns {
  add(one: ActiveRun): void
  delete(one: ActiveRun): void
  /** Drives as many as there are slots for. */
  driveNext(): void
  isStopped(): boolean
  /** Drives no more, and resolves when those that are being driven are done. */
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
  /** Keeps the current state of a run. */
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
