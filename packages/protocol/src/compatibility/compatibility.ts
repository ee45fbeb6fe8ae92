/**
 * How an output may feed an input:
 * - `same`: every value passes as it is
 * - `safe`: every value passes, some changed on the way (a number becomes text, undeclared properties fall
 * away)
 * - `lossy`: some values are refused, which shows only when the flow runs
 * - `impossible`: every value is refused (an empty array or a property left out may still get through)
 */
export type Grade = 'same' | 'safe' | 'lossy' | 'impossible'

/** A grade and why, for people: `can fail at run time: must be at most 10 characters, …`. */
export interface Compatibility {
  readonly grade: Grade
  readonly reason: string
}

/** The first of the worst findings: what two fields are to each other is as good as its weakest part. */
export function worst(findings: readonly Compatibility[]): Compatibility {
  let result: Compatibility = { grade: 'same', reason: 'passes as it is' }
  for (const finding of findings) {
    if (ORDER.indexOf(finding.grade) > ORDER.indexOf(result.grade)) result = finding
  }
  return result
}

const ORDER: readonly Grade[] = ['same', 'safe', 'lossy', 'impossible']
