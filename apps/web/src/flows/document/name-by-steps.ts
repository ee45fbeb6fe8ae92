import type { Flow } from '@farebox/flows/document/flow'
import type { Edit } from '@farebox/flows/internal/edit/edit'

/** The name of a flow that has neither a name of its own nor paid steps. */
export const UNNAMED = 'New flow'

const MOST_NAMED = 3
const MOST_CHARACTERS = 80

/** A name derived from the steps of a flow: `Summary, then QR code`. */
export function nameBySteps({ steps }: Flow): string {
  const names = Object.values(steps).flatMap(step =>
    step.kind === 'job' ? [step.label ?? step.pinned.agent_name] : [],
  )
  if (names.length === 0) return UNNAMED
  const rest = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).join(', then ')
  return `${named}${rest > 0 ? ` and ${rest} more` : ''}`.slice(0, MOST_CHARACTERS)
}

/** The edit that updates a name derived from the steps; none once the reader has given the flow a name. */
export function renameBySteps(before: Flow, after: Flow): readonly Edit[] {
  const isOwn = before.name !== UNNAMED && before.name !== nameBySteps(before)
  const name = nameBySteps(after)
  return isOwn || name === after.name ? [] : [{ edit: 'rename-flow', name }]
}

/** The flow, renamed as a copy. */
export function asCopy(flow: Flow): Flow {
  return { ...flow, name: `${flow.name.slice(0, 73)} (copy)` }
}
