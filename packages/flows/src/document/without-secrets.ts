import type { Flow, Step } from './flow.ts'
import { hasValue } from './has-value.ts'

/**
 * The flow for sharing: without the constants that its owner marked as secret. The marks are kept, so that the receiver sees
 * what to fill in: `checkFlow` names each.
 *
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { withoutSecrets } from '@farebox/flows/document/without-secrets'
 *
 * export function toShare(flow: Flow): string {
 *   return JSON.stringify(withoutSecrets(flow))
 * }
 * ```
 */
export function withoutSecrets(flow: Flow): Flow {
  const steps = Object.entries(flow.steps).map(([id, step]): [string, Step] => [id, leaveOut(step)])
  return { ...flow, steps: Object.fromEntries(steps) }
}

function leaveOut(step: Step): Step {
  const secret = new Set(step.secret)
  if (secret.size === 0) return step
  const open: Step = hasValue(step) && secret.has('value') ? { ...step, value: null } : step
  if (open.constants === undefined) return open
  const constants = Object.entries(open.constants).filter(([port]) => !secret.has(port))
  return { ...open, constants: Object.fromEntries(constants) }
}
