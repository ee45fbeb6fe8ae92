import type { PortRef } from '@farebox/flows/document/flow'

/** How a wire is named by what it leads to: `> summary text`. No step is called so. */
export function keyOfInput({ step, port }: PortRef): string {
  return `> ${step} ${port}`
}
