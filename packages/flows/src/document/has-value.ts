import type { ConstantStep, DefaultStep, Step } from './flow.ts'

/** Whether a step has a value of its own, which can be marked as secret by the name `value`. */
export function hasValue(step: Step): step is ConstantStep | DefaultStep {
  return step.kind === 'constant' || step.kind === 'default'
}
