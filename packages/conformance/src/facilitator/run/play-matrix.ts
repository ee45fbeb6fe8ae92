import { systemClock } from '@farebox/protocol/time/clock'
import type { Outcome, RuleCase } from '../trial/rule-case.ts'
import type { Attempts } from '../trial/subject.ts'
import type { Trial } from '../trial/trial.ts'

/** The result of a case. */
export interface Played {
  readonly ruleCase: RuleCase
  /** `undefined` when the case does not apply to this facilitator. */
  readonly outcome: Outcome | undefined
  readonly tookMs: number
  /** Whether the facilitator responded to any request; `undefined` when none was sent. */
  readonly answered: boolean | undefined
}

/** How long an aborted case may take to restore the chain. */
const GRACE_MS = 3_000

/**
 * Runs cases one after another, because each reads the whole chain. A case that throws has failed, and the next one still
 * runs. The promise of `onPlayed` is awaited. A case during which the signal aborts is not in the results: it ends at once
 * when the trial was opened with the same signal, and is no longer awaited after 3 s.
 */
export async function playMatrix(
  trial: Trial,
  cases: readonly RuleCase[],
  onPlayed: (played: Played) => unknown = () => undefined,
  signal?: AbortSignal,
): Promise<readonly Played[]> {
  const all: Played[] = []
  const isOver = (): boolean => signal?.aborted === true
  for (const ruleCase of cases) {
    if (isOver()) break
    const startedAt = performance.now()
    const before = { ...trial.subject.attempts }
    const applies = ruleCase.needs.every(need => trial.subject.offers.has(need))
    const outcome = applies ? await unlessEnded(playOne(trial, ruleCase), signal) : undefined
    if (isOver()) break
    const tookMs = performance.now() - startedAt
    const played = { ruleCase, outcome, tookMs, answered: hasAnswered(before, trial.subject.attempts) }
    all.push(played)
    await onPlayed(played)
  }
  return all
}

function hasAnswered(before: Attempts, after: Attempts): boolean | undefined {
  if (after.answered > before.answered) return true
  return after.unanswered > before.unanswered ? false : undefined
}

async function playOne(trial: Trial, ruleCase: RuleCase): Promise<Outcome> {
  try {
    return await ruleCase.play(trial)
  } catch (error) {
    return { did: 'could not be played', wrong: error instanceof Error ? error.message : String(error) }
  }
}

/** Resolves to the outcome, or to `undefined` some time after the signal aborted. */
async function unlessEnded(
  outcome: Promise<Outcome>,
  signal: AbortSignal | undefined,
): Promise<Outcome | undefined> {
  if (signal === undefined) return await outcome
  let cancel = (): void => undefined
  let giveUp = (): void => undefined
  const ended = new Promise<undefined>(resolve => {
    giveUp = () => void (cancel = systemClock.after(GRACE_MS, () => resolve(undefined)))
  })
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([outcome, ended])
  } finally {
    signal.removeEventListener('abort', giveUp)
    cancel()
  }
}
