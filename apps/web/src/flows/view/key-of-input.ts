import type { PortRef } from '@farebox/flows/document/flow'

/** The key of a wire, made from the input that it leads to: `> summary text`. No step can have this name. */
export function keyOfInput({ step, port }: PortRef): string {
  return `> ${step} ${port}`
}
