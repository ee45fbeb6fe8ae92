import type { ConstantStep, DefaultStep, Step } from './flow.ts'

/** Does the step have a value of its own, which can be marked as secret under the name `value`? */
export function hasValue(step: Step): step is ConstantStep | DefaultStep {
  return step.kind === 'constant' || step.kind === 'default'
}
