import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow, JobStep, Step, StepBase } from '@farebox/flows/document/flow'
import { pin, type CurrentCapability } from '@farebox/flows/internal/check/catalog'
import { compatible, type Grade } from '@farebox/protocol/compatibility/compatible'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import type { KnownCapability } from '../check-flow.ts'

/** A flow whose jobs are not yet assigned to agents. */
export interface DraftFlow extends Omit<Flow, 'steps'> {
  readonly steps: { readonly [id: string]: DraftStep }
}

/** A step of a draft flow. */
export type DraftStep = WantedJob | Exclude<Step, JobStep>

/** A paid job that any agent with a suitable capability can do. */
export interface WantedJob extends StepBase {
  readonly kind: 'job'
  /** The name of the capability, in lower case. */
  readonly capability: string
  /** A suitable capability accepts these inputs and requires no others; it returns at least the outputs of `gives`. */
  readonly takes: FieldMap
  readonly gives: FieldMap
  readonly map?: { readonly port: string; readonly most: number }
}

/** A draft whose jobs are pinned to the current capabilities of agents. */
export interface PinnedFlow {
  readonly flow: Flow
  /** The maximum price, in decimal USDC. */
  readonly price: string
}

/**
 * Pins the jobs of each draft to the first candidate that suits them.
 *
 * @param given.candidates by capability name in lower case, the best first
 * @returns one entry for each draft; null when a job has no suitable candidate or the flow does not check
 */
export function pinJobs(given: {
  readonly drafts: readonly DraftFlow[]
  readonly candidates: { readonly [capability: string]: readonly KnownCapability[] }
}): readonly (PinnedFlow | null)[] {
  return given.drafts.map(draft => {
    const steps: [string, Step][] = []
    for (const [id, step] of Object.entries(draft.steps)) {
      const pinned = step.kind === 'job' ? pinJob(step, given.candidates[step.capability] ?? []) : step
      if (pinned === undefined) return null
      steps.push([id, pinned])
    }
    const flow: Flow = { ...draft, steps: Object.fromEntries(steps) }
    const { ok, price } = checkFlow(flow)
    return ok ? { flow, price: price.at_most } : null
  })
}

function pinJob(
  { takes, gives, capability: _named, ...step }: WantedJob,
  candidates: readonly KnownCapability[],
): JobStep | undefined {
  for (const { agentId, capability, current } of candidates)
    if (current !== null && suits(current, takes, gives))
      return { ...step, agent_id: agentId, capability, pinned: pin(current) }
  return undefined
}

function suits(
  { input_schema: inputs, output_schema: outputs }: CurrentCapability,
  takes: FieldMap,
  gives: FieldMap,
): boolean {
  const asksForMore = Object.entries(inputs).some(
    ([name, { required }]) => required === true && !Object.hasOwn(takes, name),
  )
  const takesThis = Object.entries(takes).every(([name, field]) => {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    return input !== undefined && compatible(field, input).grade !== 'impossible'
  })
  const givesThat = Object.entries(gives).every(([name, field]) => {
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined
    return output !== undefined && output.required !== false && isWhole(output, field)
  })
  return !asksForMore && takesThis && givesThat
}

/** Whether every value of the output is valid for the field. */
function isWhole(output: Field, field: Field): boolean {
  const whole: readonly Grade[] = ['same', 'safe']
  return whole.includes(compatible(output, field).grade)
}
