import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type Step } from '@farebox/flows/document/flow'

/** What a stop of a run is called: a step by its label or by what it does, and the flow's two ends. */
export function nameStop({ steps }: Flow, id: string): string {
  if (id === FLOW_INPUT) return 'Flow inputs'
  if (id === FLOW_OUTPUT) return 'Flow outputs'
  const step = Object.hasOwn(steps, id) ? steps[id] : undefined
  if (step === undefined) return id
  return step.label ?? (step.kind === 'job' ? step.pinned.agent_name : KINDS[step.kind])
}

const KINDS: { readonly [kind in Exclude<Step['kind'], 'job'>]: string } = {
  rename: 'Rename',
  pick: 'Pick',
  template: 'Template',
  'to-number': 'To number',
  join: 'Join',
  split: 'Split',
  constant: 'Constant',
  default: 'Default',
  first: 'First of',
  branch: 'Branch',
  approval: 'Approval',
  wait: 'Wait',
}
