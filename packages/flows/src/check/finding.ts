import type { Edit } from '../edit/edit.ts'

/** What is wrong with a flow, or worth knowing before it is paid for. */
export interface Finding {
  /** The same for the same finding of a flow that has changed elsewhere. */
  readonly id: string
  /** `error`: it cannot be run; `warning`: it can fail while it runs; `note`: nothing to do. */
  readonly severity: 'error' | 'warning' | 'note'
  /** The step it is about, `input` or `output`; undefined: the whole flow. */
  readonly step?: string
  readonly port?: string
  /** One sentence. */
  readonly message: string
  /** What would mend it, the best first. */
  readonly repairs: readonly Repair[]
}

/** One way to mend what was found. */
export interface Repair {
  /** A few words for a button: `Feed it from the flow input text`. */
  readonly label: string
  readonly edits: readonly Edit[]
}

/** The place of a finding. */
export interface Place {
  readonly step?: string
  readonly port?: string
}

/** A finding, named by its rule and place. */
export function find(
  severity: Finding['severity'],
  rule: string,
  place: Place,
  message: string,
  repairs: readonly Repair[] = [],
): Finding {
  const id = [rule, place.step, place.port].filter(part => part !== undefined).join(' ')
  return { id, severity, ...place, message, repairs }
}
