import { FLOW_INPUT, FLOW_OUTPUT, type Flow } from '@farebox/flows/document/flow'
import { nameStep } from '@farebox/flows/internal/document/name-step'

/** The name of a stop for people: a step by its label or by what it does, and the flow's two ends; a step that is gone by its id. */
export function nameStop(flow: Flow, id: string): string {
  if (id === FLOW_INPUT) return 'Flow inputs'
  if (id === FLOW_OUTPUT) return 'Flow outputs'
  return Object.hasOwn(flow.steps, id) ? nameStep(flow, id) : id
}
