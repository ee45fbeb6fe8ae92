import type { Flow } from '@farebox/flows/document/flow'
import type { Edit } from '@farebox/flows/internal/edit/edit'

/** The name of a flow without a name of its own and without paid steps. */
export const UNNAMED = 'New flow'

const MOST_NAMED = 3
const MOST_CHARACTERS = 80

/** A name by what the flow does: `Summary, then QR code`. */
export function nameBySteps({ steps }: Flow): string {
  const names = Object.values(steps).flatMap(step =>
    step.kind === 'job' ? [step.label ?? step.pinned.agent_name] : [],
  )
  if (names.length === 0) return UNNAMED
  const rest = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).join(', then ')
  return `${named}${rest > 0 ? ` and ${rest} more` : ''}`.slice(0, MOST_CHARACTERS)
}

/** The edit that keeps the name of a flow with its steps, as long as nobody has given it one of their own. */
export function renameBySteps(before: Flow, after: Flow): readonly Edit[] {
  const isOwn = before.name !== UNNAMED && before.name !== nameBySteps(before)
  const name = nameBySteps(after)
  return isOwn || name === after.name ? [] : [{ edit: 'rename-flow', name }]
}

/** The flow under the name of a copy. */
export function asCopy(flow: Flow): Flow {
  return { ...flow, name: `${flow.name.slice(0, 73)} (copy)` }
}
