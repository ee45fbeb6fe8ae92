import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type Step } from './flow.ts'

/** The name of a step for people: its label, or a word for its kind. */
export function nameStep(flow: Flow, id: string): string {
  if (id === FLOW_INPUT) return 'the flow’s input'
  if (id === FLOW_OUTPUT) return 'the flow’s output'
  const step = Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined
  return step === undefined ? `a step “${id}” that is gone` : (step.label ?? describe(step))
}

function describe(step: Step): string {
  switch (step.kind) {
    case 'job':
      return step.pinned.agent_name
    case 'rename':
      return 'Rename'
    case 'pick':
      return 'Pick'
    case 'template':
      return 'Template'
    case 'to-number':
      return 'To number'
    case 'join':
      return 'Join'
    case 'split':
      return 'Split'
    case 'constant':
      return 'Constant'
    case 'default':
      return 'Default'
    case 'first':
      return 'First of'
    case 'branch':
      return 'Branch'
    case 'approval':
      return 'Approval'
    case 'wait':
      return 'Wait'
  }
}
