import type { PortRef, Step } from '../document/flow.ts'

/**
 * Is a step skipped? `first` needs one of its inputs, and `default` none; every other step needs all sources that are wired
 * to it and all that it waits for.
 *
 * @param wired the outputs that feed its inputs
 * @param isOut does an output have no value, because its step is skipped or went the other way?
 */
export function skips(step: Step, wired: readonly PortRef[], isOut: (source: PortRef) => boolean): boolean {
  if ((step.after ?? []).some(isOut)) return true
  if (step.kind === 'default') return false
  return step.kind === 'first' ? wired.length > 0 && wired.every(isOut) : wired.some(isOut)
}
