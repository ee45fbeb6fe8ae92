/**
 * How well an output can feed an input:
 * - `same`: every value passes unchanged
 * - `safe`: every value passes, some of them changed (a number becomes text, undeclared properties are removed)
 * - `lossy`: some values are refused, which shows only when the flow runs
 * - `impossible`: every value is refused (an empty array or an absent property may still pass)
 */
export type Grade = 'same' | 'safe' | 'lossy' | 'impossible'

/** A grade with its reason, for people: `can fail at run time: must be at most 10 characters, …`. */
export interface Compatibility {
  readonly grade: Grade
  readonly reason: string
}

/** The first of the worst findings: two fields are only as compatible as their weakest part. */
export function worst(findings: readonly Compatibility[]): Compatibility {
  let result: Compatibility = { grade: 'same', reason: 'passes as it is' }
  for (const finding of findings) {
    if (ORDER.indexOf(finding.grade) > ORDER.indexOf(result.grade)) result = finding
  }
  return result
}

const ORDER: readonly Grade[] = ['same', 'safe', 'lossy', 'impossible']
