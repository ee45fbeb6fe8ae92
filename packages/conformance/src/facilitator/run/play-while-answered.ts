import type { RuleCase } from '../trial/rule-case.ts'
import { ask } from '../trial/subject.ts'
import type { Trial } from '../trial/trial.ts'
import { playMatrix, type Played } from './play-matrix.ts'

/** After this many cases in a row without any response, the facilitator is probed. */
const IN_A_ROW = 3

/** The results of a run that may have ended early. */
export interface PlayedSoFar {
  /** Does not include the cases to which a facilitator that no longer runs did not respond. */
  readonly played: readonly Played[]
  /** Why the run ended early: the signal aborted, or the facilitator no longer responds. */
  readonly stopped: 'interrupted' | 'gone' | undefined
}

/**
 * Runs cases one after another, and stops when the facilitator no longer responds: silence is not a refusal, and waiting in
 * every case would take hours.
 *
 * @param onPlayed called in order, once it is certain that the facilitator responds
 */
export async function playWhileAnswered(
  trial: Trial,
  cases: readonly RuleCase[],
  onPlayed: (played: Played) => void,
  signal: AbortSignal,
): Promise<PlayedSoFar> {
  const gone = new AbortController()
  const played: Played[] = []
  const silent: Played[] = []
  const release = (): void => {
    for (const one of silent.splice(0)) {
      played.push(one)
      onPlayed(one)
    }
  }
  const lookAgain = async (): Promise<void> => {
    const { status } = await ask(trial.subject, '/verify', {})
    if (status === 0) gone.abort()
    else release()
  }
  await playMatrix(
    trial,
    cases,
    async one => {
      if (one.answered === true) release()
      silent.push(one)
      // A case that sends no request says nothing about whether the facilitator responds.
      const unanswered = silent.filter(({ answered }) => answered === false).length
      if (unanswered === 0) release()
      else if (unanswered >= IN_A_ROW) await lookAgain()
    },
    AbortSignal.any([signal, gone.signal]),
  )
  if (silent.length > 0 && !signal.aborted && !gone.signal.aborted) await lookAgain()
  if (gone.signal.aborted && !signal.aborted) return { played, stopped: 'gone' }
  return { played, stopped: played.length < cases.length ? 'interrupted' : undefined }
}
