import type { JobOutcome } from '../../notifier.ts'
import type { KeptOn } from '../records/run-leases.ts'
import type { RunRow } from '../records/run-row.ts'

/** The runs that a process is at, and those that it keeps meanwhile because their jobs are under way. */
export interface RunsAtHand {
  /** Those that are looked at in this moment. */
  readonly driven: readonly string[]
  /** How many that were taken are looked at. */
  readonly taken: number
  /** Looks at a run that was just taken. */
  take(run: RunRow): void
  /**
   * Has a run looked at with what has become of its job.
   *
   * @returns false where the run is not at hand
   */
  tell(outcome: JobOutcome): boolean
  /** Whether one more may be kept. */
  mayKeep(run: RunRow): boolean
  /** Forgets those that were not looked at since then, and tells which are kept on. */
  keepSince(ms: number): { readonly kept: readonly KeptOn[]; readonly forgotten: readonly string[] }
  /** Begins no more looks, and resolves when those under way have ended. */
  stop(): Promise<void>
}

/** A run that a look has left to be kept. */
export interface LookedAt {
  readonly run: RunRow
  /** When it wants the next look, whatever is heard; undefined: when something is. */
  readonly dueAtMs: number | undefined
}

/** How runs are looked at. */
export interface Looking {
  nowMs(): number
  /**
   * One look, which does not reject.
   *
   * @param outcomes undefined: the run was just taken
   * @returns the run where it is kept
   */
  look(run: RunRow, outcomes: readonly JobOutcome[] | undefined): Promise<LookedAt | undefined>
  /** Outcomes came for a run that is not kept any more: it must be looked at once more. */
  missed(runId: string): void
  /** A look at a run that was taken has ended. */
  left(): void
  /** How many runs that are kept are looked at at a time. */
  readonly slots: number
}

interface AtHand {
  /** As it was left by the last look. */
  run: RunRow
  /** As of {@link LookedAt}. */
  dueAtMs: number | undefined
  isDriven: boolean
  lookedAtMs: number
  outcomes: JobOutcome[]
}

/** So many characters a run that is kept may have, and all together. */
const MAX_RUN_CHARACTERS = 131_072
const MAX_CHARACTERS = 64 * 1_048_576

/** None is at hand at first. */
export function createRunsAtHand(looking: Looking): RunsAtHand {
  const runs = new Map<string, AtHand>()
  /** Kept runs with outcomes, by payer: payers take turns, and a payer's runs are in the order in which theirs came. */
  const waiting = new Map<string, Set<AtHand>>()
  const underWay = new Set<Promise<void>>()
  let taken = 0
  let told = 0
  let characters = 0
  let isStopped = false

  const wait = (one: AtHand): void => {
    const payer = payerOf(one)
    waiting.set(payer, (waiting.get(payer) ?? new Set()).add(one))
  }
  const drive = async (one: AtHand, outcomes: readonly JobOutcome[] | undefined): Promise<void> => {
    const { runId } = one.run
    one.isDriven = true
    const kept = await looking.look(one.run, outcomes)
    characters -= sizeOf(one.run)
    one.isDriven = false
    if (kept === undefined) {
      runs.delete(runId)
      if (one.outcomes.length > 0) looking.missed(runId)
      return
    }
    one.run = kept.run
    one.dueAtMs = kept.dueAtMs
    one.lookedAtMs = looking.nowMs()
    characters += sizeOf(kept.run)
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
    for (const [payer, ones] of waiting) {
      if (told >= looking.slots || isStopped) return
      waiting.delete(payer)
      const [one] = ones
      if (one === undefined) continue
      ones.delete(one)
      // The next turn of this payer comes after those of all others.
      if (ones.size > 0) waiting.set(payer, ones)
      told += 1
      begin(drive(one, one.outcomes.splice(0)), () => (told -= 1))
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
        characters -= sizeOf(known.run)
        waiting.get(payerOf(known))?.delete(known)
      }
      const one = { run, dueAtMs: undefined, isDriven: true, lookedAtMs: looking.nowMs(), outcomes: [] }
      runs.set(run.runId, one)
      characters += sizeOf(run)
      taken += 1
      begin(drive(one, undefined), () => {
        taken -= 1
        looking.left()
      })
    },
    tell(outcome) {
      const one = runs.get(outcome.runId)
      if (one === undefined || isStopped) return false
      one.outcomes.push(outcome)
      if (!one.isDriven) wait(one)
      driveWaiting()
      return true
    },
    mayKeep: run => !isStopped && sizeOf(run) <= MAX_RUN_CHARACTERS && characters <= MAX_CHARACTERS,
    keepSince(ms) {
      const forgotten: string[] = []
      for (const [runId, { run, isDriven, lookedAtMs, outcomes }] of runs) {
        if (isDriven || outcomes.length > 0 || lookedAtMs >= ms) continue
        runs.delete(runId)
        characters -= sizeOf(run)
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

/** Of a run that nobody has paid for yet: itself. */
function payerOf({ run }: AtHand): string {
  return run.payer ?? run.runId
}

function sizeOf({ flow, input, state }: RunRow): number {
  return flow.length + input.length + state.length
}
