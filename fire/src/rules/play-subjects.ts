import { playMatrix, type Played, type RuleCase } from '@farebox/conformance/facilitator'
import type { Column } from './report.ts'
import type { Subjects } from './start-subjects.ts'

/** Plays cases against one facilitator after the other; a column for each. Stops early when the signal aborts. */
export async function playSubjects(
  { trials }: Subjects,
  cases: readonly RuleCase[],
  onPlayed: (name: string, played: Played) => void,
  signal?: AbortSignal,
): Promise<readonly Column[]> {
  const columns: Column[] = []
  for (const { trial } of trials) {
    const { name } = trial.subject
    columns.push({ name, played: await playMatrix(trial, cases, one => onPlayed(name, one), signal) })
  }
  return columns
}
