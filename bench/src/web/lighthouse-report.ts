import { median } from '../rounds/statistics.ts'

/** The parts of Lighthouse's JSON that are read. */
export interface LighthouseReport {
  readonly categories: {
    readonly [id: string]: {
      /** From 0 to 1; null if there is no score. */
      readonly score: number | null
      readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
    }
  }
  readonly audits: {
    readonly [id: string]: {
      readonly title: string
      readonly score: number | null
      readonly displayValue?: string
    }
  }
  /** Why the page could not be rated. */
  readonly runtimeError?: { readonly message: string }
}

/** The median of a category's score over some runs, in points. Throws where a run has none. */
export function medianScore(reports: readonly LighthouseReport[], category: string): number {
  const scores = reports.map(({ categories, runtimeError }) => {
    const score = categories[category]?.score ?? null
    if (score === null) throw new Error(`no score for ${category}: ${runtimeError?.message ?? 'not told'}`)
    return Math.round(score * 100)
  })
  return median(scores)
}

/** The failed audits that count for a category, the heaviest first: `button-name: Buttons have no name (3 found)`. */
export function findWanting({ categories, audits }: LighthouseReport, category: string): readonly string[] {
  return [...(categories[category]?.auditRefs ?? [])]
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .flatMap(({ id }) => {
      const audit = audits[id]
      if (audit === undefined || audit.score === null || audit.score >= 0.9) return []
      return [`${id}: ${audit.title}${audit.displayValue === undefined ? '' : ` (${audit.displayValue})`}`]
    })
}
