import type { Edit } from '../edit/edit.ts'
import { weighJson } from '../document/json-weight.ts'

/** An error of a flow, or a fact worth knowing before payment. */
export interface Finding {
  /** Stays the same for the same finding when other parts of the flow change. */
  readonly id: string
  /** `error`: the flow cannot be run; `warning`: it can fail during the run; `note`: no action is needed. */
  readonly severity: 'error' | 'warning' | 'note'
  /** The step concerned, `input` or `output`; undefined: the whole flow. */
  readonly step?: string
  readonly port?: string
  /** One sentence. */
  readonly message: string
  /** Its repairs, best first. */
  readonly repairs: readonly Repair[]
}

/** One way to repair a finding. */
export interface Repair {
  /** A few words for a button: `Feed it from the flow input text`. */
  readonly label: string
  readonly edits: readonly Edit[]
}

/** The place of a finding. */
interface Place {
  readonly step?: string
  readonly port?: string
}

/** A finding whose repairs are computed when it is listed. */
export interface LazyFinding extends Omit<Finding, 'repairs'> {
  readonly repairs: () => readonly Repair[]
}

/** Creates a finding, identified by its rule and place. */
export function find(
  severity: Finding['severity'],
  rule: string,
  place: Place,
  message: string,
  repairs: () => readonly Repair[] = () => [],
): LazyFinding {
  const id = [rule, place.step, place.port].filter(part => part !== undefined).join(' ')
  return { id, severity, ...place, message, repairs }
}

/** More than a person reads; a note says how many more findings there are. */
const MAX_FINDINGS = 1_000
/** The size limit of all repairs as JSON: one repair may contain a step with all of its schemas. */
const MAX_REPAIR_CHARACTERS = 1_048_576
const SEVERITIES = ['error', 'warning', 'note'] as const

/**
 * Lists findings: errors first, then warnings, then notes; each group in the order of the steps. The repairs of findings
 * that are not listed are not computed.
 *
 * @param places the order of the steps, by id
 */
export function listFindings(
  found: readonly Iterable<LazyFinding>[],
  places: ReadonlyMap<string, number>,
): readonly Finding[] {
  const kept: { readonly [severity in Finding['severity']]: LazyFinding[] } = {
    error: [],
    warning: [],
    note: [],
  }
  let count = 0
  for (const part of found) {
    for (const one of part) {
      count += 1
      if (kept[one.severity].length < MAX_FINDINGS) kept[one.severity].push(one)
    }
  }
  const placeOf = ({ step }: LazyFinding): number => places.get(step ?? '') ?? -1
  const listed = SEVERITIES.flatMap(severity =>
    kept[severity].sort((one, other) => placeOf(one) - placeOf(other)),
  ).slice(0, MAX_FINDINGS)
  if (count > listed.length)
    listed.push(find('note', 'more', {}, `${count - listed.length} more findings are not listed.`))
  let left = MAX_REPAIR_CHARACTERS
  return listed.map(one => {
    const repairs = left > 0 ? one.repairs() : []
    left -= weighJson(repairs, left)
    return { ...one, repairs: left >= 0 ? repairs : [] }
  })
}
