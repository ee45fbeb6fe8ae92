import { FLOW_INPUT, FLOW_OUTPUT, type Flow } from '@farebox/flows/document/flow'
import { nameStep } from '@farebox/flows/internal/document/name-step'

/**
 * The name of a stop for people: the label or purpose of a step, or one of the flow's ends; the id of a step that is gone.
 */
export function nameStop(flow: Flow, id: string): string {
  if (id === FLOW_INPUT) return 'Flow inputs'
  if (id === FLOW_OUTPUT) return 'Flow outputs'
  return Object.hasOwn(flow.steps, id) ? nameStep(flow, id) : id
}
