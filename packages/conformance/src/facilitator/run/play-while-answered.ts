import type { RuleCase } from '../trial/rule-case.ts'
import { ask } from '../trial/subject.ts'
import type { Trial } from '../trial/trial.ts'
import { playMatrix, type Played } from './play-matrix.ts'

/** So many cases without any answer in a row, and it is asked whether the facilitator is there. */
const IN_A_ROW = 3

/** What came of a run that may have ended early. */
export interface PlayedSoFar {
  /** Without the cases to which a facilitator that is gone did not answer. */
  readonly played: readonly Played[]
  /** Why it ended early: the signal aborted, or the facilitator answers no more. */
  readonly stopped: 'interrupted' | 'gone' | undefined
}

/**
 * Plays cases one after another, and stops where the facilitator answers no more: silence is no refusal, and waiting for
 * every case would take hours.
 *
 * @param onPlayed called in order, once it is sure that the facilitator is there
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
      // A case that asks nothing tells nothing of who is there.
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
