import type { Outcome, RuleCase } from '../trial/rule-case.ts'
import type { Trial } from '../trial/trial.ts'

/** What became of a case. */
export interface Played {
  readonly ruleCase: RuleCase
  /** Undefined where it does not apply to this facilitator. */
  readonly outcome: Outcome | undefined
  readonly tookMs: number
}

/**
 * Plays cases one after another: each looks at the whole chain. A case that throws has failed, and the next is
 * played all the same.
 */
export async function playMatrix(
  trial: Trial,
  cases: readonly RuleCase[],
  onPlayed: (played: Played) => void = () => undefined,
  signal?: AbortSignal,
): Promise<readonly Played[]> {
  const all: Played[] = []
  for (const ruleCase of cases) {
    if (signal?.aborted === true) break
    const startedAt = performance.now()
    const applies = ruleCase.needs.every(need => trial.subject.offers.has(need))
    const outcome = applies ? await playOne(trial, ruleCase) : undefined
    const played = { ruleCase, outcome, tookMs: performance.now() - startedAt }
    all.push(played)
    onPlayed(played)
  }
  return all
}

async function playOne(trial: Trial, ruleCase: RuleCase): Promise<Outcome> {
  try {
    return await ruleCase.play(trial)
  } catch (error) {
    return { did: 'could not be played', wrong: error instanceof Error ? error.message : String(error) }
  }
}
