import type { PortRef, Step } from '../document/flow.ts'

/**
 * Whether a step is left out. Every other step needs all that is wired into it and all that it waits for; `first` needs
 * one of its inputs, and `default` none.
 *
 * @param wired the outputs that feed its inputs
 * @param isOut whether nothing comes from an output: its step is left out, or went the other way
 */
export function skips(step: Step, wired: readonly PortRef[], isOut: (source: PortRef) => boolean): boolean {
  if ((step.after ?? []).some(isOut)) return true
  if (step.kind === 'default') return false
  return step.kind === 'first' ? wired.length > 0 && wired.every(isOut) : wired.some(isOut)
}
